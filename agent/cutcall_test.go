package agent_test

import (
	"context"
	"strings"
	"testing"

	"pollux/llm"
)

// TestCutCall checks that the model gets the reason why a call that was cut off did not run.
func TestCutCall(t *testing.T) {
	t.Parallel()
	cut := llm.Part{FunctionCall: llm.CutCall("1", "look", `{"path": "a`)}
	s := &script{answers: []func(context.Context, func(*llm.Response, error) bool){says(chunk(llm.FinishMaxTokens, cut)), says(text("done"))}}
	a := newAgent(t, s, nil, echo("look"))
	if got := play(t.Context(), a, "go"); !strings.Contains(got, "finished look__1 error") {
		t.Error(got)
	}
	if len(s.requests) != 2 {
		t.Fatalf("%d requests", len(s.requests))
	}
	if got := wire(s.requests[1].Contents); !strings.Contains(got, "cut off in the middle of this call, probably at the limit of its length") || !strings.Contains(got, "11 bytes") {
		t.Error(got)
	}
}
