package agent

import (
	"context"
	"errors"
	"slices"

	"pollux/llm"
)

// fit makes message fit the rest of the model's window, and ends the run if that is not
// possible. It shortens tool results first, then the history, and at last leaves out media that
// tools have read; never a part of a prompt.
func (r *run) fit(ctx context.Context, message *llm.Content) (*llm.Content, error) {
	limit := r.Window(r.model)
	if limit == 0 {
		return message, nil
	}
	isScarce := r.window().left() < limit/4 // results would keep too little
	if message.HasFunctionResponse() && message.Tokens() > r.window().room() && isScarce {
		if _, err := r.shorten(ctx, CompressRequest{Force: true, Room: limit / 2}); err != nil {
			return nil, err
		}
	}
	message = r.shortenResults(ctx, message, r.window().room())
	need := r.tokens(ctx, message)
	if left := r.window().left(); left < need && need < limit { // it may fit after a compression
		if _, err := r.shorten(ctx, CompressRequest{Force: true, Room: limit - need}); err != nil {
			return nil, err
		}
		if shorter := r.shortenResults(ctx, message, r.window().room()); shorter != message {
			message, need = shorter, shorter.Tokens()
		}
	}
	if r.window().left() < need {
		if bare := r.withoutMedia(message); bare != message {
			message, need = bare, bare.Tokens()
		}
	}
	if left := r.window().left(); left < need {
		return nil, r.out.end(Overflow{Estimate: need, Remaining: max(0, left), Cause: r.overflowCause(message, need)})
	}
	return message, nil
}

// countOverhead adds the system instruction and the tools to the size of a conversation of
// which no request has been counted yet.
func (r *run) countOverhead() {
	r.conv.countOverhead(func() int {
		cfg := r.RequestConfig(r.model)
		return cfg.Tokens()
	})
}

// tokens returns the size of message. The tokens of media cannot be estimated; the vendor counts
// them.
func (r *run) tokens(ctx context.Context, message *llm.Content) int {
	if slices.ContainsFunc(message.Parts, isMedia) {
		req := &llm.Request{Model: r.model, Contents: []*llm.Content{message}, Use: llm.UseMain, PromptID: r.promptID}
		if n, err := r.cfg.Generator.CountTokens(ctx, req); err == nil {
			return n
		}
	}
	return message.Tokens()
}

// shortenResults shortens the tool results of message so that it has about the given number of
// tokens. It returns message itself if it changes nothing.
func (r *run) shortenResults(ctx context.Context, message *llm.Content, tokens int) *llm.Content {
	if r.cfg.Shortener == nil || !message.HasFunctionResponse() || message.Tokens() <= tokens {
		return message
	}
	return r.cfg.Shortener.Shorten(ctx, message, tokens)
}

// withoutMedia returns message with a note in the place of each medium that a tool returned. It
// returns message itself if there is none, or if a prompt that joined the results may have
// brought it.
func (r *run) withoutMedia(message *llm.Content) *llm.Content {
	if !message.HasFunctionResponse() || len(r.joined) > 0 || !slices.ContainsFunc(message.Parts, holdsMedia) {
		return message
	}
	note := func(p llm.Part) llm.Part {
		var mime string
		if p.InlineData != nil {
			mime = p.InlineData.MIMEType
		} else {
			mime = p.FileData.MIMEType
		}
		return llm.Text("[" + mime + " was left out: the context window has no room for it]")
	}
	var parts, notes []llm.Part // results come first
	for _, p := range message.Parts {
		switch {
		case isMedia(p):
			notes = append(notes, note(p))
			continue
		case p.FunctionResponse != nil && len(p.FunctionResponse.Parts) > 0:
			bare := *p.FunctionResponse
			bare.Parts = nil
			for _, nested := range p.FunctionResponse.Parts {
				if isMedia(nested) {
					notes = append(notes, note(nested))
				} else {
					bare.Parts = append(bare.Parts, nested)
				}
			}
			p.FunctionResponse = &bare
		}
		parts = append(parts, p)
	}
	return llm.User(append(parts, notes...)...)
}

// overflowCause returns the reason why message does not fit.
func (r *run) overflowCause(message *llm.Content, need int) OverflowCause {
	const aPrompt = 256 // tokens of a short prompt with a short answer
	fixed, limit := r.conv.fixed(), r.Window(r.model)
	isResult := message.HasFunctionResponse() // which is as short as it gets
	switch {
	case limit == 0:
		return OverflowHistory
	case fixed+aPrompt > limit, isResult && fixed > limit/2:
		return OverflowFixed
	case fixed+need > limit && !isResult:
		return OverflowPrompt
	case r.conv.isFirstPrompt() && !isResult: // the vendor counts more than the estimates
		if need > fixed {
			return OverflowPrompt
		}
		return OverflowFixed
	}
	return OverflowHistory
}

// isTooLong reports whether err means that a request does not fit the model's window.
func isTooLong(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.KindContextWindow
}

// maxShortened limits how often one message is sent again because it was too long.
const maxShortened = 8

// sendShorter makes the request shorter and sends message again, as often as the vendor refuses
// it and something can be made shorter. send failed with cause because the request was too
// long; failed is the part of the reply that was received.
func (r *run) sendShorter(ctx context.Context, message *llm.Content, failed *reply, cause error) (*reply, error) {
	for attempt := 1; ; attempt++ {
		asked := r.learnSizes(message, cause)
		shorter, err := r.shrink(ctx, &message, asked)
		switch {
		case err != nil:
			return failed, err
		case !shorter || attempt > maxShortened:
			return failed, r.overflow(message, asked, cause)
		}
		if failed.hasStarted {
			if err := r.out.emit(Retried{Cause: InvalidStream{"CONTEXT_WINDOW", cause.Error()}}); err != nil {
				return failed, err
			}
		}
		if failed, cause = r.send(ctx, message); !isTooLong(cause) {
			return failed, cause
		}
	}
}

// shrink makes the next request shorter and reports whether it could: the instruction and the
// tools if the window is smaller than was known, else the history, or the results in message if
// they are much larger. The estimates have missed the real size, or the window is unknown.
func (r *run) shrink(ctx context.Context, message **llm.Content, asked llm.RequestSize) (bool, error) {
	if r.shrinkFixed() && r.window().left() >= (*message).Tokens() {
		return true, nil
	}
	if (*message).Tokens() > 2*(r.conv.tokens-r.conv.fixed()) && r.shrinkResults(ctx, message, asked) {
		return true, nil
	}
	before := r.conv.tokens
	room := before / 2
	if limit := r.Window(r.model); limit > 0 {
		room = min(room, limit/2)
	}
	shorter, err := r.shorten(ctx, CompressRequest{Force: true, Room: max(1, room)})
	if err != nil || shorter && r.conv.tokens < before {
		return shorter, err
	}
	return r.shrinkResults(ctx, message, asked), nil
}

// shrinkFixed measures the instruction and the tools of the next request, which have another form
// if the model's window turned out to be small, and reports whether they are shorter.
func (r *run) shrinkFixed() bool {
	next := r.requestConfig(r.model, false, r.tools)
	saved := r.conv.overhead - next.Tokens()
	if saved <= 0 {
		return false
	}
	r.conv.overhead -= saved
	r.conv.tokens = max(0, r.conv.tokens-saved)
	return true
}

// shrinkResults shortens the results in message, or leaves out their media if that saves little,
// and reports whether the message is shorter.
func (r *run) shrinkResults(ctx context.Context, message **llm.Content, asked llm.RequestSize) bool {
	size := (*message).Tokens()
	target := size / 4
	if asked.Exceeds() {
		target = min(target, r.window().room())
	}
	short := r.shortenResults(ctx, *message, target)
	if short.Tokens() >= size*9/10 {
		if short = r.withoutMedia(*message); short == *message {
			return false
		}
	}
	*message = short
	return true
}

// overflow ends the run, because the vendor refused message for its size. asked holds the
// sizes that the vendor reported for the whole request. If it reported none, overflow uses
// estimates.
func (r *run) overflow(message *llm.Content, asked llm.RequestSize, cause error) error {
	e := Overflow{Estimate: asked.Prompt + asked.Answer, Remaining: asked.Window, Err: cause}
	if !asked.Exceeds() {
		e.Estimate, e.Remaining = r.conv.tokens+message.Tokens(), r.Window(r.model)
		if e.Remaining >= e.Estimate { // the vendor's limit is lower, but unknown
			e.Remaining = 0
		}
	}
	e.Cause = r.overflowCause(message, message.Tokens())
	return r.out.end(e)
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
	r.conv.learnWindow(r.model, r.cfg.Limit(r.model), asked.Window-asked.Answer)
	return asked
}

func isMedia(p llm.Part) bool { return p.InlineData != nil || p.FileData != nil }

// holdsMedia reports whether a part is media or a tool result with media.
func holdsMedia(p llm.Part) bool {
	return isMedia(p) || p.FunctionResponse != nil && slices.ContainsFunc(p.FunctionResponse.Parts, isMedia)
}
