package assembly

import (
	"context"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// TestLoopQuestion checks that only one answer of a person turns off the detection of loops, for the agents of the session, and
// that a script asks nothing.
func TestLoopQuestion(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers []string
		isOver  bool // the run was cancelled
		goesOn  bool
	}{
		"keep":      {answers: []string{keepLoops}},
		"no answer": {},
		"cancelled": {answers: []string{allowLoops}, isOver: true},
		"disable":   {answers: []string{allowLoops}, goesOn: true},
	} {
		p := projecttest.New(t, `{}`)
		who, noted := &projecttest.Person{}, ""
		who.Answer(tt.answers...)
		p.Options.Asker, p.Options.Interactive, p.Options.Notify = who, true, func(text string) { noted += text }
		b := &Builder{Project: p}
		ctx, cancel := context.WithCancel(t.Context())
		if tt.isOver {
			cancel()
		}
		if got := b.LoopQuestion()(ctx, agent.Loop{}); got != tt.goesOn || b.loopsAllowed.Load() != tt.goesOn || strings.HasPrefix(noted, "Loop detection has been disabled for this session.") != tt.goesOn {
			t.Errorf("%s: goes on %v, allowed %v, noted %q", name, got, b.loopsAllowed.Load(), noted)
		}
		cancel()
	}
	for name, change := range map[string]func(*project.Options){
		"no person": func(o *project.Options) { o.Interactive, o.Asker = true, nil },
		"a script":  func(o *project.Options) { o.Interactive, o.Asker = false, &projecttest.Person{} },
	} {
		p := projecttest.New(t, `{}`)
		change(&p.Options)
		if (&Builder{Project: p}).LoopQuestion() != nil {
			t.Errorf("%s: there is a question", name)
		}
	}
}
