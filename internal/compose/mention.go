package compose

import (
	"context"
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/internal/mention"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/llm"
	"pollux/tool"
)

// Attach adds the files that the texts of a prompt mention, as [Composer.Expand] does. Shown is set if there are any.
func (c *Composer) Attach(ctx context.Context, p agent.Prompt) (agent.Prompt, error) {
	attached := agent.Prompt{ID: p.ID, Trace: p.Trace}
	known := mention.Known{IsAgent: c.parts.Agents.Has, Resources: c.parts.Servers.Resources(), Seen: c.parts.Seen}
	ctx = tool.WithConversation(ctx, c.parts.Agent.Conversation())
	for _, part := range p.Parts {
		if !part.IsText() {
			attached.Parts = append(attached.Parts, part)
			continue
		}
		if err := c.permit(ctx, mention.Outside(c.parts.Workspace, part.Text, known)); err != nil {
			return agent.Prompt{}, err
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

// permit asks the person whether the model may read these files, which are outside of the workspace. The error is that of ctx.
func (c *Composer) permit(ctx context.Context, files []string) error {
	o := c.parts.Project.Options
	if len(files) == 0 || o.Asker == nil || !o.Interactive {
		return nil
	}
	const yes = "Yes"
	var list strings.Builder
	for _, path := range files {
		list.WriteString("\n- " + terminal.Line(c.parts.Project.Paths.Display(path)))
	}
	answer, err := person.Choose(ctx, o.Asker, person.Choice{
		Header: "Files",
		Text:   "The following files are outside your workspace:" + list.String() + "\n\nDo you want to allow this read?",
		Options: []tool.Option{
			{Key: "y", Label: yes, Description: "in this session; the model cannot change them"},
			{Key: "n", Label: "No", Description: "the prompt is sent without them"},
		},
	})
	if err != nil || answer != yes {
		return err
	}
	for _, path := range files {
		c.parts.Workspace.Permit(path)
	}
	return nil
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
		if m.IsResource {
			text = fmt.Sprintf("Warning: No MCP resource %s: sent as text. /mcp lists the servers and their resources.", m.Name)
		}
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
		p.Options.Notify(p.Paths.DisplayText(text))
		return
	}
	p.Log.Debug(text)
}
