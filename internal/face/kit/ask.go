package kit

import (
	"cmp"
	"context"
	"math"
	"slices"

	"pollux/agent"
	"pollux/internal/companion"
	"pollux/internal/crash"
	"pollux/internal/person"
	"pollux/internal/subagent"
	"pollux/tool"
)

var _ person.Asker = (*Driver)(nil)

// inquiry is a confirmation that waits for the answer of the person.
type inquiry struct {
	details  tool.Confirmation
	about    *agent.Question // nil if the question is not about tool calls
	answer   func(tool.Answer)
	done     <-chan struct{} // closed when the asker needs no answer
	isOfCall bool            // a call of the model asks
	isNested bool            // the model of an agent in a call asks
	agent    string          // name of that agent
	call     *agent.ToolCall // that asks, nil if none does
	within   []*agent.ToolCall
	// following is the number of questions that come right after this one.
	following int
	place     int       // among the questions that wait: that of the call in the run
	shown     *Question // nil until it is asked
	cancel    context.CancelFunc
	diff      *companion.Diff // of the change in the person's editor, nil for none
}

// Ask asks the person a question that is not about a tool call, from a / command or during sign-in. It is a [tool.Ask].
// Questions are asked one after the other. Ask returns an error if ctx or the driver ends before the answer.
func (d *Driver) Ask(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
	return d.ask(ctx, &inquiry{details: details})
}

// Approve implements [person.Asker].
func (d *Driver) Approve(ctx context.Context, q *agent.Question) (tool.Answer, error) {
	return d.ask(ctx, &inquiry{about: q, details: q.Details()})
}

// ask asks a question that is not about a call of the model.
func (d *Driver) ask(ctx context.Context, q *inquiry) (tool.Answer, error) {
	answers := make(chan tool.Answer, 1)
	q.done, q.place = ctx.Done(), math.MaxInt
	q.answer = func(a tool.Answer) {
		select {
		case answers <- a:
		default: // already answered
		}
	}
	d.do(func() { d.addQuestion(q) })
	select {
	case a := <-answers:
		return a, nil
	case <-ctx.Done():
		return tool.Answer{}, context.Cause(ctx)
	case <-d.done:
		return tool.Answer{}, ErrOver
	}
}

func (d *Driver) addCallQuestion(e agent.ToolAsked) {
	q := &inquiry{isOfCall: true, about: e.Question, details: e.Question.Details(), answer: e.Answer, following: e.Following, done: e.Done, call: e.Call, within: e.Within}
	first := e.Call
	if q.isNested = len(e.Within) > 0; q.isNested {
		first = e.Within[0]
		q.agent = cmp.Or(subagent.NameOf(first), first.Name)
	}
	if q.place = slices.Index(d.calls, first.ID); q.place < 0 {
		q.place = len(d.calls)
	}
	d.addQuestion(q)
}

// addQuestion queues a question. Questions that follow one another, or arrive within batchWindow, are asked in
// the order of the model's calls, numbered as one batch.
func (d *Driver) addQuestion(q *inquiry) {
	if d.inputEnded {
		q.answer(tool.Answer{Outcome: tool.Cancel, Unattended: true})
		d.emit(Notice{"The input has ended: the answer is no."})
		return
	}
	if q.isOfCall && q.done != nil {
		go func() {
			defer crash.Recover()
			select {
			case <-q.done: // by an answer, or because the call has ended
				d.do(d.dropSettled)
			case <-d.done:
			}
		}()
	}
	d.pending = append(d.pending, q)
	slices.SortStableFunc(d.pending, func(a, b *inquiry) int { return cmp.Compare(a.place, b.place) })
	switch {
	case d.open != nil:
	case q.following > 0:
		d.batch.Stop()
	default:
		d.batch.Reset(batchWindow)
	}
}

func (d *Driver) askNext() {
	d.dropSettled()
	if d.open != nil || len(d.pending) == 0 {
		return
	}
	q := d.pending[0]
	d.pending = d.pending[1:]
	d.asked++
	if q.shown = NewQuestion(q.details, q.isOfCall, d.current()); q.shown == nil { // of an unknown kind
		d.settle(q, tool.Answer{Outcome: tool.Cancel})
		return
	}
	q.shown.Number, q.shown.Count, q.shown.Agent = d.asked, d.asked+len(d.pending), q.agent
	q.shown.Call, q.shown.Within = q.call, q.within
	q.shown.ctx, q.cancel = context.WithCancel(d.ctx)
	d.open = q
	d.showInEditor(q)
	d.emit(Asked{q.shown})
}

// settle answers a question and asks the next one. A stopped driver answers nothing: no person has closed the question.
func (d *Driver) settle(q *inquiry, a tool.Answer) {
	if q == d.open {
		d.open = nil
		q.cancel()
		d.leaveEditor(q)
	}
	if d.ctx.Err() == nil {
		q.answer(a)
	}
	if len(d.pending) > 0 {
		d.batch.Reset(0)
	} else {
		d.asked = 0 // later questions are a new batch
	}
}

// dismiss refuses all questions. That is no answer of the person to those of calls that run, and wait for something else than approval.
func (d *Driver) dismiss() {
	no := func(q *inquiry) tool.Answer {
		info, ok := q.details.(*tool.InfoConfirmation)
		return tool.Answer{Outcome: tool.Cancel, Unattended: d.inputEnded || ok && info.IsWaiting}
	}
	for _, q := range d.pending {
		q.answer(no(q))
	}
	d.pending = nil
	if d.open != nil {
		d.settle(d.open, no(d.open))
	}
	d.batch.Stop()
}

// isDone reports whether the asker needs no answer any more.
func (q *inquiry) isDone() bool {
	select {
	case <-q.done:
		return true
	default:
		return false
	}
}

// dropSettled removes the questions that are cancelled or that the rules allow by now, the open one included.
func (d *Driver) dropSettled() {
	d.pending = slices.DeleteFunc(d.pending, func(q *inquiry) bool { return q.isDone() || d.settleAllowed(q) })
	switch {
	case d.open == nil:
	case d.open.isDone():
		d.settle(d.open, tool.Answer{Outcome: tool.Cancel, Unattended: true})
	default:
		d.settleAllowed(d.open)
	}
}

// settleAllowed answers a question if the current rules allow the calls that it is about, and reports whether they do.
func (d *Driver) settleAllowed(q *inquiry) bool {
	once, ok := q.details.(interface{ Once() bool })
	s := d.current()
	if !ok || once.Once() || s == nil || !q.isOfCall || q.isNested || !q.about.IsApproval() {
		return false // rules cannot allow the call
	}
	calls := q.about.About()
	if slices.ContainsFunc(calls, func(p *agent.PreparedCall) bool { return !s.Allows(p) }) {
		return false
	}
	yes := tool.Answer{Outcome: tool.ProceedOnce, ByRules: true}
	if q == d.open {
		d.settle(q, yes)
	} else {
		q.answer(yes)
	}
	d.emit(Settled{calls})
	return true
}
