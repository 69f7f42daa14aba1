package assembly

import (
	"context"

	"pollux/agent"
	"pollux/internal/person"
	"pollux/tool"
)

// The answers to the question about a loop, as in Gemini CLI.
const (
	keepLoops  = "Keep loop detection enabled"
	allowLoops = "Disable loop detection for this session"
)

// LoopQuestion returns [agent.Config.AtLoop]: the question whether the model may go on, nil if there is no one to ask. The
// answer can turn off the detection of loops, for all agents and as long as the session.
func (b *Builder) LoopQuestion() func(context.Context, agent.Loop) bool {
	o := b.Project.Options
	if o.Asker == nil || !o.Interactive {
		return nil
	}
	return func(ctx context.Context, _ agent.Loop) bool {
		answer, err := person.Choose(ctx, o.Asker, person.Choice{
			Header: "A potential loop was detected",
			Text:   "This can happen when the model repeats its tool calls or its text. Do you want to keep loop detection enabled?",
			Options: []tool.Option{
				{Label: keepLoops, Description: "the work on this prompt ends"},
				{Label: allowLoops, Description: "the model goes on"},
			},
			Help: "Pollux has warned the model once, and it repeats itself again. Each round costs a request.",
		})
		if err != nil || answer != allowLoops {
			return false
		}
		b.loopsAllowed.Store(true)
		o.Notify("Loop detection has been disabled for this session. Retrying request...")
		return true
	}
}
