package agent

import (
	"cmp"
	"slices"
	"strings"

	"pollux/llm"
)

// Steer adds a prompt to the next request of the run in progress, for example text that a
// person types while the model works, or the result of work in the background. The prompt
// follows the tool results of that request, if it has any. A [Joined] event reports it. A run
// does not end by itself while a prompt waits.
//
// A prompt that comes too late, or whose request got no response, waits for the next run: its
// parts then precede those of that run's own prompt. [Agent.Withdraw] takes waiting prompts
// back, [Agent.Restart] drops them. The prompt's ID is not used.
//
// Steer may be called at any time, from any goroutine.
func (a *Agent) Steer(p Prompt) {
	a.conv.mu.Lock()
	defer a.conv.mu.Unlock()
	a.conv.waiting = append(a.conv.waiting, p)
}

// Withdraw removes the waiting prompts of [Agent.Steer] and returns them in the order in which
// they were added, except for notices. It may be called at any time, from any goroutine.
func (a *Agent) Withdraw() (withdrawn []Prompt) {
	a.conv.mu.Lock()
	defer a.conv.mu.Unlock()
	var notices []Prompt
	for _, p := range a.conv.waiting {
		if p.IsNotice {
			notices = append(notices, p)
		} else {
			withdrawn = append(withdrawn, p)
		}
	}
	a.conv.waiting = notices
	return withdrawn
}

// returnWaiting inserts prompts before the waiting ones.
func (c *conversation) returnWaiting(prompts []Prompt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = slices.Concat(prompts, c.waiting)
}

func (c *conversation) takeWaiting() []Prompt {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.waiting
	c.waiting = nil
	return waiting
}

func (c *conversation) hasWaiting() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting) > 0
}

// joinWaiting adds the waiting prompts to the next message, which may be empty.
func (r *run) joinWaiting(m *outgoing) error {
	waiting := r.conv.takeWaiting()
	if len(waiting) == 0 {
		return nil
	}
	m.joined = append(m.joined, waiting...)
	var parts []llm.Part
	var shown []string
	for _, p := range waiting {
		parts = append(parts, p.Parts...)
		if !p.IsNotice {
			shown = append(shown, p.Text())
		}
	}
	switch {
	case m.content == nil:
	case m.content.HasFunctionResponse(): // function responses must come first
		parts = slices.Concat(m.content.Parts, parts)
	default:
		parts = slices.Concat(parts, m.content.Parts)
		shown = append(shown, cmp.Or(m.shown, m.content.Text()))
	}
	m.content, m.shown = llm.User(parts...), strings.Join(shown, "\n\n")
	for _, p := range waiting {
		if err := r.out.emit(Joined{p}); err != nil {
			return err
		}
	}
	return nil
}
