package agent

import (
	"context"

	"pollux/llm"
)

// unusable repairs a complete response without a text or a call: it requests another one, and if
// no attempt is left, asks the model to continue, if [Config.ContinueInvalid] is set.
type unusable struct {
	*requester
	budget *budget
}

func (u *unusable) sees(t *turn) bool { return t.problem != nil && t.err == nil }

func (u *unusable) repairs(ctx context.Context, t *turn) (remedy, error) {
	if !t.isLast {
		return u.retry(ctx, t)
	}
	if err := u.out.emit(*t.problem); err != nil {
		return stand, err
	}
	m := &t.message
	next := outgoing{content: llm.User(llm.Text("System: Please continue."))}
	if u.drops(t) {
		u.conv.leave(ctx, m)
		next.isPrompt, next.id, next.joined = m.isPrompt, m.id, m.joined
	}
	if !u.cfg.ContinueInvalid || !u.budget.spendOnce() {
		return stand, errOver
	}
	*m = next
	return nextTurn, nil
}

// drops reports whether the message of the turn leaves the history: a prompt that the vendor has blocked, which would be
// blocked again, or any prompt if [Config.DropInvalidPrompts] is set. Results are true in any case.
func (u *unusable) drops(t *turn) bool {
	return !t.message.content.HasFunctionResponse() && (u.cfg.DropInvalidPrompts || t.reply.blocked != "")
}
