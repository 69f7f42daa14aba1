package headless

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/wording"
	"pollux/llm"
)

// People get the next step too; programs get the provider's sentence and its response.
func TestExplanation(t *testing.T) {
	t.Parallel()
	err := &llm.Error{Kind: llm.KindModelNotFound, Status: 404, Message: "No such model.", Body: `{"error":{"message":"No such model."}}`}
	x := newFace(Options{Place: func(string) wording.Place { return wording.Place{InSession: true} }}).newExplanation(err)
	if x.line != "No such model (status 404). Choose another model with /model." || x.message != "No such model." || x.details != err.Body ||
		x.code != 404 || x.streamMessage != "[API Error: No such model.]" {
		t.Errorf("%+v", x)
	}
}

// A wait is a line for people in every format, and no event.
func TestWaitingNotice(t *testing.T) {
	t.Parallel()
	e := agent.Waiting{Retry: llm.Retry{Attempt: 1, MaxAttempts: 10, Delay: 1170 * time.Millisecond, Err: errors.New("Busy.")}}
	if got := noticeOf(e); got.line != "Busy. Retrying in 1 s (2 of 10)." || got.severity != "" || !got.isForPeople {
		t.Errorf("%+v", got)
	}
}

func TestSwitchedNotice(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, "a failed. Switched to b."},
		{errors.New(strings.Repeat("é", 400)), "a failed: " + strings.Repeat("é", 250) + "…. Switched to b."},
		{errors.New("No quota.\nSee the console."), "a failed: No quota. See the console. Switched to b."},
	} {
		got := noticeOf(agent.Switched{Switch: llm.Switch{From: "a", To: "b", Err: tt.err}})
		want := notice{severity: "warning", message: tt.want, line: "Warning: " + tt.want, isTransient: true}
		if got != want {
			t.Errorf("%v: %+v, want %+v", tt.err, got, want)
		}
	}
}
