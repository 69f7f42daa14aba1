package agent

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pollux/llm"
)

// A run ends with a response that calls no tool. Some models end it too early: they announce
// what they will do, write a call in a code block, or say nothing about the results of their
// calls. Then the run asks the model to continue. This request is not part of the history and
// has no event. The response to it continues the first one, in the history and in the events. If
// the response is unusable, the first one is the answer. The run asks a second time for the same
// prompt if the model has called tools in between.

// unfinishedText asks a model that has announced work to continue. It follows noCallText or
// lastCallText.
const unfinishedText = " If work is left, call the tool for its next step now. If not, give your final answer.]"

const (
	noCallText   = "[System: You wrote no tool call, so nothing was run."
	lastCallText = "[System: Your last message has no tool call." // for a model that has called tools before
)

// maxNudges is the maximum number of requests to continue for one prompt.
const maxNudges = 2

// cutText asks a model to continue whose response reached the output limit before or within a call.
const cutText = "[System: Your last reply was cut off at the limit of its length, so nothing of it was run. Think less before you act. " + shorterText + "]"

// nudgeAttempts is the maximum number of attempts of a request to continue.
const nudgeAttempts = 2

// isUnfinished reports whether the run asks the model to continue after rep, the response to
// contents.
func (r *run) isUnfinished(contents []*llm.Content, rep *reply) bool {
	limit := r.cfg.MaxTurns
	switch {
	case r.cfg.Unfinished == nil, r.hasNudged || r.nudges >= maxNudges, rep.reason != llm.FinishStop && rep.reason != llm.FinishMaxTokens, rep.loop.Kind != "", rep.hasCall(),
		len(r.tools.Tools()) == 0, r.conv.hasWaiting(), limit != nil && r.conv.turnCount >= *limit:
		return false
	}
	text := rep.visibleText()
	e := Ending{Text: text, HasCalled: r.hasCalled}
	if !hasVisibleText(text) {
		if !contents[len(contents)-1].HasFunctionResponse() {
			return false // the response of a hook
		}
		e.Text = ""
	}
	for _, t := range r.tools.Tools() {
		e.Tools = append(e.Tools, t.Spec().Name)
	}
	return r.cfg.Unfinished(e)
}

// nudge asks the model to continue after rep, the response to contents. It returns rep, or rep
// continued by the response.
func (r *run) nudge(ctx context.Context, contents []*llm.Content, rep *reply) (*reply, error) {
	r.nudges++
	r.hasNudged = true
	said := rep.visibleText()
	if hasVisibleText(said) {
		text := noCallText + unfinishedText
		switch {
		case rep.reason == llm.FinishMaxTokens:
			text = cutText
		case r.hasCalled:
			text = lastCallText + unfinishedText
		}
		contents = append(slices.Clone(contents), llm.Model(rep.parts...), llm.User(llm.Text(text)))
	} else {
		said, contents = "", withNudge(contents, &InvalidStream{Type: "NO_RESPONSE_TEXT"})
	}
	r.tools = r.cfg.Tools.Snapshot()
	req := r.request(contents, r.tools, false)
	if req.Config.ResponseMIMEType != "" || req.Config.ResponseJSONSchema != nil {
		return rep, nil // the response is a value
	}
	req.MaxAttempts = nudgeAttempts
	next := r.newReply(true)
	err := r.receive(ctx, req, next)
	next.flush()
	switch {
	case errors.Is(err, errOver), errors.Is(err, errLeft):
		return next, err
	case err != nil, next.problem(true) != nil, !next.hasCall() && !hasVisibleText(next.visibleText()):
		return rep, nil
	}
	if err := next.showHeld(separator(said)); err != nil {
		return next, err
	}
	next.continues(rep, said)
	return next, nil
}

// separator returns what separates a text from the text that continues it.
func separator(said string) string {
	switch {
	case said == "" || strings.HasSuffix(said, "\n\n"):
		return ""
	case strings.HasSuffix(said, "\n"):
		return "\n"
	}
	return "\n\n"
}

// continues puts what the model said before in front of the reply. Thoughts stay first, because
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
