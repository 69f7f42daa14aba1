package gemini_test

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"pollux/llm"
	"pollux/llm/gemini"
	"pollux/llm/llmtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// Idle connections of clients that tests are done with.
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}

func TestConformance(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, llmtest.Vendor{
		New: newClient,
		Stream: func(chunks []*llm.Response) [][]byte {
			var pieces [][]byte
			for _, c := range chunks {
				pieces = append(pieces, frame(c))
			}
			return pieces
		},
		Answer: func(r *llm.Response) []byte { return r.AppendJSON(nil) },
		Error:  errorBody,
	})
}

func newClient(t *testing.T, url string) llm.Generator {
	t.Helper()
	c, err := gemini.New(gemini.Options{APIKey: "secret", BaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func frame(r *llm.Response) []byte {
	return append(r.AppendJSON([]byte("data: ")), "\r\n\r\n"...)
}

func errorBody(status int, message string) []byte {
	word := map[int]string{
		400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
		429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
	}[status]
	return fmt.Appendf(nil, `{"error":{"code":%d,"message":%s,"status":%q}}`, status, llm.AppendString(nil, message), word)
}
