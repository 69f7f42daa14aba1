package agent

import (
	"cmp"
	"context"

	"pollux/llm"
)

// standIn has another model answer from now on if the last response of this one broke off, or ended
// without a finish reason.
type standIn struct{ *requester }

func (s standIn) sees(t *turn) bool {
	return t.problem != nil && t.isLast && s.cfg.StandIn != nil && (t.err != nil || t.problem.Type == noFinishReason)
}

func (s standIn) repairs(_ context.Context, t *turn) (remedy, error) {
	err := cmp.Or(t.err, error(&llm.Error{Kind: llm.KindIncomplete, Message: t.problem.Message}))
	if !s.cfg.StandIn(s.model, s.promptID, err) {
		return stand, nil
	}
	t.attempt = 0
	return resend, s.discard(t, Retried{Cause: *t.problem})
}
