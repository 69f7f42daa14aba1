// Package compose makes the prompts of the model from those that a person types: it adds the files that they mention,
// the news of MCP servers and the text of hooks, and makes the prompts of custom commands and skills. Nothing of it
// knows a session.
//
//   - mention.go adds mentioned files.
//   - command.go has custom commands and skills.
//   - input.go fits the standard input of a program.
package compose

import (
	"context"
	"slices"
	"sync"

	"pollux/agent"
	"pollux/internal/agents"
	"pollux/internal/hooks"
	"pollux/internal/memory"
	"pollux/internal/models"
	"pollux/internal/owncalls"
	"pollux/internal/project"
	"pollux/internal/record"
	"pollux/internal/servers"
	"pollux/internal/tools/file"
	"pollux/internal/workspace"
	"pollux/llm"
)

// Parts are the parts of a session that prompts use.
type Parts struct {
	Project   *project.Project
	Workspace *workspace.Workspace
	Memory    *memory.Memory
	Models    *models.Directory
	Outputs   *record.Outputs
	Servers   *servers.Servers
	Agents    *agents.Agents
	Hooks     *hooks.Hooks
	Calls     *owncalls.Calls
	Agent     *agent.Agent
	// Seen learns the files that prompts mention.
	Seen *file.Seen
	// Opening returns the message that opens the conversation, as it is now.
	Opening func() agent.Message
	// Refresh updates the active tools and the system instruction.
	Refresh func()
}

// Composer makes the prompts of a session.
type Composer struct {
	parts     Parts
	expanding sync.Mutex // held while a prompt is completed, of a run or during one
}

// New returns the composer of a session with these parts.
func New(p Parts) *Composer { return &Composer{parts: p} }

// Expand completes a prompt for the model: with the files that it mentions unless it has Shown, and the additions of
// hooks and servers. It may be called during a run. The error is that of a file, of a model that cannot be reached,
// or of ctx.
func (c *Composer) Expand(ctx context.Context, p agent.Prompt) (agent.Prompt, error) {
	c.expanding.Lock()
	defer c.expanding.Unlock()
	if err := c.parts.Models.Unreachable(); err != nil {
		return agent.Prompt{}, err
	}
	c.parts.Servers.Await(ctx)
	if c.parts.Agents.AwaitCards(ctx) {
		c.parts.Refresh()
	}
	if p.Shown == "" {
		var err error
		if p, err = c.Attach(ctx, p); err != nil {
			return agent.Prompt{}, err
		}
	}
	p.ID = c.parts.Agent.NewPromptID()
	c.parts.Hooks.AddStartContext(&p)
	c.addServerNews(ctx, &p)
	return p, nil
}

// addServerNews gives the model the instructions of the servers, if they have changed: in the message that opens the
// conversation if there was no prompt yet, else with the prompt p. The prompt also names outdated resources, and servers that are
// connected again.
func (c *Composer) addServerNews(ctx context.Context, p *agent.Prompt) {
	news := c.parts.Servers.TakeNews()
	for _, note := range []string{news.Outdated, news.Returned} {
		if note != "" {
			p.Parts = append(p.Parts, llm.Text(note))
		}
	}
	switch {
	case !news.HasChanged:
	case !slices.ContainsFunc(c.parts.Agent.History(), func(m agent.Message) bool { return m.IsPrompt }):
		c.parts.Agent.ReplaceContext(ctx, []agent.Message{c.parts.Opening()})
	case news.Instructions != "":
		p.Parts = append(p.Parts, llm.Text(news.Instructions))
	}
}
