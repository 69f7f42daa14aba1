package agent

import (
	"context"
	"errors"

	"pollux/llm"
)

// maxShortened limits how often a turn sends its message again because it was too long.
const maxShortened = 8

// overflow repairs a request that the vendor refused because it does not fit the model's window:
// it makes the request shorter, as often as something can be made shorter.
type overflow struct{ fitter }

func (o overflow) sees(t *turn) bool {
	var e *llm.Error
	return errors.As(t.err, &e) && e.Kind == llm.KindContextWindow
}

func (o overflow) repairs(ctx context.Context, t *turn) (remedy, error) {
	cause := t.err
	o.conv.leave(ctx, &t.message)
	asked := o.learnSizes(t.message.content, cause)
	shorter, err := o.shrink(ctx, t, asked)
	t.shortened++
	switch {
	case err != nil:
		return stand, err
	case !shorter || t.shortened > maxShortened:
		return stand, o.end(t.message.content, asked, cause)
	}
	if t.reply.hasStarted {
		if err := o.out.emit(Retried{Cause: InvalidStream{"CONTEXT_WINDOW", cause.Error()}}); err != nil {
			return stand, err
		}
	}
	t.attempt, t.previous = 0, nil
	return resend, nil
}

// learnSizes updates the size of the history and of the model's window from the sizes in an
// error.
func (o overflow) learnSizes(message *llm.Content, cause error) llm.RequestSize {
	var e *llm.Error
	_ = errors.As(cause, &e) // sees has found it
	asked := e.Size
	if asked.Exceeds() {
		o.conv.tokens = max(o.conv.tokens, asked.Prompt-message.Tokens())
	}
	// The vendor reserves a part of the window for the response.
	o.conv.learnWindow(o.model, o.cfg.Limit(o.model), asked.Window-asked.Answer)
	return asked
}

// shrink makes the next request shorter and reports whether it could: the instruction and the
// tools if the window is smaller than was known, else the history, or the results in the message if
// they are much larger. The estimates have missed the real size, or the window is unknown.
func (o overflow) shrink(ctx context.Context, t *turn, asked llm.RequestSize) (bool, error) {
	size := t.message.content.Tokens()
	if o.shrinkFixed(t) && o.window().left() >= size {
		return true, nil
	}
	if size > 2*(o.conv.tokens-o.conv.fixed()) && o.shrinkResults(ctx, t, asked) {
		return true, nil
	}
	before := o.conv.tokens
	room := before / 2
	if limit := o.Window(o.model); limit > 0 {
		room = min(room, limit/2)
	}
	shorter, err := o.compress(ctx, CompressRequest{Force: true, Room: max(1, room)})
	if err != nil || shorter && o.conv.tokens < before {
		return shorter, err
	}
	return o.shrinkResults(ctx, t, asked), nil
}

// shrinkFixed measures the instruction and the tools of the next request, which have another form
// if the model's window turned out to be small, and reports whether they are shorter.
func (o overflow) shrinkFixed(t *turn) bool {
	next := o.requestConfig(o.model, false, t.tools)
	saved := o.conv.overhead - next.Tokens()
	if saved <= 0 {
		return false
	}
	o.conv.overhead -= saved
	o.conv.tokens = max(0, o.conv.tokens-saved)
	return true
}

// shrinkResults shortens the results in the turn's message, or leaves out their media if that saves
// little, and reports whether the message is shorter.
func (o overflow) shrinkResults(ctx context.Context, t *turn, asked llm.RequestSize) bool {
	content := t.message.content
	size := content.Tokens()
	target := size / 4
	if asked.Exceeds() {
		target = min(target, o.window().room())
	}
	short := o.shortenResults(ctx, content, target)
	if short.Tokens() >= size*9/10 {
		if short = t.message.withoutMedia(content); short == content {
			return false
		}
	}
	t.message.content = short
	return true
}

// end ends the run, because the vendor refused message for its size. asked holds the sizes that
// the vendor reported for the whole request. If it reported none, end uses estimates.
func (o overflow) end(message *llm.Content, asked llm.RequestSize, cause error) error {
	e := Overflow{Estimate: asked.Prompt + asked.Answer, Remaining: asked.Window, Err: cause}
	if !asked.Exceeds() {
		e.Estimate, e.Remaining = o.conv.tokens+message.Tokens(), o.Window(o.model)
		if e.Remaining >= e.Estimate { // the vendor's limit is lower, but unknown
			e.Remaining = 0
		}
	}
	e.Cause = o.overflowCause(message, message.Tokens())
	return o.out.end(e)
}
