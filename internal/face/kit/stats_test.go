package kit

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"pollux/agent"
	"pollux/internal/slash"
)

// TestStats checks that reports of runs have the counts of the session before and after the run, however late the face reads them, also if the next
// prompt begins at once; commands have none.
func TestStats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{}
		s.run = func(context.Context, string, func(agent.Event)) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.calls++
			return nil
		}
		s.command = func(context.Context, string) (slash.Result, error) { return slash.Result{}, nil }
		err := play(t, s, func() {
			s.Submit("one")
			s.Submit("two")
			s.settle()
			s.Submit("/a")
			s.settle()
			s.Leave(nil)
		})
		if want := []int{0, 1, 1, 2}; err != nil || !slices.Equal(s.counts, want) {
			t.Errorf("counts %v, want %v; %v", s.counts, want, err)
		}
	})
}
