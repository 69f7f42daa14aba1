package agent

import "context"

// recovery repairs one kind of problem of a turn.
type recovery interface {
	// sees reports whether the turn's last attempt has the problem.
	sees(t *turn) bool
	// repairs changes the turn, or the history, and returns how the run goes on. An error ends the
	// prompt.
	repairs(ctx context.Context, t *turn) (remedy, error)
}

// remedy is how a run goes on after a recovery.
type remedy int

const (
	stand    remedy = iota // with the turn as it is: later recoveries examine it, then its response stands
	resend                 // with another attempt: the turn's message is sent again
	nextTurn               // with another turn, which begins with the turn's message
)

// newRecoveries returns the recoveries of a prompt, in the order in which they examine a turn.
func newRecoveries(q *requester, b *budget, edits *failedEdits, loops *loopBreaker) []recovery {
	return []recovery{
		overflow{fitter{q}},
		refusedMedia{q},
		standIn{q},
		cutOff{q},
		&unusable{q, b},
		&unfinished{requester: q},
		edits,
		loops,
	}
}

// repair lets the recoveries that see a problem of the turn's last attempt repair it, until one of
// them changes how the run goes on. It returns the error of the attempt if none does.
func (r *run) repair(ctx context.Context, t *turn) (remedy, error) {
	for _, rec := range r.recoveries {
		if !rec.sees(t) {
			continue
		}
		if how, err := rec.repairs(ctx, t); how != stand || err != nil {
			return how, err
		}
	}
	return stand, t.err
}

// budget limits the requests that one prompt causes without a tool call or a person.
type budget struct {
	continuations int  // number that is left, see maxRequests
	hasRecovered  bool // one loop or unusable response was repaired
}

// spend takes one continuation and reports whether there was one.
func (b *budget) spend() bool {
	if b.continuations == 0 {
		return false
	}
	b.continuations--
	return true
}

// spendOnce takes the one continuation for a loop or an unusable response and reports whether there
// was one.
func (b *budget) spendOnce() bool {
	if b.hasRecovered || !b.spend() {
		return false
	}
	b.hasRecovered = true
	return true
}
