package session

import (
	"context"
	"iter"

	"pollux/agent"
	"pollux/internal/record"
	"pollux/llm"
)

// Restore returns to a checkpoint, proposes its call again, and yields the events of the run that
// follows: see [agent.Agent.Redo]. A person is asked before the call runs.
func (s *Session) Restore(ctx context.Context, p record.Checkpoint) iter.Seq2[agent.Event, error] {
	if s.Record.Journal() == nil {
		return func(yield func(agent.Event, error) bool) { yield(nil, agent.ErrNoCall) }
	}
	return func(yield func(agent.Event, error) bool) {
		defer s.endTurn()
		records := s.Record.Calls()[p.Results]
		run := func(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
			return s.agent.Redo(ctx, agent.Proposal{Results: p.Results, CallID: p.CallID, Records: records, PromptID: prompt.ID})
		}
		prompt := agent.Prompt{ID: s.agent.NewPromptID(), Parts: []llm.Part{llm.Text("/restore " + p.Name)}}
		s.Observers.Records.Run(ctx, prompt, run)(yield)
	}
}

// TellUndone tells the model with the next prompt that a person has undone changes of these files.
func (s *Session) TellUndone(ctx context.Context, paths []string) {
	text := "I have undone the changes that were made to these files, so they are as they were before:"
	for _, path := range paths {
		text += "\n- " + s.Workspace.Display(path)
	}
	s.agent.AddMessage(ctx, agent.Message{Content: llm.User(llm.Text(text))})
}
