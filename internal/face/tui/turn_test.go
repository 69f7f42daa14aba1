package tui

import (
	"testing"

	"pollux/agent"
)

// TestPhase checks when a command can wait for the end of a run: once the last response is whole, or the person has cancelled the run.
func TestPhase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		begins phase
		events []agent.Event // nil is a cancellation by the person
		want   phase
		closes bool
	}{
		{"no run", ended, []agent.Event{agent.TurnStarted{}, agent.ToolRequested{}, nil}, ended, true},
		{"a run", answering, nil, answering, false},
		{"an answer", answering, []agent.Event{agent.TurnStarted{}, agent.Text{}, agent.Finished{}}, answered, true},
		{"a call", answering, []agent.Event{agent.TurnStarted{}, agent.ToolRequested{}, agent.Finished{}}, calling, false},
		{"an answer after a call", answering, []agent.Event{agent.ToolRequested{}, agent.Finished{}, agent.TurnStarted{}, agent.Finished{}}, answered, true},
		{"a hook wants more", answering, []agent.Event{agent.Finished{}, agent.TurnStarted{}}, answering, false},
		{"a cancellation", answering, []agent.Event{nil, agent.TurnStarted{}, agent.ToolRequested{}}, cancelled, true},
	} {
		p := c.begins
		for _, e := range c.events {
			if e == nil {
				p.cancel()
			} else {
				p.follow(e)
			}
		}
		if p != c.want || p.isClosing() != c.closes {
			t.Errorf("%s: phase %d, and a command can wait: %v", c.name, p, p.isClosing())
		}
	}
}
