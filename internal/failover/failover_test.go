package failover

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/llm"
	"pollux/llm/fallback"
	"pollux/tool"
)

// asker chooses the option with a label, or none.
type asker struct {
	label string
	err   error
	asked []tool.Question
}

// Ask implements [person.Asker].
func (a *asker) Ask(_ context.Context, details tool.Confirmation) (tool.Answer, error) {
	q := details.(*tool.QuestionConfirmation).Questions[0]
	a.asked = append(a.asked, q)
	if a.label == "" {
		return tool.Answer{Outcome: tool.Cancel}, a.err
	}
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": a.label}}}, a.err
}

// Approve implements [person.Asker].
func (a *asker) Approve(context.Context, *agent.Question) (tool.Answer, error) {
	return tool.Answer{}, nil
}

func failure(to string, kind fallback.Kind, cause llm.ErrorKind) fallback.Failure {
	return fallback.Failure{Model: "big", To: to, Kind: kind, Err: &llm.Error{Kind: cause, Message: "No.", Status: 429}}
}

// TestHandler checks the text of each question, its answers in their order, and the meaning of each answer.
func TestHandler(t *testing.T) {
	t.Parallel()
	const reported = "\nThe provider reports: No.\n/model to switch models."
	both := map[string]fallback.Intent{keepTrying: fallback.RetryOnce, "Switch to small": fallback.RetryAlways, stop: fallback.RetryLater, "": fallback.RetryLater}
	for name, tt := range map[string]struct {
		failure fallback.Failure
		text    string
		options string
		means   map[string]fallback.Intent
	}{
		"used up": {
			failure("small", fallback.Terminal, llm.KindQuota),
			"Usage limit reached for big.\nThe provider reports: No.\n/stats model for usage details\n/model to switch models.",
			"Switch to small, Stop",
			map[string]fallback.Intent{"Switch to small": fallback.RetryAlways, stop: fallback.RetryLater, keepTrying: fallback.RetryLater},
		},
		"used up, alone": {
			failure("", fallback.Terminal, llm.KindQuota),
			"Usage limit reached for big.\nThe provider reports: No.\n/stats model for usage details\n/model to switch models.",
			"Keep trying, Stop",
			map[string]fallback.Intent{keepTrying: fallback.RetryOnce, stop: fallback.RetryLater, "": fallback.RetryLater},
		},
		"no room":   {failure("small", fallback.Terminal, llm.KindCapacity), "We are currently experiencing high demand for big." + reported, "Keep trying, Switch to small, Stop", both},
		"busy":      {failure("small", fallback.Transient, llm.KindRateLimit), "We are currently experiencing high demand for big." + reported, "Keep trying, Switch to small, Stop", both},
		"broken":    {failure("small", fallback.Unknown, llm.KindServer), "big has failed." + reported, "Keep trying, Switch to small, Stop", both},
		"missing":   {failure("small", fallback.NotFound, llm.KindModelNotFound), `Model "big" was not found or is invalid.` + reported, "Switch to small, Stop", nil},
		"forbidden": {failure("small", fallback.NotFound, llm.KindForbidden), "It seems like you don't have access to big." + reported, "Switch to small, Stop", nil},
	} {
		for label, want := range tt.means {
			a := &asker{label: label}
			if got := Handler(a)(t.Context(), tt.failure); got != want {
				t.Errorf("%s, %q: %s, want %s", name, label, got, want)
			}
		}
		a := &asker{}
		Handler(a)(t.Context(), tt.failure)
		var labels []string
		for _, o := range a.asked[0].Options {
			labels = append(labels, o.Label)
		}
		if a.asked[0].Text != tt.text || strings.Join(labels, ", ") != tt.options {
			t.Errorf("%s: %q, answers %q", name, a.asked[0].Text, labels)
		}
	}
}

// TestNoQuestion checks that a model that does not exist and that no other one stands in for leads to no question, and that
// the end of a question stops the request.
func TestNoQuestion(t *testing.T) {
	t.Parallel()
	a := &asker{label: keepTrying}
	if got := Handler(a)(t.Context(), failure("", fallback.NotFound, llm.KindModelNotFound)); got != fallback.Stop || len(a.asked) > 0 {
		t.Errorf("%s after %d questions", got, len(a.asked))
	}
	a.err = errors.New("over")
	if got := Handler(a)(t.Context(), failure("small", fallback.Transient, llm.KindServer)); got != fallback.Stop {
		t.Error(got)
	}
}

// TestReset checks the time at which a quota is there again.
func TestReset(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 31, 22, 30, 0, 0, time.UTC)
	for wait, want := range map[time.Duration]string{
		0:                    "",
		time.Hour:            "\nAccess resets at 23:30.",
		90 * time.Minute:     "\nAccess resets at 00:00 on 1 January.",
		365 * 24 * time.Hour: "\nAccess resets at 22:30 on 31 December.",
	} {
		f := failure("", fallback.Terminal, llm.KindQuota)
		f.Err.(*llm.Error).RetryAfter = wait
		_, rest, _ := strings.Cut(text(f, now), "for big.")
		if got, _, _ := strings.Cut(rest, "\nThe provider"); got != want {
			t.Errorf("%s: %q, want %q", wait, got, want)
		}
	}
}

// TestHostile checks that the words of a server are one line without control characters.
func TestHostile(t *testing.T) {
	t.Parallel()
	f := failure("", fallback.Unknown, llm.KindServer)
	f.Err = &llm.Error{Message: "a\x1b[2J\n1. Keep trying\u202e"}
	if got := reported(f.Err); strings.ContainsAny(got[1:], "\n\x1b\u202e") || !strings.Contains(got, "1. Keep trying") {
		t.Errorf("%q", got)
	}
}
