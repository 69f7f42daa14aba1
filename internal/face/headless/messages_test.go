package headless

import (
	"errors"
	"testing"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// A wait is told in one line, though some errors have two.
func TestWaitingNotice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, "[WARNING] Attempt 1 of 10 failed. Trying again in 1.2s."},
		{errors.New("Busy."), "[WARNING] Attempt 1 of 10 failed: Busy. Trying again in 1.2s."},
		{
			errors.New("Too many.\nSuggested retry after 1s."),
			"[WARNING] Attempt 1 of 10 failed: Too many. Suggested retry after 1s. Trying again in 1.2s.",
		},
	} {
		e := agent.Waiting{Retry: llm.Retry{Attempt: 1, MaxAttempts: 10, Delay: 1170 * time.Millisecond, Err: tt.err}}
		if got := waitingNotice(e); got.line != tt.want || got.severity != "" {
			t.Errorf("%v: %+v, want %q", tt.err, got, tt.want)
		}
	}
}
