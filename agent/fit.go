package agent

import (
	"context"
	"slices"

	"pollux/llm"
)

// fitter makes the requests of a prompt fit the model's context window.
type fitter struct{ *requester }

// fit makes room for the message of a turn. It compresses and masks a long history. Then it
// shortens tool results, compresses the history again, and at last leaves out media that tools have
// read; never a part of a prompt. If that is not enough, it ends the run.
func (f fitter) fit(ctx context.Context, t *turn) error {
	f.conv.countOverhead(func() int {
		cfg := f.RequestConfig(f.model)
		return cfg.Tokens()
	})
	if _, err := f.compress(ctx, CompressRequest{}); err != nil {
		return err
	}
	if err := f.mask(ctx); err != nil {
		return err
	}
	w, m := f.window(), t.message.content
	if w.size == 0 {
		return nil
	}
	if m.HasFunctionResponse() && m.Tokens() > w.room() && w.isScarce() {
		if _, err := f.compress(ctx, CompressRequest{Force: true, Room: w.size / 2}); err != nil {
			return err
		}
	}
	m = f.shortenResults(ctx, m, f.window().room())
	need := f.count(ctx, m)
	wanted := int(float64(need) / min(f.cfg.Share, crowded))
	if wanted >= w.size { // without room for the answer, as a last resort
		wanted = int(float64(need) / f.cfg.Share)
	}
	if f.window().left() < wanted && wanted < w.size { // it may fit after a compression
		if _, err := f.compress(ctx, CompressRequest{Force: true, Room: w.size - wanted}); err != nil {
			return err
		}
		if shorter := f.shortenResults(ctx, m, f.window().room()); shorter != m {
			m, need = shorter, shorter.Tokens()
		}
	}
	if f.free() < need {
		if bare := t.message.withoutMedia(m); bare != m {
			m, need = bare, bare.Tokens()
		}
	}
	if left := f.free(); left < need {
		return f.out.end(Overflow{Estimate: need, Remaining: max(0, left), Cause: f.overflowCause(m, need)})
	}
	t.message.content = m
	return nil
}

// crowded is the fraction of the free part of the window above which a message leaves too little for the answer: the
// history is compressed before it is sent.
const crowded = 0.95

// free returns the tokens that a message may have.
func (f fitter) free() int { return int(float64(f.window().left()) * f.cfg.Share) }

// compress runs the compressor on the history and reports whether the history is shorter now. o
// has the urgency.
func (f fitter) compress(ctx context.Context, o CompressRequest) (bool, error) {
	o.Model, o.PromptID = f.model, f.promptID
	c, err := f.Agent.compress(ctx, CompressAuto, o)
	if err != nil || !c.Shorter() {
		return false, err
	}
	return true, f.out.emit(Compressed{c})
}

// compress runs the compressor on the history, as o requests it.
func (a *Agent) compress(ctx context.Context, trigger CompressTrigger, o CompressRequest) (Compression, error) {
	if a.cfg.Compressor == nil || len(a.conv.history.all) == 0 {
		return Compression{Status: CompressNoOp}, nil
	}
	if a.cfg.Hooks != nil {
		a.cfg.Hooks.PreCompress(ctx, trigger)
	}
	history, c := a.cfg.Compressor.Compress(ctx, a.describe(o))
	if ctx.Err() != nil {
		return Compression{}, context.Cause(ctx)
	}
	if c.Shorter() {
		a.conv.replace(ctx, history, c.After)
		a.conv.hasIDEContext = false
	}
	return c, nil
}

// describe sets the fields of o that describe the history.
func (a *Agent) describe(o CompressRequest) CompressRequest {
	o.History, o.Tokens, o.Limit, o.Fixed = a.conv.history.all, a.conv.tokens, a.Window(o.Model), a.conv.fixed()
	return o
}

// mask replaces old tool output in the history, if the masker finds that it saves enough.
func (f fitter) mask(ctx context.Context) error {
	if f.cfg.Masker == nil {
		return nil
	}
	history, saved := f.cfg.Masker.Mask(ctx, f.conv.history.all, f.Window(f.model))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if saved > 0 {
		f.conv.replace(ctx, history, max(0, f.conv.tokens-saved))
	}
	return nil
}

// count returns the tokens of message. The tokens of media cannot be estimated; the vendor counts
// them.
func (f fitter) count(ctx context.Context, message *llm.Content) int {
	if slices.ContainsFunc(message.Parts, isMedia) {
		req := &llm.Request{Model: f.model, Contents: []*llm.Content{message}, Use: llm.UseMain, PromptID: f.promptID}
		if n, err := f.cfg.Generator.CountTokens(ctx, req); err == nil {
			return n
		}
	}
	return message.Tokens()
}

// shortenResults shortens the tool results of message so that it has about the given number of
// tokens. It returns message itself if it changes nothing.
func (f fitter) shortenResults(ctx context.Context, message *llm.Content, tokens int) *llm.Content {
	if f.cfg.Shortener == nil || !message.HasFunctionResponse() || message.Tokens() <= tokens {
		return message
	}
	return f.cfg.Shortener.Shorten(ctx, message, tokens)
}

// overflowCause returns the reason why message does not fit.
func (f fitter) overflowCause(message *llm.Content, need int) OverflowCause {
	const aPrompt = 256 // tokens of a short prompt with a short answer
	fixed, limit := f.conv.fixed(), f.Window(f.model)
	isResult := message.HasFunctionResponse() // which is as short as it gets
	switch {
	case limit == 0:
		return OverflowHistory
	case fixed+aPrompt > limit, isResult && fixed > limit/2:
		return OverflowFixed
	case fixed+need > limit && !isResult:
		return OverflowPrompt
	case f.conv.isFirstPrompt() && !isResult: // the vendor counts more than the estimates
		if need > fixed {
			return OverflowPrompt
		}
		return OverflowFixed
	}
	return OverflowHistory
}
