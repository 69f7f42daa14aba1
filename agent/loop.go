package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

// loopBreaker warns a model that repeats itself: in its turns, in the text of a response, or in its
// calls. It warns once for each prompt; the second loop ends the run, and the first one if [Config.StopAtLoop] is set.
type loopBreaker struct {
	*requester
	budget *budget
	prompt string // its text, for the detector
	isOver bool   // a loop ends the run
}

func (l *loopBreaker) sees(t *turn) bool {
	return t.loop.Kind != "" || t.reply != nil && t.reply.loop.Kind != ""
}

// repairs adds a warning to the message of the turn. The text of a response that was cut off is
// void.
func (l *loopBreaker) repairs(ctx context.Context, t *turn) (remedy, error) {
	loop, isCut := t.loop, t.loop.Kind == ""
	if isCut {
		loop = t.reply.loop
		l.conv.leave(ctx, &t.message)
		l.spend(t.reply)
	}
	isWarned := !l.cfg.StopAtLoop && l.budget.spendOnce()
	switch {
	case isWarned || l.goesOn(ctx, loop):
	case ctx.Err() != nil:
		return stand, context.Cause(ctx)
	default:
		return stand, l.out.end(LoopDetected{Kind: loop.Kind})
	}
	if isCut {
		if err := l.out.emit(Retried{Cause: InvalidStream{"LOOP_DETECTED", loop.Detail}}); err != nil {
			return stand, err
		}
	}
	l.cfg.LoopDetector.Reset(l.prompt)
	if !isWarned {
		return nextTurn, nil
	}
	t.message.content = llm.User(append(slices.Clip(t.message.content.Parts), llm.Text(loopWarning(loop)))...)
	return nextTurn, nil
}

// goesOn reports whether the run goes on despite a loop. It asks at most once whether the run ends.
func (l *loopBreaker) goesOn(ctx context.Context, loop Loop) bool {
	l.isOver = l.isOver || l.cfg.AtLoop == nil || !l.cfg.AtLoop(ctx, loop)
	return !l.isOver
}

// checkTurn sets t.loop if the detector finds a loop in the turns so far.
func (q *requester) checkTurn(ctx context.Context, t *turn) error {
	if loop, found := q.cfg.LoopDetector.CheckTurn(ctx, q.conv.history.all); found {
		t.loop = loop
	}
	return nil
}

// checkCalls passes the calls of a response to the detector. A call that completes the first loop
// of a prompt does not run: its result is a warning. checkCalls sets t.loop if the model was warned
// in an earlier turn, or is not to be warned; no call of the response runs then.
func (l *loopBreaker) checkCalls(ctx context.Context, t *turn) {
	defer l.cfg.LoopDetector.Observe(Finished{})
	for _, call := range t.calls {
		loop, found := l.cfg.LoopDetector.Observe(ToolRequested{call})
		switch {
		case !found:
		case len(t.refused) > 0: // another call of the same response
			t.refuse(call, refuseCall(loop, "Not run, see the warning above."))
		case l.cfg.StopAtLoop, l.budget.hasRecovered:
			if l.goesOn(ctx, loop) {
				continue
			}
			t.loop, t.calls = loop, nil
			return
		default:
			l.budget.hasRecovered = true
			t.refuse(call, refuseCall(loop, loopWarning(loop)+" This call was not run."))
		}
	}
}

// refuseCall returns the result of a call that does not run because of a loop, with a message for
// the model.
func refuseCall(loop Loop, message string) *tool.Result {
	return &tool.Result{
		Display: tool.TextDisplay("Not run: " + cmp.Or(loop.Detail, loop.Kind)),
		Error:   &tool.Error{Type: tool.ErrExecutionFailed, Message: message},
	}
}

func loopWarning(loop Loop) string {
	return fmt.Sprintf("System: Potential loop detected. Details: %s. Step back: say what you have "+
		"learned so far, why it does not get you further, and what you will do differently. Then do that, or, "+
		"if the task cannot be done, say so.", strings.TrimSuffix(cmp.Or(loop.Detail, loop.Kind), "."))
}

type noLoops struct{}

func (noLoops) Reset(string)                                                 {}
func (noLoops) CheckTurn(context.Context, []Message) (loop Loop, found bool) { return Loop{}, false }

func (noLoops) Observe(Event) (loop Loop, found bool) { return Loop{}, false }
