package fallback

import (
	"sync"
	"time"

	"pollux/llm"
)

// minPause is the minimum duration of a temporary outage.
const minPause = 30 * time.Second

// maxPause limits the retry delay that a server may request.
const maxPause = 5 * time.Minute

// health records which models are unavailable, and until when.
type health struct {
	mu     sync.Mutex
	models map[string]outage
	left   map[string]bool // models that the user has switched from
	// prompts holds failures that count for one prompt only. Several prompts can run
	// concurrently, for example of subagents.
	prompts map[promptKey]error
}

// outage is the time during which a model is unavailable, and its reason.
type outage struct {
	err   error
	until time.Time // zero means the end of the session
}

// promptKey identifies a model in a prompt.
type promptKey struct{ model, prompt string }

// maxPromptFailures limits the number of recorded failures of prompts.
const maxPromptFailures = 256

// failureOf returns why a model is unavailable for this prompt, nil if it is
// available.
func (h *health) failureOf(model, prompt string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if out, ok := h.models[model]; ok && (out.until.IsZero() || time.Now().Before(out.until)) {
		return out.err
	}
	return h.prompts[promptKey{model, prompt}]
}

// markFailed records a failure, for as long as the state and the kind of the failure
// require. Auxiliary requests make few attempts, so their temporary failures are not
// recorded.
func (h *health) markFailed(req *llm.Request, e *llm.Error, s State) {
	isLasting := e.Kind == llm.KindQuota || kindOfFailure(e) == NotFound
	if req.Use.IsAuxiliary() && !isLasting {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case s == StickyRetry && req.PromptID != "": // without an id the end of the prompt is unknown
		if len(h.prompts) >= maxPromptFailures {
			clear(h.prompts)
		}
		if h.prompts == nil {
			h.prompts = map[promptKey]error{}
		}
		h.prompts[promptKey{req.Model, req.PromptID}] = e
	case s == Unavailable && isLasting:
		h.setOutage(req.Model, outage{err: e})
	case s == Unavailable:
		h.setOutage(req.Model, outage{e, time.Now().Add(max(minPause, min(e.RetryAfter, maxPause)))})
	}
}

// markLeft makes a model unavailable that the user has switched from, until it is reset.
func (h *health) markLeft(model string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.setOutage(model, outage{err: err})
	if h.left == nil {
		h.left = map[string]bool{}
	}
	h.left[model] = true
}

// isLeft reports whether the user has switched from a model.
func (h *health) isLeft(model string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.left[model]
}

// setOutage records the outage of a model. The caller holds h.mu.
func (h *health) setOutage(model string, o outage) {
	if h.models == nil {
		h.models = map[string]outage{}
	}
	h.models[model] = o
}

// markHealthy removes the failures of a model that has answered.
func (h *health) markHealthy(req *llm.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.models, req.Model)
	delete(h.left, req.Model)
	delete(h.prompts, promptKey{req.Model, req.PromptID})
}

func (h *health) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.models)
	clear(h.left)
	clear(h.prompts)
}
