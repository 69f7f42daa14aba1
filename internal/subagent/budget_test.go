package subagent_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pollux/internal/subagent"
	"pollux/llm"
)

// took returns the time of the run, in whole minutes.
func (o *outcome) took() time.Duration {
	return o.events[slices.IndexFunc(o.events, func(e subagent.Event) bool { return e.Kind == subagent.Finished })].Duration
}

// The time before a question counts, and that of the question does not.
func TestQuestionStopsClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context) (*llm.Response, error) {
			time.Sleep(6 * time.Minute)
			return says(call("ask", "{}"))(ctx)
		}
		got := play(t.Context(), t, &model{answers: []answer{slow, hangs}}, limits, time.Hour)
		const want = 6*time.Minute + time.Hour + 4*time.Minute + time.Minute // the last is the grace
		if got.took() != want {
			t.Errorf("it took %v, want %v", got.took(), want)
		}
	})
}

// The calls beside that of complete_task finish before the subagent ends.
func TestOtherCallsFinish(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &model{answers: []answer{says(call(complete, `{"result":"one"}`), call("ask", "{}"))}}
		if got := play(t.Context(), t, m, limits, time.Hour); got.took() != time.Hour {
			t.Errorf("it took %v", got.took())
		}
	})
}

// The progress keeps the newest activities.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	calls := slices.Repeat([]llm.Part{call("look", "{}")}, 150)
	got := play(t.Context(), t, &model{answers: []answer{says(calls...), says(call(complete, `{"result":"found"}`))}}, limits, 0)
	if n := len(got.display.Activity); n != 100 || got.display.Activity[n-1].Content != complete {
		t.Errorf("%d activities: %+v", n, got.display.Activity[max(0, n-1):])
	}
}
