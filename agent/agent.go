package agent

import (
	"slices"
	"sync"
	"time"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// Config is what an agent is made of. Generator, Model, Tools and Gate must be
// set; the rest may be zero.
type Config struct {
	Generator llm.Generator
	Model     string
	Tools     *tool.Registry
	Gate      Gate

	SessionID string
	// System returns the system instruction for a model. It should return the
	// same pointer as long as the text is the same.
	System func(model string) *llm.Content
	// Context opens the history: what the model is told before the first prompt.
	Context []Message
	// Sampling returns temperature, thinking and the like for a model, retry
	// saying that an unusable answer is being asked for again; nil leaves it to
	// the catalog.
	Sampling func(model string, retry bool) llm.Config
	// Limit returns how many tokens a model takes; nil leaves it to the catalog.
	Limit func(model string) int
	// MaxTurns bounds the model requests of the session; nil does not.
	MaxTurns *int
	// Retry is how often an unusable answer is asked for again.
	Retry StreamRetry
	// DropInvalidPrompts leaves out of what is sent, with an unusable answer in
	// a loaded history, also the prompt before it (the seeds' rule).
	DropInvalidPrompts bool
	// ContinueInvalid asks the model once to go on after an unusable answer
	// (the seeds' rule).
	ContinueInvalid bool
	// ForgetCancelled takes a cancelled prompt back as if it had never been
	// given, its finished tool rounds included. Without it they are kept: what
	// tools have done is done, and the model should know.
	ForgetCancelled bool

	Journal      Journal
	Hooks        Hooks
	Compressor   Compressor
	Masker       Masker
	Editor       Editor
	LoopDetector LoopDetector
	Router       Router
	NextSpeaker  NextSpeaker

	// Now is the clock; nil is the real one.
	Now func() time.Time
}

// Agent is one conversation. Runs of one agent happen one after the other; a
// second waits for the first.
type Agent struct {
	cfg     Config
	running sync.Mutex // held by Run
	tokens  int        // of the last request, as the model counted or as estimated
	turns   int        // model requests so far
	prompts int
	calls   int            // for ids
	looked  bool           // the model knows what the person has open
	windows map[string]int // of models whose server has named one that is smaller than known

	mu       sync.Mutex // guards what may be looked at and changed during a run
	model    string     // that answers the next prompt
	history  history
	toolSets map[bool]*llm.ToolSet
}

// New returns an agent at the start of its conversation.
func New(cfg Config) *Agent {
	if cfg.Sampling == nil {
		cfg.Sampling = func(model string, retry bool) llm.Config { return catalog.ChatConfig(model) }
	}
	if cfg.Limit == nil {
		cfg.Limit = func(model string) int { return catalog.Lookup(model).Input }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Retry = cfg.Retry.orDefault()
	a := &Agent{cfg: cfg, model: cfg.Model, toolSets: map[bool]*llm.ToolSet{}}
	a.history.dropPrompt = cfg.DropInvalidPrompts
	a.SetHistory(cfg.Context)
	return a
}

// History returns the conversation so far, all of it.
func (a *Agent) History() []Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.history.all)
}

// After returns what was said after the message with this content, all of the
// conversation if there is none such. It costs what it returns, and may be called
// during a run.
func (a *Agent) After(seen *llm.Content) []Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := len(a.history.all)
	for i > 0 && a.history.all[i-1].Content != seen {
		i--
	}
	return slices.Clone(a.history.all[i:])
}

// SetHistory replaces the conversation, the opening context included, without
// telling the journal. Function calls and responses without an id get one. It
// waits for a run to end, so it must not be called from within one.
func (a *Agent) SetHistory(messages []Message) {
	a.running.Lock()
	defer a.running.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.history.set(withIDs(messages))
	a.tokens, a.looked = a.history.tokens, false
}

// SetModel makes another model answer from the next prompt on.
func (a *Agent) SetModel(model string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.model = model
}

// RefreshTools makes the next request declare the registry's tools anew.
func (a *Agent) RefreshTools() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.toolSets)
}
