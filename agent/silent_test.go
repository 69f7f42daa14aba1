package agent_test

import (
	"context"
	"testing"
	"time"

	"pollux/llm"
)

// The generator's report of a silent server is an event of the turn.
func TestSilent(t *testing.T) {
	t.Parallel()
	s := &script{}
	s.answers = append(s.answers, func(_ context.Context, yield func(*llm.Response, error) bool) {
		s.requests[0].OnSilence(llm.Silence{Model: "m", Host: "127.0.0.1:8080", Elapsed: 10 * time.Second})
		yield(text("Done."), nil)
	})
	want := lines("TurnStarted", "ModelInfo", "Silent", "text Done.", "end of turn STOP")
	if got := play(t.Context(), newAgent(t, s, nil), "go"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
