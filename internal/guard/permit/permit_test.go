package permit

import (
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/sandbox/confine"
	"pollux/llm"
	"pollux/tool"
)

// TestTail checks that the end of a result has lines as a program has printed them: not behind a label.
func TestTail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"<untrusted_context>\nOutput: bash: x: no\nOutput: two": "<untrusted_context>\nbash: x: no\nOutput: two",
		"\nOutput: " + strings.Repeat("x", 5000):                strings.Repeat("x", 4000),
		"":                                                      "",
	} {
		if got := tail(&tool.Result{Content: []llm.Part{llm.Text(text)}}); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestSettle checks that a call whose command goes on in the background is forgotten after its result and the end of the command, in either order,
// and that a refusal is logged once.
func TestSettle(t *testing.T) {
	t.Parallel()
	result, end := func(b *background) { b.hasResult = true }, func(b *background) { b.hasEnded = true }
	for _, order := range [][]func(*background){{result, end}, {end, result}} {
		logged := 0
		p := New(Options{Log: func(string, string, bool) { logged++ }})
		call := &agent.PreparedCall{}
		for i, note := range order {
			p.inBackground(call)
			p.log(call, &confine.Run{}, "x", "", "x")
			p.settle(call, note)
			if kept := len(p.background); kept != 1-i {
				t.Errorf("after %d of 2: %d calls", i+1, kept)
			}
		}
		if logged != 1 {
			t.Errorf("logged %d times", logged)
		}
	}
}
