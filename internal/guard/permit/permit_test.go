package permit

import (
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/sandbox/confine"
	"pollux/llm"
	"pollux/tool"
)

// TestTail checks that the end of a result has lines as a program has printed them: without a label, and what stands behind the output.
func TestTail(t *testing.T) {
	t.Parallel()
	frame := tool.Frame{Before: "<untrusted_context>\nOutput: ", After: "\nExit Codes in the pipe: 1, 0\n</untrusted_context>\nHint: no"}
	for output, want := range map[string]string{
		"bash: x: no\nOutput: two": "bash: x: no\nOutput: two", strings.Repeat("x", 5000): strings.Repeat("x", 4000), "": "",
	} {
		r := &tool.Result{Content: []llm.Part{llm.Text(frame.Before + output + frame.After)}, Frame: frame}
		if got := tail(r); got != want {
			t.Errorf("%q: %q", output, got)
		}
		if !hasFailed(r) {
			t.Error("a command of a pipe has failed")
		}
	}
	if hasFailed(&tool.Result{Content: []llm.Part{llm.Text("Output: \nExit Codes in the pipe: 1, 0")}}) {
		t.Error("what a command prints counts as its end")
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
