// Package pollux embeds the Pollux agent in a Go program.
//
// An [Agent] holds one conversation. [Agent.Run] sends a prompt to the model, runs
// the tools that the model calls, and returns the events of the run:
//
//	a, err := pollux.New(ctx, pollux.Options{Dir: "."})
//	if err != nil {
//		return err
//	}
//	defer a.Close()
//	for event, err := range a.Run(ctx, pollux.Prompt{Text: "Explain this project"}) {
//		if err != nil {
//			return err
//		}
//		if text, ok := event.(agent.Text); ok {
//			fmt.Print(text.Text)
//		}
//	}
//
// A program may have many agents at once, each with a directory, a model and tools of its own.
//
// Package agent defines the events and how to answer them. To add a tool, call tool.Func or
// implement tool.Tool; to use another model, implement llm.Generator. The directory examples
// has programs to start from.
package pollux

import (
	"context"
	"errors"
	"iter"
	"sync"

	"pollux/agent"
	"pollux/internal/session"
)

// Agent holds one conversation with a model. Its methods may be called from any
// goroutine.
type Agent struct {
	session *session.Session
	working chan struct{} // holds a value during a run, during a change between runs, and after Close

	closing context.Context // ends with Close
	cancel  context.CancelCauseFunc
	closed  sync.Once
}

// ErrClosed is the error of the methods of an [Agent] after [Agent.Close].
var ErrClosed = errors.New("the agent is closed")

// New returns an agent with an empty conversation, or with the one that the options resume.
// It trusts the working directory only if the options say so. It returns an error if a setting
// or an option is invalid, if credentials for the model are missing, or if ctx ends before the
// agent is ready; ctx does not end the agent later. Call [Agent.Close] when the agent is no
// longer needed.
func New(ctx context.Context, o Options) (*Agent, error) {
	options, err := o.session()
	if err != nil {
		return nil, err
	}
	a := &Agent{working: make(chan struct{}, 1)}
	a.closing, a.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { a.cancel(context.Cause(ctx)) })
	a.session, err = session.Open(a.closing, options)
	isLate := !stop()
	switch {
	case isLate && err == nil:
		a.session.Close()
		return nil, context.Cause(ctx)
	case isLate:
		return nil, context.Cause(ctx)
	case err != nil:
		a.cancel(nil)
		return nil, openError(o, err)
	}
	return a, nil
}

// Run sends a prompt to the model, with the files that its text names with "@", and
// runs tool calls until the model makes no more of them. See [agent.Agent.Run] for the
// events and the errors. A run waits for the run in progress to end.
func (a *Agent) Run(ctx context.Context, p Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		prompt, err := p.agentPrompt()
		if err == nil {
			err = a.acquire(ctx)
		}
		switch {
		case err != nil && ctx.Err() != nil:
			yield(agent.Cancelled{}, nil)
			return
		case err != nil:
			yield(nil, err)
			return
		}
		defer a.release()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(a.closing, func() { cancel(ErrClosed) })()
		a.session.Run(ctx, prompt)(yield)
	}
}

// Steer adds a prompt to the next request of the run in progress, or to the next run if there
// is none. The event [agent.Joined] reports that the model gets it. After an error, such as that
// of a file that cannot be read, nothing was added.
func (a *Agent) Steer(ctx context.Context, p Prompt) error {
	if a.closing.Err() != nil {
		return ErrClosed
	}
	prompt, err := p.agentPrompt()
	if err != nil {
		return err
	}
	return a.session.Steer(ctx, prompt)
}

// Model returns the name of the model that answers, as requests contain it.
func (a *Agent) Model() string { return a.session.Models.Current().Model }

// SetModel chooses the model of the next runs by its name or its alias. It waits for the run in
// progress to end, so the loop over the events of that run must not call it. After an error the
// model is the same as before.
func (a *Agent) SetModel(ctx context.Context, name string) error {
	if err := a.acquire(ctx); err != nil {
		return err
	}
	defer a.release()
	_, err := a.session.SetModel(name)
	return err
}

// History returns the conversation so far.
func (a *Agent) History() []agent.Message { return a.session.History() }

// Close ends the run in progress and the background processes of the agent, and releases its
// resources. It waits until the run has ended, so the loop over its events must not call it.
func (a *Agent) Close() {
	a.closed.Do(func() {
		a.cancel(ErrClosed)
		a.working <- struct{}{}
		a.session.Close()
	})
}

// acquire waits until no run is in progress. The error is that of ctx, or [ErrClosed].
func (a *Agent) acquire(ctx context.Context) error {
	select {
	case a.working <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-a.closing.Done():
		return ErrClosed
	}
	if a.closing.Err() != nil {
		a.release()
		return ErrClosed
	}
	return nil
}

// release lets the next run acquire the agent.
func (a *Agent) release() { <-a.working }
