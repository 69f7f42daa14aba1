package mcp

import (
	"net/http"
	"testing"
	"time"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// The end of a session does not wait long for a service that does not answer its goodbye. Other requests
// have the time that their caller gives them.
func TestGoodbye(t *testing.T) {
	t.Parallel()
	for _, method := range []string{http.MethodDelete, http.MethodPost} {
		w := &wire{host: "x.example", scheme: "https", next: roundTripper(func(req *http.Request) (*http.Response, error) {
			deadline, isLimited := req.Context().Deadline()
			if isLimited != (method == http.MethodDelete) || isLimited && time.Until(deadline) > goodbye {
				t.Errorf("%s: deadline %v, %v", method, deadline, isLimited)
			}
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		})}
		w.server = &server{}
		req, err := http.NewRequestWithContext(t.Context(), method, "https://x.example/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := w.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
}
