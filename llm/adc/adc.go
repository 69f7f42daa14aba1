// Package adc authenticates requests to Google Cloud with application default
// credentials. All models on Vertex AI use it.
package adc

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"pollux/llm"
)

// Tokens returns a token for a request and the project that pays for it, "" if the
// credentials name none. It is safe for concurrent use.
type Tokens func(ctx context.Context) (token, quotaProject string, err error)

// Tokens returns a function that provides tokens of the credentials. Its first call loads the
// credentials. client is called for the HTTP client of each request to Google.
func (s Source) Tokens(client func() (*http.Client, error)) Tokens {
	if s.Custom != nil {
		return s.Custom
	}
	var found *account // guarded by renew, whose calls do not overlap
	token := renew(func(ctx context.Context) (*oauth2.Token, error) {
		c, err := client()
		if err != nil {
			return nil, err
		}
		// Do not keep a failure: the user may sign in and try again.
		if found == nil {
			if found, err = s.find(ctx); err != nil {
				return nil, err
			}
		}
		return found.token(context.WithValue(ctx, oauth2.HTTPClient, c), s.scopes())
	})
	return func(ctx context.Context) (string, string, error) {
		t, err := token(ctx)
		if err != nil {
			return "", "", err
		}
		return t.AccessToken, cmp.Or(s.QuotaProject, found.quotaProject), nil
	}
}

// early is how long before its end a token is replaced: a request with it may wait for a place.
const early = 4 * time.Minute

// renew returns a function that returns the last token of fetch, and calls fetch again before that ends. It is safe
// for concurrent use.
func renew(fetch func(ctx context.Context) (*oauth2.Token, error)) func(ctx context.Context) (*oauth2.Token, error) {
	var (
		mu   sync.Mutex
		last *oauth2.Token
	)
	return func(ctx context.Context) (*oauth2.Token, error) {
		mu.Lock()
		defer mu.Unlock()
		if last != nil && (last.Expiry.IsZero() || time.Until(last.Expiry) > early) {
			return last, nil
		}
		t, err := fetch(ctx)
		if err != nil {
			if last.Valid() {
				return last, nil // until then, another try may work
			}
			return nil, err
		}
		last = t
		return t, nil
	}
}

// IsLocation reports whether name is a valid name of a Google Cloud location. The
// name becomes part of the host that receives tokens, so other characters could send
// them to another host.
func IsLocation(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// Endpoint returns the address of Vertex AI in a location.
func Endpoint(location string) string {
	switch location {
	case "global":
		return "https://aiplatform.googleapis.com"
	case "us", "eu":
		return "https://aiplatform." + location + ".rep.googleapis.com"
	}
	return "https://" + location + "-aiplatform.googleapis.com"
}

// scope is the OAuth scope of tokens, unless a source has its own.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// TokenFunc returns Tokens that call token and have no project.
func TokenFunc(token func(context.Context) (string, error)) Tokens {
	return func(ctx context.Context) (string, string, error) {
		t, err := token(ctx)
		return t, "", err
	}
}

// Authorize adds a token to the header of a request, and the project that pays for
// it, unless the header contains them already. The error is an [*llm.Error] with the
// next step for the user, or the cause of the cancellation of ctx.
func (t Tokens) Authorize(ctx context.Context, header http.Header) error {
	if header["Authorization"] != nil {
		return nil
	}
	token, quotaProject, err := t(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return &llm.Error{
			Kind: llm.KindUnauthorized,
			Message: fmt.Sprintf("Could not load the default credentials. Run `gcloud auth application-default login`, "+
				"or set GOOGLE_API_KEY to use Vertex AI with a key, which Gemini takes. (%v)", err),
			Link: "https://cloud.google.com/docs/authentication/getting-started",
			Err:  err,
		}
	}
	header.Set("Authorization", "Bearer "+token)
	if quotaProject != "" && header["X-Goog-User-Project"] == nil {
		header.Set("X-Goog-User-Project", quotaProject)
	}
	return nil
}
