package agent

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pollux/llm"
)

// unfinished repairs a response that ends a run too early: some models announce an action without
// a call, write a call in a code block, or say nothing about the results of their calls. unfinished
// asks the model to continue. This request is not part of the history and has no event. The response
// to it continues the first one, in the history and in the events. If it is unusable, the first one
// is the answer. unfinished asks a second time for the same prompt if the model has called tools in
// between.
type unfinished struct {
	*requester
	nudges int // how often the model was asked to continue
	calls  int // of the model before it was asked last
}

const (
	// maxNudges is the maximum number of requests to continue for one prompt.
	maxNudges = 2
	// nudgeAttempts is the maximum number of attempts of a request to continue.
	nudgeAttempts = 2
)

const (
	// unfinishedText asks a model that has announced work to continue. It follows noCallText or
	// lastCallText.
	unfinishedText = " If work is left, call the tool for its next step now. If not, give your final answer.]"
	noCallText     = "[System: You wrote no tool call, so nothing was run."
	lastCallText   = "[System: Your last message has no tool call." // for a model that has called tools before
	// cutText asks a model to continue whose response reached the output limit before or within a call.
	cutText = "[System: Your last reply was cut off at the limit of its length, so nothing of it was run. Think less before you act. " + shorterText + "]"
)

func (u *unfinished) sees(t *turn) bool {
	limit := u.cfg.MaxTurns
	switch {
	case u.cfg.Unfinished == nil, t.loop.Kind != "", t.err != nil || t.problem != nil,
		u.nudges >= maxNudges || u.nudges > 0 && u.calls == t.callsBefore:
		return false
	case t.reply.reason != llm.FinishStop && t.reply.reason != llm.FinishMaxTokens, t.reply.loop.Kind != "", t.reply.hasCall(),
		len(t.tools.Tools()) == 0, u.conv.hasWaiting(), limit != nil && u.conv.turnCount >= *limit:
		return false
	}
	e := Ending{Text: t.reply.visibleText(), HasCalled: t.callsBefore > 0}
	if !hasVisibleText(e.Text) {
		if !t.message.content.HasFunctionResponse() {
			return false // the response of a hook
		}
		e.Text = ""
	}
	for _, tool := range t.tools.Tools() {
		e.Tools = append(e.Tools, tool.Spec().Name)
	}
	return u.cfg.Unfinished(e)
}

// repairs replaces the reply of the turn by one that the model has continued.
func (u *unfinished) repairs(ctx context.Context, t *turn) (remedy, error) {
	u.nudges++
	u.calls = t.callsBefore
	said := t.reply.visibleText()
	if !hasVisibleText(said) {
		said = ""
	}
	return u.goOn(ctx, t, said, u.nudge(t, said))
}

// goOn requests a response to contents, which continues the reply of the turn with the text said. If the response is
// unusable, the reply stays as it is.
func (u *requester) goOn(ctx context.Context, t *turn, said string, contents []*llm.Content) (remedy, error) {
	t.tools = u.cfg.Tools.Snapshot()
	req := u.request(contents, t.tools, false)
	if req.Config.ResponseMIMEType != "" || req.Config.ResponseJSONSchema != nil {
		return stand, nil // the response is a value
	}
	req.MaxAttempts = nudgeAttempts
	next := u.newReply(true)
	err := u.receive(ctx, req, next)
	next.flush()
	switch {
	case errors.Is(err, errOver), errors.Is(err, errLeft):
		return stand, err
	case err != nil, next.problem(true) != nil, !next.hasCall() && !hasVisibleText(next.visibleText()):
		return stand, nil
	}
	if err := next.showHeld(separator(said)); err != nil {
		return stand, err
	}
	next.continues(t.reply, said)
	t.reply = next
	return stand, nil
}

// nudge returns the contents of a request to continue after a response with the text said.
func (u *unfinished) nudge(t *turn, said string) []*llm.Content {
	contents := u.conv.history.contents()
	if said == "" {
		return withNudge(contents, &InvalidStream{Type: "NO_RESPONSE_TEXT"})
	}
	text := noCallText + unfinishedText
	switch {
	case t.reply.reason == llm.FinishMaxTokens:
		text = cutText
	case t.callsBefore > 0:
		text = lastCallText + unfinishedText
	}
	return append(contents, llm.Model(t.reply.parts...), llm.User(llm.Text(text)))
}

// separator returns the white space between a text and its continuation.
func separator(said string) string {
	switch {
	case said == "" || strings.HasSuffix(said, "\n\n"):
		return ""
	case strings.HasSuffix(said, "\n"):
		return "\n"
	}
	return "\n\n"
}

// continues puts the parts of the earlier reply in front of the reply. Thoughts stay first, because
// vendors refuse signed thoughts that follow text.
func (rep *reply) continues(before *reply, said string) {
	rep.thoughts = slices.Concat(before.thoughts, rep.thoughts)
	rep.sources = slices.Concat(before.sources, rep.sources)
	if said == "" {
		return
	}
	i := 0
	for i < len(rep.parts) && rep.parts[i].Thought {
		i++
	}
	if i < len(rep.parts) && rep.parts[i].IsText() && rep.parts[i].ThoughtSignature == "" {
		rep.parts[i].Text = said + separator(said) + rep.parts[i].Text
		return
	}
	rep.parts = slices.Insert(rep.parts, i, llm.Text(said))
}
