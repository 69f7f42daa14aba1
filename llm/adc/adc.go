// Package adc proves to Google Cloud who asks: with the application default
// credentials of the machine, which every model on Vertex AI takes, whoever made
// it (spec/agent.md §2).
package adc

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"

	"pollux/llm"
)

// Tokens returns a token for a request and, where the credentials name one, the
// project that is to pay for it. It may be called from several goroutines.
type Tokens func(ctx context.Context) (token, quotaProject string, err error)

// Tokens returns the tokens of the credentials, which are looked for at the first
// call, with the client that is asked for then.
func (s Source) Tokens(client func() (*http.Client, error)) Tokens {
	if s.Given != nil {
		return s.Given
	}
	var (
		mu    sync.Mutex
		found *auth.Credentials
	)
	find := func() (*auth.Credentials, error) {
		mu.Lock()
		defer mu.Unlock()
		if found != nil {
			return found, nil
		}
		c, err := client()
		if err != nil {
			return nil, err
		}
		// A failure is not kept: the user may log in and try again.
		found, err = s.find(&credentials.DetectOptions{
			Scopes: []string{scope},
			Client: c,
		})
		return found, err
	}
	return func(ctx context.Context) (string, string, error) {
		creds, err := find()
		if err != nil {
			return "", "", err
		}
		token, err := creds.Token(ctx)
		if err != nil {
			return "", "", err
		}
		project, err := creds.QuotaProjectID(ctx)
		if err != nil {
			return "", "", err
		}
		return token.Value, project, nil
	}
}

// IsLocation reports whether a name can be that of one of Google Cloud's locations.
// It becomes a part of the name of the host that tokens are sent to: any other
// letter could make it somebody else's.
func IsLocation(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

const scope = "https://www.googleapis.com/auth/cloud-platform"

// Given returns the tokens of a caller that has its own.
func Given(token func(context.Context) (string, error)) Tokens {
	return func(ctx context.Context) (string, string, error) {
		t, err := token(ctx)
		return t, "", err
	}
}

// Authorize adds a token to the header of a request, and the project that pays,
// unless it holds such already. The error is an [*llm.Error] that says what the
// user can do, or the cause of ctx's end.
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
