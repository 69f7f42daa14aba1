package cli

import (
	"context"
	"fmt"

	"pollux/agent"
	"pollux/internal/app"
	"pollux/internal/mention"
	"pollux/llm"
)

// expand puts the files that a prompt mentions into it.
func expand(ctx context.Context, a *app.App, text string) (p agent.Prompt, leftOut []string, err error) {
	if err := a.Reachable(); err != nil {
		return agent.Prompt{}, nil, err
	}
	asked, err := mention.Expand(ctx, a.Workspace, text)
	if err != nil {
		return agent.Prompt{}, nil, err
	}
	for _, skipped := range asked.Skipped {
		leftOut = append(leftOut, fmt.Sprintf("@%s was left out: %s.", skipped.Path, skipped.Reason))
	}
	p.Parts = asked.Parts
	if text := a.Memory.Discover(asked.Files...); text != "" {
		p.Parts = append(p.Parts, llm.Text(text))
	}
	if len(asked.Files) > 0 {
		p.Shown = text
	}
	return p, leftOut, nil
}
