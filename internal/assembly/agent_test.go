package assembly

import (
	"testing"

	"pollux/agent"
	"pollux/internal/project/projecttest"
)

// aroundCalls are hooks that see tool calls or not.
type aroundCalls struct {
	agent.Hooks
	sees bool
}

func (a aroundCalls) SeesCalls() bool { return a.sees }

// TestParallel checks the rule for calls that run at the same time, with and without hooks around them.
func TestParallel(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string][2]agent.Parallel{ // without and with hooks
		`{}`:                                {agent.ParallelEffects, agent.ParallelAsked},
		`{"pollux": {"parallel": "all"}}`:   {agent.ParallelAll, agent.ParallelAll},
		`{"pollux": {"parallel": "reads"}}`: {agent.ParallelReads, agent.ParallelReads},
		`{"pollux": {"parallel": "asked"}}`: {agent.ParallelAsked, agent.ParallelAsked},
	} {
		b := &Builder{Project: projecttest.New(t, settings)}
		for i, hooks := range []agent.Hooks{aroundCalls{sees: false}, aroundCalls{sees: true}} {
			if got := b.parallel(hooks)(); got != want[i] {
				t.Errorf("%s: %q, want %q", settings, got, want[i])
			}
		}
		if got := b.parallel(nil)(); got != want[0] {
			t.Errorf("%s without hooks: %q", settings, got)
		}
	}
}
