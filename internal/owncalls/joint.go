package owncalls

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"pollux/agent"
	"pollux/internal/guard/reach"
	"pollux/tool"
)

// join returns one confirmation for several commands. It offers the lasting answers that are possible for
// each of them.
func (own *Calls) join(list []*agent.Question) *tool.ExecConfirmation {
	all := &tool.ExecConfirmation{}
	var commands []string
	for i, q := range list {
		c := q.Details().(*tool.ExecConfirmation)
		commands = append(commands, c.Command)
		all.Roots = append(all.Roots, c.Roots...)
		all.UntrustedFlags = append(all.UntrustedFlags, c.UntrustedFlags...)
		all.ModifiedBuildFiles = append(all.ModifiedBuildFiles, c.ModifiedBuildFiles...)
		all.IsChanged = all.IsChanged || c.IsChanged
		if c.IsRequired && (!all.IsRequired || all.Message == "") {
			all.IsRequired, all.Message = true, c.Message
		}
		if i == 0 || all.IsUsual && !c.IsUsual {
			all.Reason, all.IsUsual = c.Reason, c.IsUsual
		}
		all.Offers = joinOffers(all.Offers, c.Offers, i == 0)
	}
	all.Command = strings.Join(commands, "\n")
	all.Reach = reach.Of(reach.Call{Command: all.Command, Dir: own.parts.Workspace.Root(), Inside: own.parts.Workspace.Contains})
	return all
}

// joinOffers returns the lasting answers that are in both lists, or next if it is the first list.
func joinOffers(list, next []tool.Offer, isFirst bool) (both []tool.Offer) {
	if isFirst {
		return slices.Clone(next)
	}
	for _, o := range list {
		i := slices.IndexFunc(next, func(other tool.Offer) bool { return other.Outcome == o.Outcome })
		if i < 0 {
			continue
		}
		if !slices.Contains(strings.Split(o.Rule, "; "), next[i].Rule) {
			o.Rule += "; " + next[i].Rule
		}
		o.Runners = append(slices.Clone(o.Runners), next[i].Runners...)
		both = append(both, o)
	}
	return both
}

// jointQuestion is a question about several calls, which is asked once all calls wait for it or are decided
// without it.
type jointQuestion struct {
	ask func(context.Context, []*agent.Question) (tool.Answer, error)

	mu        sync.Mutex
	undecided int               // calls of which it is not known whether they need the question
	asked     []*agent.Question // by call, nil for those that do not need it
	done      chan struct{}     // closed when the answer is there
	answer    tool.Answer
	err       error
}

// wait asks about call i, and returns the answer to the question about all calls.
func (q *jointQuestion) wait(ctx context.Context, i int, one *agent.Question) (tool.Answer, error) {
	if _, ok := one.Details().(*tool.ExecConfirmation); !ok {
		return tool.Answer{}, errors.New("not a question about a shell command")
	}
	q.settle(ctx, func() { q.asked[i] = one })
	<-q.done
	return q.answer, q.err
}

// decided records that call i is decided. It must be called once for each call.
func (q *jointQuestion) decided(ctx context.Context, i int) {
	q.mu.Lock()
	wasAsked := q.asked[i] != nil
	q.mu.Unlock()
	if !wasAsked {
		q.settle(ctx, func() {})
	}
}

// settle records the question about one more call, if it has one, and asks the joint question after the last call.
func (q *jointQuestion) settle(ctx context.Context, record func()) {
	q.mu.Lock()
	record()
	q.undecided--
	isLast := q.undecided == 0
	q.mu.Unlock()
	if !isLast {
		return
	}
	defer close(q.done)
	list := slices.DeleteFunc(slices.Clone(q.asked), func(one *agent.Question) bool { return one == nil })
	if len(list) > 0 {
		q.answer, q.err = q.ask(ctx, list)
	}
}
