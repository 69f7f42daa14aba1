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

// turn is one exchange with the model: a message, and the response to it.
type turn struct {
	message     outgoing
	callsBefore int            // of the model since the prompt
	tools       *tool.Snapshot // declared by the last request

	attempt   int            // number of the last attempt, from 1 after each change of the request
	isLast    bool           // the last attempt was the last that may follow the same message
	shortened int            // how often the message was too long
	previous  *InvalidStream // problem of an attempt that the next one is to avoid, nil for none
	leftOut   *mediaLeftOut  // media that the service may have refused, nil for none

	// The result of the last attempt.
	reply   *reply
	err     error          // of the request or of the stream
	problem *InvalidStream // that another attempt may solve: of a complete reply, or one that broke off
	loop    Loop           // found in the turns so far, or in calls; zero for none

	calls   []*ToolCall                // of the response
	refused map[*ToolCall]*tool.Result // results of calls that do not run
}

// refuse sets the result of a call that does not run.
func (t *turn) refuse(call *ToolCall, result *tool.Result) {
	if t.refused == nil {
		t.refused = map[*ToolCall]*tool.Result{}
	}
	t.refused[call] = result
}

// exchange sends the message of a turn and receives the response, with all attempts that the
// recoveries request. A response that stands joins the history. If there is none, exchange removes a
// prompt from the history, unless a hook refused the response, a part of the answer was shown before the run was
// cancelled, or the prompt is to be kept without a response. Tool results stay, because they are true in any case, unless they will be sent again.
func (r *run) exchange(ctx context.Context, t *turn) (remedy, error) {
	for {
		if t.loop.Kind == "" {
			r.conv.join(ctx, &t.message)
			r.attempt(ctx, t)
		}
		switch how, err := r.repair(ctx, t); {
		case err != nil:
			if t.message.isSent && !r.keepBrokenOff(ctx, t) && !r.keepsUnanswered(ctx, t, err) {
				r.conv.leave(ctx, &t.message)
			}
			return stand, err
		case how == nextTurn:
			return nextTurn, nil
		case how == stand:
			return r.accept(ctx, t)
		}
	}
}

// attempt sends the message of a turn once.
func (r *run) attempt(ctx context.Context, t *turn) {
	t.attempt++
	t.tools = r.cfg.Tools.Snapshot()
	t.reply = r.newReply(false)
	req := r.request(withNudge(r.conv.history.contents(), t.previous), t.tools, t.attempt > 1)
	t.err, t.problem = r.receive(ctx, req, t.reply), nil
	t.isLast = t.attempt == r.cfg.Retry.Attempts || t.reply.blocked != ""
	switch {
	case t.err == nil:
		t.reply.flush()
		if t.reply.loop.Kind == "" {
			t.problem = t.reply.problem(t.message.content.HasFunctionResponse())
		}
	case ctx.Err() == nil && t.reply.canRetry(t.err):
		t.problem = &InvalidStream{Type: "INCOMPLETE_STREAM", Message: t.err.Error()}
	}
}

// keepBrokenOff adds the text of a response to the history that had arrived when the run was cancelled, if a person
// has seen any of it. It reports whether there was some.
func (r *run) keepBrokenOff(ctx context.Context, t *turn) bool {
	if ctx.Err() == nil || t.reply == nil || t.reply.isHeld || !errors.Is(t.err, context.Cause(ctx)) {
		return false
	}
	t.reply.flush()
	text := strings.TrimSpace(t.reply.visibleText())
	if !hasVisibleText(text) {
		return false
	}
	r.conv.pushAnswer(ctx, Message{
		Content: llm.Model(llm.Text(text + "\n\n" + brokenOffText)), Thoughts: t.reply.thoughts, Usage: t.reply.usage, Model: t.reply.model,
	})
	return true
}

// keepsUnanswered reports whether the message of a turn stays in the history that got no response
// because of err.
func (r *run) keepsUnanswered(ctx context.Context, t *turn, err error) bool {
	switch {
	case t.message.content.HasFunctionResponse() || errors.Is(err, errOver):
		return true
	case r.cfg.KeepUnanswered == nil:
		return false
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return r.cfg.KeepUnanswered(err)
}

// accept adds the response of a turn to the conversation and emits the last events of the turn.
func (r *run) accept(ctx context.Context, t *turn) (remedy, error) {
	rep := t.reply
	r.identifyCalls(t)
	r.conv.accept(rep.model)
	r.conv.pushAnswer(ctx, Message{Content: llm.Model(rep.parts...), Thoughts: rep.thoughts, Usage: rep.usage, Model: rep.model})
	r.calls += len(t.calls)
	if len(t.calls) > 0 {
		room := r.windowAfter().roomOfCall(len(t.calls))
		for _, call := range t.calls {
			call.Room = room
		}
	}
	r.respond(rep.visibleText())
	r.loops.checkCalls(ctx, t)
	t.refuseCut()
	if text := rep.citations(); text != "" {
		if err := r.out.emit(Citations{Text: text}); err != nil {
			return stand, err
		}
	}
	for _, call := range t.calls {
		if err := r.out.emit(ToolRequested{call}); err != nil {
			return stand, err
		}
	}
	if err := r.out.emit(Finished{Reason: rep.reason, Usage: rep.usage}); err != nil {
		return stand, err
	}
	if r.loops.sees(t) {
		return r.loops.repairs(ctx, t)
	}
	return stand, nil
}

// identifyCalls gives each call of a response a name, a unique id and arguments that can be sent
// back, and stores them in the reply's parts.
func (r *run) identifyCalls(t *turn) {
	var made []*llm.FunctionCall
	parts := t.reply.parts
	for i := range parts {
		if fc := parts[i].FunctionCall; fc != nil {
			c := *fc
			c.Name = cmp.Or(strings.TrimSpace(c.Name), "generic_tool")
			parts[i].FunctionCall = &c
			made = append(made, &c)
		}
	}
	r.conv.identifyCalls(made)
	for _, c := range made {
		call := &ToolCall{ID: c.ID, Name: c.Name, Args: c.Args, PromptID: r.promptID, Joined: c.Joined}
		if c.Problem != "" {
			refusal := tool.Fail(tool.ErrInvalidParams, c.Problem)
			if t.reply.reason == llm.FinishMaxTokens {
				refusal.Display = tool.TextDisplay(cutShown)
			}
			t.refuse(call, refusal)
		}
		t.calls = append(t.calls, call)
		if !isObject(c.Args) {
			c.Args = nil // the vendor refuses arguments that are not an object
		}
	}
}

func isObject(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && raw[0] == '{'
}

// refuseCut refuses the calls of a response that was cut off in the middle of them.
func (t *turn) refuseCut() {
	if t.reply.reason != llm.FinishMaxTokens {
		return
	}
	for i, call := range t.calls {
		reason, shown := "", cutShown
		switch {
		case t.refused[call] != nil:
			continue
		case t.reply.refusal != "" && i == len(t.calls)-1:
			reason, shown = t.reply.refusal, strings.TrimSuffix(t.reply.refusal, " "+shorterText)
		case !isObject(call.Args) || !json.Valid(call.Args):
			reason = "Not run: your reply was cut off at the limit of its length, in the middle of this call. " + shorterText
		default:
			continue
		}
		t.refuse(call, &tool.Result{
			Display: tool.TextDisplay(shown),
			Error:   &tool.Error{Type: tool.ErrInvalidParams, Message: reason},
		})
	}
}

// cutShown is the result, for people, of a call that was cut off.
const cutShown = "Not run: the response was cut off in the middle of this call."

// shorterText asks a model to stay within the limit of a reply.
const shorterText = "Write less in one call: the beginning of a long file first, then the rest with edits of its last lines."
