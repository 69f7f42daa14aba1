package agent

import (
	"context"
	"errors"

	"pollux/llm"
)

// isTooLong reports whether err means that a request does not fit the model's window.
func isTooLong(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.KindContextWindow
}

// sendShorter compresses the history and sends message again, once. send failed with cause
// because the request was too long; failed is the part of the reply that was received.
func (r *run) sendShorter(ctx context.Context, message *llm.Content, failed *reply, cause error) (*reply, error) {
	asked := r.learnSizes(message, cause)
	shorter, err := r.shorten(ctx, true)
	switch {
	case err != nil:
		return failed, err
	case !shorter:
		return failed, r.overflow(message, asked, cause)
	}
	if failed.hasStarted {
		if err := r.emit(Retried{Cause: InvalidStream{"CONTEXT_WINDOW", cause.Error()}}); err != nil {
			return failed, err
		}
	}
	rep, err := r.send(ctx, message)
	if isTooLong(err) {
		err = r.overflow(message, r.learnSizes(message, err), err)
	}
	return rep, err
}

// overflow ends the run, because the vendor refused message for its size. asked holds the
// sizes that the vendor reported for the whole request. If it reported none, overflow uses
// estimates.
func (r *run) overflow(message *llm.Content, asked llm.RequestSize, cause error) error {
	e := Overflow{Estimate: asked.Prompt + asked.Answer, Remaining: asked.Window, Err: cause}
	if !asked.Exceeds() {
		e.Estimate, e.Remaining = r.conv.tokens+message.Tokens(), r.limit(r.chosen)
		if e.Remaining >= e.Estimate { // the vendor's limit is lower, but unknown
			e.Remaining = 0
		}
	}
	return r.end(e)
}

// learnSizes updates the size of the history and of the model's window from the sizes in an
// error.
func (r *run) learnSizes(message *llm.Content, cause error) llm.RequestSize {
	var e *llm.Error
	_ = errors.As(cause, &e) // callers pass only errors of this type
	asked := e.Size
	if asked.Exceeds() {
		r.conv.tokens = max(r.conv.tokens, asked.Prompt-message.Tokens())
	}
	// The vendor reserves a part of the window for the response.
	r.conv.learnWindow(r.chosen, r.cfg.Limit(r.chosen), asked.Window-asked.Answer)
	return asked
}
