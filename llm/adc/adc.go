// Package adc authenticates requests to Google Cloud with application default
// credentials. All models on Vertex AI use it.
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

// Tokens returns a token for a request and the project that pays for it, "" if the
// credentials name none. It is safe for concurrent use.
type Tokens func(ctx context.Context) (token, quotaProject string, err error)

// Tokens returns a function that provides tokens of the credentials. Its first call
// loads the credentials and calls client for the HTTP client to use.
func (s Source) Tokens(client func() (*http.Client, error)) Tokens {
	if s.Custom != nil {
		return s.Custom
	}
	var (
		mu    sync.Mutex
		found *auth.Credentials
	)
	detect := func() (*auth.Credentials, error) {
		mu.Lock()
		defer mu.Unlock()
		if found != nil {
			return found, nil
		}
		c, err := client()
		if err != nil {
			return nil, err
		}
		scopes := s.Scopes
		if scopes == nil {
			scopes = []string{scope}
		}
		// Do not cache a failure: the user may sign in and try again.
		found, err = s.detect(&credentials.DetectOptions{Scopes: scopes, Client: c})
		return found, err
	}
	return func(ctx context.Context) (string, string, error) {
		creds, err := detect()
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

// IsLocation reports whether name is a valid name of a Google Cloud location. The
// name becomes part of the host that receives tokens, so other characters could send
// them to another host.
func IsLocation(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
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
