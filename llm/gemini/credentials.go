package gemini

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/auth/credentials"

	"pollux/llm"
)

// tokens returns what gives each request to Vertex its token: given, where the
// caller has one, else the application default credentials of the machine, and
// the project that is to pay if they name one.
func tokens(given func(context.Context) (string, error), client func() (*http.Client, error)) func(context.Context) (string, string, error) {
	if given != nil {
		return func(ctx context.Context) (string, string, error) {
			token, err := given(ctx)
			return token, "", err
		}
	}
	var (
		mu    sync.Mutex
		found *auth.Credentials
	)
	return func(ctx context.Context) (string, string, error) {
		mu.Lock()
		if found == nil {
			c, err := client()
			if err == nil {
				found, err = credentials.DetectDefault(&credentials.DetectOptions{
					Scopes: []string{"https://www.googleapis.com/auth/cloud-platform"},
					Client: c,
				})
			}
			if err != nil { // not kept: the user may log in and try again
				mu.Unlock()
				return "", "", err
			}
		}
		creds := found
		mu.Unlock()
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

func credentialsError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &llm.Error{
		Kind: llm.KindUnauthorized,
		Message: fmt.Sprintf("Could not load the default credentials. Run `gcloud auth application-default login`, "+
			"or set GOOGLE_API_KEY to use Vertex AI with a key. (%v)", err),
		Link: "https://cloud.google.com/docs/authentication/getting-started",
		Err:  err,
	}
}
