package llmtest_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"pollux/llm"
	"pollux/llm/gemini"
	"pollux/llm/llmtest"
	"pollux/llm/replay"
	"pollux/llm/retry"
)

// TestDecorators runs the conformance tests with decorated generators. Retries are
// off, so that error cases do not wait.
func TestDecorators(t *testing.T) {
	t.Parallel()
	llmtest.Run(t, llmtest.Vendor{
		New: func(t *testing.T, url string) llm.Generator {
			g, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: url})
			if err != nil {
				t.Fatal(err)
			}
			r, err := replay.Record(retry.Wrap(g, retry.Options{MaxAttempts: 1}), filepath.Join(t.TempDir(), "answers"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			})
			return r
		},
		Stream: func(chunks []*llm.Response) [][]byte {
			var pieces [][]byte
			for _, c := range chunks {
				pieces = append(pieces, fmt.Appendf(nil, "data: %s\n\n", c.AppendJSON(nil)))
			}
			return pieces
		},
		Answer: func(r *llm.Response) []byte { return r.AppendJSON(nil) },
		Error: func(status int, message string) []byte {
			return fmt.Appendf(nil, `{"error":{"code":%d,"message":%q}}`, status, message)
		},
	})
}
