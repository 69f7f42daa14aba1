package acp

import (
	"context"

	"pollux/agent"
	"pollux/internal/face/acp/schema"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/tool"
)

// askTrust asks the person, once before the first turn, whether they trust a folder about which they have not decided. A
// client that names a folder has not decided for them. If they do, the session opens again with all that the folder brings.
func (c *chat) askTrust(t *turn) error {
	c.mu.Lock()
	isDecided := c.isDecided
	c.isDecided = true
	c.mu.Unlock()
	if isDecided {
		return nil
	}
	p := c.current().live.Project
	if state, err := p.DecideTrust(); err != nil || state != trust.Unknown {
		return err
	}
	level, err := project.AskTrust(t.ctx, &trustAsker{c}, p.TrustOptions(), p.Options.Env, p.MemoryNames(), nil)
	switch {
	case err != nil:
		return err
	case level == "":
		return nil // a warning of the start explains that
	}
	return c.reopen(t.ctx)
}

// trustAsker asks about trust in a folder. No is an answer for this session.
type trustAsker struct{ chat *chat }

const trustID = "trust-folder"

// Ask implements [person.Asker].
func (a *trustAsker) Ask(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
	q := details.(*tool.QuestionConfirmation).Questions[0]
	card := schema.Call{
		ID: trustID, Title: "Trust the folder " + a.chat.place.dir, Tool: schema.ToolOther, Status: schema.Pending,
		Content: []schema.CallContent{schema.Show(q.Text)}, Locations: []schema.Location{{Path: a.chat.place.dir}},
	}
	chosen, err := a.chat.choose(ctx, card, []schema.Permission{
		{ID: "trust", Name: "Trust this folder", Kind: schema.AllowAlways},
		{ID: string(tool.Cancel), Name: "Not now", Kind: schema.RejectOnce},
	})
	if err != nil || chosen != "trust" {
		return tool.Answer{Outcome: tool.Cancel}, err
	}
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": q.Options[0].Label}}}, nil
}

// Approve implements [person.Asker].
func (*trustAsker) Approve(context.Context, *agent.Question) (tool.Answer, error) {
	return tool.Answer{Outcome: tool.Cancel}, nil
}
