package fallback

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"pollux/llm"
)

// walk is the way of one request through the models of a chain.
type walk struct {
	*Generator
	original  *llm.Request // the request of the caller
	req       *llm.Request // as it is asked now
	policy    Policy       // of the model that is asked now
	rest      Chain        // behind it
	questions int          // how often a person was
	tokens    int          // of the request, estimated; 0 if nothing needed them yet
}

// maxQuestions is the maximum number of questions to the user about one request, in
// case an automatic handler answers them.
const maxQuestions = 100

// startWalk returns the walk of req at the first available model of the chain.
func (g *Generator) startWalk(req *llm.Request, chain Chain) *walk {
	w := &walk{Generator: g, original: req, policy: chain[0], rest: chain[1:]}
	w.req = w.request()
	if err := g.health.failureOf(req.Model, req.PromptID); err != nil {
		if i := w.nextFitting(); i >= 0 {
			w.switchTo(i, err)
		}
	}
	return w
}

// handleFailure decides what to do after the current model has failed. It returns nil
// if w.req is the next request to send, else the error to return to the caller.
func (w *walk) handleFailure(ctx context.Context, failure error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var e *llm.Error
	if !errors.As(failure, &e) {
		return failure
	}
	kind := kindOfFailure(e)
	to := w.nextFitting()
	switch w.policy.Action(kind) {
	case Silent:
		if to < 0 {
			return failure
		}
		w.health.markFailed(w.req, e, w.policy.State(kind))
	case Ask:
		switch intent := w.askUser(ctx, kind, failure, to); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case intent == RetryOnce:
			return nil
		case intent != RetryAlways || to < 0:
			return failure
		}
		w.health.markLeft(w.req.Model, e)
	default:
		return failure
	}
	w.switchTo(to, failure)
	return nil
}

// askUser asks the user about a failure. It returns Stop if there is no user to ask, and RetryAlways if the user has switched
// to another model about the failure of another request.
func (w *walk) askUser(ctx context.Context, kind Kind, failure error, to int) Intent {
	if !w.canAskUser() || w.questions == maxQuestions {
		return Stop
	}
	select {
	case w.asking <- struct{}{}:
		defer func() { <-w.asking }()
	case <-ctx.Done():
		return Stop
	}
	if to >= 0 && w.health.isLeft(w.req.Model) {
		return RetryAlways
	}
	w.questions++
	f := Failure{Model: w.req.Model, Kind: kind, Err: failure}
	if to >= 0 {
		f.To = w.rest[to].Model
	}
	return w.options.Handler(ctx, f)
}

// canAskUser reports whether the request is part of a conversation with a user who
// can be asked. Auxiliary requests of Pollux never ask.
func (w *walk) canAskUser() bool {
	switch w.original.Use {
	case "", llm.UseMain, llm.UseSubagent:
		return w.options.Handler != nil
	}
	return false
}

// switchTo makes w.rest[i] the current model and reports the switch to OnSwitch.
func (w *walk) switchTo(i int, err error) {
	from := w.req.Model
	if skipped := w.tooSmall(w.rest[:i]); len(skipped) > 0 {
		err = fmt.Errorf("%w; the conversation does not fit into the context window of %s", err, strings.Join(skipped, " and "))
	}
	w.policy, w.rest = w.rest[i], w.rest[i+1:]
	w.req = w.request()
	if w.original.OnSwitch != nil {
		w.original.OnSwitch(llm.Switch{From: from, To: w.policy.Model, Err: err})
	}
}

// nextFitting returns the index in w.rest of the model to ask next: the first available one into whose window the request
// fits, else as [Generator.nextCandidate] does.
func (w *walk) nextFitting() int {
	first := w.nextCandidate(w.rest, w.original.PromptID)
	if first < 0 || w.fits(w.rest[first].Model) {
		return first
	}
	for i := first + 1; i < len(w.rest); i++ {
		if model := w.rest[i].Model; w.health.failureOf(model, w.original.PromptID) == nil && w.fits(model) {
			return i
		}
	}
	return first
}

// tooSmall returns the models of a chain that are available, and into whose windows the request does not fit.
func (w *walk) tooSmall(chain Chain) []string {
	var models []string
	for _, p := range chain {
		if w.health.failureOf(p.Model, w.original.PromptID) == nil && !w.fits(p.Model) {
			models = append(models, p.Model)
		}
	}
	return models
}

// fits reports whether the request fits into a model's window, as far as both are known.
func (w *walk) fits(model string) bool {
	if w.options.Window == nil {
		return true
	}
	window := w.options.Window(model)
	if window == 0 {
		return true
	}
	if w.tokens == 0 {
		w.tokens = w.original.Config.Tokens()
		for _, c := range w.original.Contents {
			w.tokens += c.Tokens()
		}
	}
	return w.tokens <= window
}

// oversize returns the error of a request that does not fit into the window of a stand-in. A caller that asks for the
// stand-in itself has seen to that.
func (w *walk) oversize() error {
	model := w.req.Model
	if model == w.original.Model || w.fits(model) {
		return nil
	}
	window := w.options.Window(model)
	return &llm.Error{
		Kind: llm.KindContextWindow, Model: model, Size: llm.RequestSize{Prompt: w.tokens, Window: window},
		Message: fmt.Sprintf("The conversation has about %d tokens, and %s takes %d", w.tokens, model, window),
	}
}

// request returns the original request, changed for the current model.
func (w *walk) request() *llm.Request {
	req := *w.original
	if w.policy.MaxAttempts > 0 && (req.MaxAttempts <= 0 || w.policy.MaxAttempts < req.MaxAttempts) {
		req.MaxAttempts = w.policy.MaxAttempts
	}
	switch w.policy.Action(Terminal) {
	case Silent:
		req.Standby = w.nextCandidate(w.rest, req.PromptID) >= 0
	case Ask:
		req.Standby = w.canAskUser()
	}
	if req.Model == w.policy.Model {
		return &req
	}
	req.Model = w.policy.Model
	req.Config.CachedContent = "" // belongs to the original model
	if w.options.Config != nil {
		c, to := w.options.Config(req.Model), &req.Config
		to.Temperature, to.TopP, to.TopK = c.Temperature, c.TopP, c.TopK
		to.PresencePenalty, to.FrequencyPenalty = c.PresencePenalty, c.FrequencyPenalty
		to.Thinking = c.Thinking
	}
	return &req
}
