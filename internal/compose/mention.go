package compose

import (
	"context"
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/internal/mention"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// attach adds the files that the texts of a prompt mention. Shown is set if there are any.
func (c *Composer) attach(ctx context.Context, p agent.Prompt) (agent.Prompt, error) {
	attached := agent.Prompt{ID: p.ID}
	known := mention.Known{IsAgent: c.parts.Agents.Has, Resources: c.parts.Servers.Resources(), Seen: c.parts.Seen}
	ctx = tool.WithConversation(ctx, c.parts.Agent.Conversation())
	for _, part := range p.Parts {
		if !part.IsText() {
			attached.Parts = append(attached.Parts, part)
			continue
		}
		e, err := mention.Expand(ctx, c.parts.Workspace, part.Text, c.parts.Agent.Room, known)
		if err != nil {
			return agent.Prompt{}, err
		}
		report(c.parts.Project, e)
		attached.Parts = append(attached.Parts, e.Parts...)
		if text := c.parts.Memory.Discover(e.Files...); text != "" {
			attached.Parts = append(attached.Parts, llm.Text(text))
		}
		if len(e.Files) > 0 {
			attached.Shown = p.Text()
		}
	}
	return attached, nil
}

// report shows which files a prompt has and which it has not, and which names that look like files are none.
func report(p *project.Project, e mention.Expansion) {
	for _, skipped := range e.Skipped {
		p.Warn("Warning: " + terminal.Line(fmt.Sprintf("Cannot attach @%s: %s.", skipped.Path, skipped.Reason)))
	}
	for _, cut := range e.Cut {
		p.Warn("Warning: " + terminal.Line(fmt.Sprintf("@%s is too long for the context window. The prompt contains %s; the model can read the rest.", cut.Path, cut.Reason)))
	}
	for _, m := range e.Missing {
		text := fmt.Sprintf("Warning: No file %s: sent as text.", m.Name)
		if m.Near != "" {
			text += fmt.Sprintf(" Did you mean %s?", m.Near)
		}
		p.Warn(terminal.Line(text))
	}
	var list []string
	for _, a := range e.Attached {
		list = append(list, a.Name+" ("+a.Size+")")
	}
	if len(list) == 0 {
		return
	}
	const most = 5
	if n := len(list) - most; n > 0 {
		list = append(list[:most], fmt.Sprintf("%d more", n))
	}
	text := terminal.Line("Attached: " + strings.Join(list, ", "))
	if p.Options.Interactive {
		p.Warn(text)
		return
	}
	p.Log.Debug(text)
}
