package acp

import (
	"context"

	"pollux/internal/face/acp/schema"
	"pollux/internal/face/kit"
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
	level, err := project.AskTrust(t.ctx, kit.AskFunc(c.chooseTrust), p.TrustOptions(), p.Options.Env, p.MemoryNames(), nil)
	switch {
	case err != nil:
		return err
	case level == "":
		return nil // a warning of the start explains that
	}
	return c.reopen(t.ctx)
}

const trustID = "trust-folder"

// chooseTrust asks about trust in a folder. No is an answer for this session.
func (c *chat) chooseTrust(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
	q := details.(*tool.QuestionConfirmation).Questions[0]
	card := schema.Call{
		ID: trustID, Title: "Trust the folder " + c.place.dir, Tool: schema.ToolOther, Status: schema.Pending,
		Content: []schema.CallContent{schema.Show(q.Text)}, Locations: []schema.Location{{Path: c.place.dir}},
	}
	chosen, err := c.choose(ctx, card, []schema.Permission{
		{ID: "trust", Name: "Trust this folder", Kind: schema.AllowAlways},
		{ID: string(tool.Cancel), Name: "Not now", Kind: schema.RejectOnce},
	})
	if err != nil || chosen != "trust" {
		return tool.Answer{Outcome: tool.Cancel}, err
	}
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": q.Options[0].Label}}}, nil
}
