package fallback

import (
	"context"
	"errors"

	"pollux/llm"
)

// descent is a request on its way down a chain.
type descent struct {
	*Generator
	first *llm.Request // as the caller made it
	req   *llm.Request // as it is asked now
	own   Policy       // of the model that is asked now
	rest  Chain        // behind it
	asked int          // how often a person was
}

// maxAsked bounds how often a person is asked about one request, whatever it is
// that answers in the person's name.
const maxAsked = 100

// begin returns the descent that asks the first model which is not known to be
// unable to answer.
func (g *Generator) begin(req *llm.Request, chain Chain) *descent {
	d := &descent{Generator: g, first: req, own: chain[0], rest: chain[1:]}
	d.req = d.request()
	if err := g.health.of(req.Model, req.PromptID); err != nil {
		if i := d.candidate(d.rest, req.PromptID); i >= 0 {
			d.pass(i, err)
		}
	}
	return d
}

// next takes the failure of the model that was asked. It returns nil if there
// is a request to make now, or the error that the caller is to get.
func (d *descent) next(ctx context.Context, failure error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var e *llm.Error
	if !errors.As(failure, &e) {
		return failure
	}
	kind := kindOf(e)
	to := d.candidate(d.rest, d.first.PromptID)
	switch d.own.Action(kind) {
	case Silent:
		if to < 0 {
			return failure
		}
		d.health.failed(d.req, e, d.own.State(kind))
	case Ask:
		switch intent := d.ask(ctx, kind, failure, to); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case intent == RetryOnce:
			return nil
		case intent != RetryAlways || to < 0:
			return failure
		}
		d.health.leave(d.req.Model, e)
	default:
		return failure
	}
	d.pass(to, failure)
	return nil
}

// ask asks a person, where there is one to ask.
func (d *descent) ask(ctx context.Context, kind Kind, failure error, to int) Intent {
	if !d.attended() || d.asked == maxAsked {
		return Stop
	}
	d.asked++
	f := Failure{Model: d.req.Model, Kind: kind, Err: failure}
	if to >= 0 {
		f.To = d.rest[to].Model
	}
	return d.options.Handler(ctx, f)
}

// attended reports whether a person waits for the answer and can be asked.
// Pollux's own questions bother nobody.
func (d *descent) attended() bool {
	switch d.first.Use {
	case "", llm.UseMain, llm.UseSubagent:
		return d.options.Handler != nil
	}
	return false
}

// pass makes the request one to the i-th of the models behind this one.
func (d *descent) pass(i int, cause error) {
	from := d.req.Model
	d.own, d.rest = d.rest[i], d.rest[i+1:]
	d.req = d.request()
	if d.first.OnSwitch != nil {
		d.first.OnSwitch(llm.Switch{From: from, To: d.own.Model, Err: cause})
	}
}

// request returns the caller's request as one to the model whose turn it is.
func (d *descent) request() *llm.Request {
	req := *d.first
	if d.own.MaxAttempts > 0 && (req.MaxAttempts <= 0 || d.own.MaxAttempts < req.MaxAttempts) {
		req.MaxAttempts = d.own.MaxAttempts
	}
	switch d.own.Action(Terminal) {
	case Silent:
		req.Standby = d.candidate(d.rest, req.PromptID) >= 0
	case Ask:
		req.Standby = d.attended()
	}
	if req.Model == d.own.Model {
		return &req
	}
	req.Model = d.own.Model
	req.Config.CachedContent = "" // which another model's vendor keeps
	if d.options.Config != nil {
		c, to := d.options.Config(req.Model), &req.Config
		to.Temperature, to.TopP, to.TopK = c.Temperature, c.TopP, c.TopK
		to.PresencePenalty, to.FrequencyPenalty = c.PresencePenalty, c.FrequencyPenalty
		to.Thinking = c.Thinking
	}
	return &req
}
