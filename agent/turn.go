package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

// answer is the result of a model turn: calls to run, a detected loop, or no usable response.
// It is zero if the model requested nothing.
type answer struct {
	calls   []*ToolCall
	loop    Loop
	isCut   bool // loop was found in the text of a response, which is not in the history
	invalid bool
}

// turn sends message with the history and receives the response, with retries. Only a complete
// response joins the history.
func (r *run) turn(ctx context.Context, message *llm.Content) (answer, error) {
	if err := r.announceTurn(); err != nil {
		return answer{}, err
	}
	if r.cfg.LoopDetector != nil {
		if loop, found := r.cfg.LoopDetector.CheckTurn(ctx, r.conv.history.all); found {
			return answer{loop: loop}, nil
		}
	}
	if last := r.conv.history.last(); !message.HasFunctionResponse() && last != nil && last.HasFunctionResponse() {
		standIn := interruptedText
		if r.conv.isAtLimit {
			standIn = limitText
		}
		r.conv.push(ctx, Message{Content: llm.Model(llm.Text(standIn))})
	}
	r.conv.isAtLimit = false
	rep, err := r.send(ctx, message)
	if isTooLong(err) {
		rep, err = r.sendShorter(ctx, message, rep, err)
	}
	switch {
	case errors.Is(err, errNoAnswer):
		return answer{invalid: true}, nil
	case err != nil:
		return answer{}, err
	case rep.loop.Kind != "":
		r.spend(rep)
		return answer{loop: rep.loop, isCut: true}, nil
	}
	r.commit(ctx, rep)
	loop := r.checkCalls(rep)
	r.refuseCut(rep)
	if loop.Kind != "" {
		rep.calls = nil // the run ends before them
	}
	return answer{calls: rep.calls, loop: loop}, r.report(rep)
}

// checkCalls passes the calls of a reply to the loop detector. A call that completes the first
// loop of a prompt does not run: its result is a warning, in r.warnings. checkCalls returns the
// loop if the model has been warned in an earlier turn, else the zero Loop.
func (r *run) checkCalls(rep *reply) Loop {
	r.warnings = nil
	if r.cfg.LoopDetector == nil {
		return Loop{}
	}
	for _, call := range rep.calls {
		loop, found := r.cfg.LoopDetector.Observe(ToolRequested{call})
		switch {
		case !found:
		case r.hasRecovered && r.warnings == nil:
			return loop
		case r.warnings == nil:
			r.hasRecovered = true
			r.warnings = map[*ToolCall]*tool.Result{call: refuseCall(loop, loopWarning(loop)+" This call was not run.")}
		default: // another call of the same response
			r.warnings[call] = refuseCall(loop, "Not run, see the warning above.")
		}
	}
	return Loop{}
}

// refuseCut refuses the calls of a reply that was cut off in the middle of them.
func (r *run) refuseCut(rep *reply) {
	if rep.reason != llm.FinishMaxTokens {
		return
	}
	for i, call := range rep.calls {
		reason, shown := "", "Not run: the response was cut off in the middle of this call."
		switch {
		case r.warnings[call] != nil:
		case rep.refusal != "" && i == len(rep.calls)-1:
			reason, shown = rep.refusal, strings.TrimSuffix(rep.refusal, " "+shorterText)
		case !isObject(call.Args) || !json.Valid(call.Args):
			reason = "Not run: your reply was cut off at the limit of its length, in the middle of this call. " + shorterText
		}
		if reason == "" {
			continue
		}
		if r.warnings == nil {
			r.warnings = map[*ToolCall]*tool.Result{}
		}
		r.warnings[call] = &tool.Result{
			Display: tool.TextDisplay(shown),
			Error:   &tool.Error{Type: tool.ErrInvalidParams, Message: reason},
		}
	}
}

// shorterText tells a model how to stay within the limit of a reply.
const shorterText = "Write less in one call: a long file in several calls, one after the other."

// refuseCall returns the result of a call that does not run because of a loop, with a message for
// the model.
func refuseCall(loop Loop, message string) *tool.Result {
	return &tool.Result{
		Display: tool.TextDisplay("Not run: " + cmp.Or(loop.Detail, loop.Kind)),
		Error:   &tool.Error{Type: tool.ErrExecutionFailed, Message: message},
	}
}

// send adds message to the history and sends it. If there is no response, send removes a
// message that is a prompt, unless a hook refused the response or the prompt is to be kept
// without one. Tool results stay, because they are true in any case, unless they will be sent
// again.
func (r *run) send(ctx context.Context, message *llm.Content) (*reply, error) {
	at, shown := len(r.conv.history.all), r.shown
	m, isResult := Message{Content: message, Shown: shown}, message.HasFunctionResponse()
	m.IsPrompt = !isResult && !r.hasSent
	if m.IsPrompt {
		m.ID = r.promptMessage // of the prompt that is sent again
	}
	if isResult {
		r.conv.push(ctx, m, r.records...)
	} else {
		r.conv.push(ctx, m)
	}
	if m.IsPrompt {
		r.promptMessage = r.conv.history.all[at].ID
	}
	r.shown, r.results = "", nil

	contents := r.conv.history.contents()
	rep, err := r.exchange(ctx, contents)
	if err == nil && r.isUnfinished(contents, rep) {
		rep, err = r.nudge(ctx, contents, rep)
	}
	again := rep.loop.Kind != "" || isTooLong(err)
	kept := !again && (err == nil || isResult || errors.Is(err, errOver) || r.keepsUnanswered(ctx, err))
	if kept || isResult {
		r.joined = nil // with the results
	}
	if kept {
		r.hasSent = true
		return rep, err
	}
	r.conv.cut(ctx, at)
	if isResult {
		r.results = message
	}
	if isTooLong(err) {
		r.shown = shown
	}
	return rep, err
}

// keepsUnanswered reports whether a prompt stays in the history that got no response because of err.
// One that got only unusable responses does not.
func (r *run) keepsUnanswered(ctx context.Context, err error) bool {
	switch {
	case r.cfg.KeepUnanswered == nil || errors.Is(err, errNoAnswer):
		return false
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return r.cfg.KeepUnanswered(err)
}

// announceTurn emits the first events of a turn.
func (r *run) announceTurn() error {
	if err := r.out.emit(TurnStarted{Turn: r.conv.turnCount}); err != nil || r.isAnnounced {
		return err
	}
	r.isAnnounced = true
	return r.out.emit(ModelInfo{Model: r.model})
}

// errNoAnswer means that all attempts gave nothing usable.
var errNoAnswer = errors.New("the model gave no usable answer")

// exchange sends requests until a response is usable or no attempt is left, with this model or
// one that stands in for it. It returns the reply of the last attempt, usable or not.
func (r *run) exchange(ctx context.Context, contents []*llm.Content) (*reply, error) {
	isResult := contents[len(contents)-1].HasFunctionResponse()
	var previous *InvalidStream // the problem of the last attempt
	for attempt := 1; ; attempt++ {
		r.tools = r.cfg.Tools.Snapshot()
		rep := r.newReply(false)
		err := r.receive(ctx, r.request(withNudge(contents, previous), r.tools, attempt > 1), rep)
		var bad *InvalidStream
		switch {
		case err == nil:
			rep.flush()
			if bad = rep.problem(isResult); bad == nil || rep.loop.Kind != "" {
				return rep, nil
			}
		case ctx.Err() == nil && rep.canRetry(err):
			bad = &InvalidStream{Type: "INCOMPLETE_STREAM", Message: err.Error()}
		default:
			return rep, err
		}
		retried := Retried{Cause: *bad, Attempt: attempt + 1, MaxAttempts: r.cfg.Retry.Attempts}
		switch isLast := attempt == r.cfg.Retry.Attempts || rep.blocked != ""; {
		case isLast && r.hasStandIn(bad, err):
			attempt, retried.Attempt, retried.MaxAttempts = 0, 0, 0
		case isLast && err != nil:
			return rep, err
		case isLast:
			return rep, cmp.Or(r.out.emit(*bad), errNoAnswer)
		}
		if rep.usage != nil {
			r.spend(rep)
		}
		if r.cfg.LoopDetector != nil {
			r.cfg.LoopDetector.Observe(retried) // discard the text of this attempt
		}
		if err := r.out.emit(retried); err != nil {
			return rep, err
		}
		if attempt > 0 {
			if err := sleep(ctx, max(r.cfg.Retry.delayBefore(attempt+1), retryDelay(err))); err != nil {
				return rep, err
			}
		}
		previous = bad
	}
}

// hasStandIn reports whether another model answers from now on, because the responses of this
// one break off: the last one with err, or without a finish reason.
func (r *run) hasStandIn(bad *InvalidStream, err error) bool {
	if err == nil && bad.Type == "NO_FINISH_REASON" {
		err = &llm.Error{Kind: llm.KindIncomplete, Message: bad.Message}
	}
	return err != nil && r.cfg.StandIn != nil && r.cfg.StandIn(r.model, r.promptID, err)
}

// commit adds a complete reply to the conversation.
func (r *run) commit(ctx context.Context, rep *reply) {
	r.identifyCalls(rep)
	parts := rep.parts
	r.conv.pushAnswer(ctx, Message{Content: llm.Model(parts...), Thoughts: rep.thoughts, Usage: rep.usage, Model: rep.model})
	if len(rep.calls) > 0 {
		r.hasCalled, r.hasNudged = true, false
	}
	for _, call := range rep.calls {
		call.Room = r.window().roomOfCall(len(rep.calls))
	}
	r.respond(rep.visibleText())
}

// report emits the last events of a turn.
func (r *run) report(rep *reply) error {
	if text := rep.citations(); text != "" {
		if err := r.out.emit(Citations{Text: text}); err != nil {
			return err
		}
	}
	for _, call := range rep.calls {
		if err := r.out.emit(ToolRequested{call}); err != nil {
			return err
		}
	}
	return r.out.emit(Finished{Reason: rep.reason, Usage: rep.usage})
}

// identifyCalls gives each call of a reply a name, a unique id and arguments that can be sent
// back, and stores them in the reply's parts.
func (r *run) identifyCalls(rep *reply) {
	var made []*llm.FunctionCall
	for i := range rep.parts {
		if fc := rep.parts[i].FunctionCall; fc != nil {
			c := *fc
			c.Name = cmp.Or(strings.TrimSpace(c.Name), "generic_tool")
			rep.parts[i].FunctionCall = &c
			made = append(made, &c)
		}
	}
	r.conv.identifyCalls(made)
	for _, c := range made {
		rep.calls = append(rep.calls, &ToolCall{ID: c.ID, Name: c.Name, Args: c.Args, PromptID: r.promptID})
		if !isObject(c.Args) {
			c.Args = nil // the vendor refuses arguments that are not an object
		}
	}
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}
