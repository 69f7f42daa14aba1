package assembly

import (
	"strings"
	"sync"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/models"
	"pollux/internal/project"
	"pollux/llm"
	"pollux/llm/fallback"
	"pollux/llm/quotation"
	"pollux/llm/replay"
	"pollux/llm/retry"
	"pollux/llm/texttool"
)

// Stack is the model of a session with its decorators.
type Stack struct {
	llm.Generator
	// Fallback finds models that stand in, nil where no provider answers.
	Fallback *fallback.Generator
	close    func()
}

// StackOptions configure a [Stack].
type StackOptions struct {
	// Observed is the models such that each request to them is recorded.
	Observed llm.Generator
	// Given is the index of the models' input. HasCalled reports whether a model has made calls in this conversation.
	Given     *quotation.Index
	HasCalled func(model string) bool
	// IsPlanning reports whether the session is planning just now.
	IsPlanning func() bool
	// Hooks returns the hooks around the requests of the model, nil for none. It is called while a prompt runs.
	Hooks func() agent.Hooks
	// Record is a file that answers are written to; "" for none.
	Record string
}

// NewStack stacks the model. Requests go from the outside in, so that a
// recording holds the answers that the agent saw, and each attempt is counted. The caller must close it.
func NewStack(p *project.Project, m *models.Directory, o StackOptions) (*Stack, error) {
	s := &Stack{Generator: m, close: func() {}}
	if m.Unreachable() != nil {
		return s, nil
	}
	s.Generator = o.Observed
	if m.HasProvider() {
		g := retry.Wrap(o.Observed, retry.Options{
			MaxAttempts: config.MaxAttempts.In(p.Settings()),
			FetchErrors: config.RetryFetchErrors.In(p.Settings()),
			// 0 would be the default of the package.
			InitialDelay: max(1, time.Duration(config.RetryDelay.In(p.Settings())*float64(time.Second))),
		})
		who := p.Options.Asker
		if !p.Options.Interactive {
			who = nil
		}
		s.Fallback = WithStandIns(p, m, WithToolCalls(p, m, g, texttool.Options{Given: o.Given, HasCalled: o.HasCalled}), o.IsPlanning, who)
		s.Generator = s.Fallback
	}
	if o.Record != "" {
		recorder, err := replay.Record(s.Generator, o.Record)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "cannot record responses: %w", err)
		}
		s.Generator, s.close = recorder, func() { _ = recorder.Close() } // every line is on disk already
	}
	s.Generator = agent.WithHooks(s.Generator, o.Hooks)
	return s, nil
}

// Close closes the recording.
func (s *Stack) Close() { s.close() }

// Callers finds the models that have made calls in a conversation that was read from a file. The generator learns
// that from answers. It is safe for concurrent use.
type Callers struct {
	// Messages returns the messages of the conversation.
	Messages func() []agent.Message

	mu     sync.Mutex
	first  *llm.Content // of the conversation
	models map[string]bool
}

// HasCalled reports whether a model has made calls in this conversation as its protocol has them.
func (c *Callers) HasCalled(model string) bool {
	messages := c.Messages()
	if len(messages) == 0 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := messages[0].Content; c.first != first { // another conversation than before
		c.first, c.models = first, map[string]bool{}
		for _, m := range messages {
			for _, call := range m.Content.FunctionCalls() {
				if !strings.Contains(call.ID, llm.TextCallID) {
					c.models[m.Model] = true
				}
			}
		}
	}
	return c.models[model]
}
