package llm_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"pollux/llm"
)

func TestEncodedConcurrently(t *testing.T) {
	t.Parallel()
	c := llm.User(llm.Text("a"))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, key := range []string{"x", "y", "x"} {
				if got := c.Encoded(key, func(dst []byte, _ *llm.Content) []byte { return append(dst, key...) }); string(got) != key {
					t.Errorf("%s: %s", key, got)
				}
			}
		})
	}
	wg.Wait()
}

func TestParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		part          llm.Part
		isText, empty bool
	}{
		{"text", llm.Text("a"), true, false},
		{"no text", llm.Text(""), true, true},
		{"nothing", llm.Part{}, false, true},
		{"a thought", llm.Part{Text: "a", Thought: true}, true, false},
		{"only a signature", llm.Part{ThoughtSignature: "s"}, false, true},
		{"a call", llm.Part{FunctionCall: &llm.FunctionCall{}}, false, false},
		{"no text beside a call", llm.Part{FunctionResponse: &llm.FunctionResponse{}}, false, false},
		{"something unknown", llm.Part{Extra: map[string]json.RawMessage{"x": nil}}, false, false},
	} {
		if c.part.IsText() != c.isText || c.part.IsEmpty() != c.empty {
			t.Errorf("%s: text %v, empty %v", c.name, c.part.IsText(), c.part.IsEmpty())
		}
	}
	var none *llm.Content
	if none.Text() != "" || none.FunctionCalls() != nil {
		t.Error("no message says something")
	}
	var nothing *llm.Response
	if nothing.Text() != "" || nothing.FinishReason() != "" || nothing.Parts() != nil {
		t.Error("no response says something")
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]*llm.Error{
		"said":                               {Message: "said", Err: io.EOF, Status: 500},
		"EOF":                                {Err: io.EOF, Status: 500},
		"The request failed with status 500": {Status: 500},
	} {
		if e.Error() != want || e.Err != nil && !errors.Is(e, io.EOF) {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
	labels := map[string]bool{}
	for k := llm.KindOther; k <= llm.KindContextWindow; k++ {
		labels[k.String()] = true
		if strings.ToUpper(k.String()) != k.String() {
			t.Errorf("label %q", k)
		}
	}
	if len(labels) != 13 { // quota, capacity and rate limit share one
		t.Errorf("labels %v", labels)
	}
}
