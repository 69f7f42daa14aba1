package fallback

import (
	"sync"
	"time"

	"pollux/llm"
)

// pause is how long a model is left alone that may soon have room again.
const pause = 30 * time.Second

// longestPause bounds what a server may ask for.
const longestPause = 5 * time.Minute

// health remembers which models could not answer, and for how long that holds
// (spec/agent.md §9: terminal and sticky_retry; a model that is not here is ok).
type health struct {
	mu     sync.Mutex
	models map[string]illness
	// prompts holds failures that count for one prompt. Several prompts may be
	// worked on at once, of subagents for instance.
	prompts map[stuck]error
}

type illness struct {
	err   error
	until time.Time // zero: the end of the session
}

type stuck struct{ model, prompt string }

// maxStuck bounds what is remembered of prompts, most of which are over.
const maxStuck = 256

// of returns why a model cannot answer this prompt, nil if it may.
func (h *health) of(model, prompt string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ill, ok := h.models[model]; ok && (ill.until.IsZero() || time.Now().Before(ill.until)) {
		return ill.err
	}
	return h.prompts[stuck{model, prompt}]
}

// failed remembers a failure, as long as a state and its kind say. A question on
// the side has not tried hard enough to tell that a model is busy.
func (h *health) failed(req *llm.Request, e *llm.Error, s State) {
	lasting := e.Kind == llm.KindQuota || kindOf(e) == NotFound
	if req.Use.Aside() && !lasting {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case s == Sticky && req.PromptID != "": // else nothing tells where it ends
		if len(h.prompts) >= maxStuck {
			clear(h.prompts)
		}
		if h.prompts == nil {
			h.prompts = map[stuck]error{}
		}
		h.prompts[stuck{req.Model, req.PromptID}] = e
	case s == Gone && lasting:
		h.ill(req.Model, illness{err: e})
	case s == Gone:
		h.ill(req.Model, illness{e, time.Now().Add(max(pause, min(e.RetryAfter, longestPause)))})
	}
}

// leave remembers that a model is not to be asked any more.
func (h *health) leave(model string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ill(model, illness{err: err})
}

func (h *health) ill(model string, i illness) {
	if h.models == nil {
		h.models = map[string]illness{}
	}
	h.models[model] = i
}

// well forgets the failures of a model that has answered.
func (h *health) well(req *llm.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.models, req.Model)
	delete(h.prompts, stuck{req.Model, req.PromptID})
}

func (h *health) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.models)
	clear(h.prompts)
}
