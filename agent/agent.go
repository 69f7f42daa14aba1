package agent

import (
	"cmp"
	"context"
	"sync"
	"time"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/tool"
)

// Config holds the parts of an agent. Generator, Model, Tools and Gate must be set; all other
// fields may be zero.
type Config struct {
	Generator llm.Generator
	Model     string
	Tools     *tool.Registry
	Gate      Gate

	// SessionID is the session that the conversation belongs to; [Agent.Restart]
	// begins another.
	SessionID string
	// System returns the system instruction in a form. It should return the same pointer as long
	// as the text is the same. If System is nil, there is none.
	System func(form tool.Form) *llm.Content
	// Form returns the form of the system instruction and the tool declarations for a model with
	// a context window of this size in tokens, see [Agent.Window]; 0 means unknown. A nil Form is
	// [tool.Full] for older models and [tool.Brief] for all others.
	Form func(model string, window int) tool.Form
	// Context holds the messages at the head of the history, before the first prompt.
	Context []Message
	// Sampling returns the temperature, the thinking level and other sampling parameters for a
	// model. retry is true if the last response was unusable and the request is sent again. A
	// nil Sampling uses the catalog.
	Sampling func(model string, retry bool) llm.Config
	// Use is the purpose of the requests. "" is [llm.UseMain].
	Use llm.Use
	// Limit returns the size of a model's context window in tokens, or 0 if it is unknown. A
	// nil Limit uses the catalog.
	Limit func(model string) int
	// ToolRoom returns the number of tokens that the declarations of servers' tools may take in a context window of
	// this size, 0 if it is unknown, see [tool.Finder]; negative for no limit. A nil ToolRoom sets no limit.
	ToolRoom func(window int) int
	// Settle waits until tools that are about to change have changed. It is called before each request and before a call of
	// a tool that does not exist is answered. It may be nil.
	Settle func(ctx context.Context)
	// WhyHidden returns why the model does not see a tool that there may be, as a sentence, "" if
	// there is no reason. A nil WhyHidden gives no reasons.
	WhyHidden func(name string) string
	// NotFound returns the answer to a call of a tool that the last request did not declare, "" for the
	// usual one, which names similar tools. It may be nil.
	NotFound func(name string) string
	// MaxTurns is the number of model requests that a session may make; nil means no limit.
	MaxTurns *int
	// Parallel returns the rule for which calls of one response run at the same time. A nil Parallel is always
	// ParallelEffects.
	Parallel func() Parallel
	// Retry limits the repetitions of a request after an unusable response.
	Retry StreamRetry
	// StandIn is called when the responses of a model to a prompt have broken off as often as
	// Retry allows, the last one with err. It returns whether the Generator has another model
	// answer the prompt's requests to that model from now on. A nil StandIn has none.
	StandIn func(model, promptID string, err error) bool
	// DropInvalidPrompts also leaves the prompt out of later requests if its response is
	// unusable. Otherwise only the response is left out. It applies to loaded histories.
	DropInvalidPrompts bool
	// ContinueInvalid asks the model once to continue after an unusable response.
	ContinueInvalid bool
	// StopAtLoop ends the run at the first loop that the LoopDetector finds. Otherwise the model is warned first.
	StopAtLoop bool
	// AtLoop is called before a loop ends the run. If it returns true, the run goes on as if there was no loop; it should
	// have turned the LoopDetector off. A nil AtLoop ends the run.
	AtLoop func(ctx context.Context, loop Loop) (goOn bool)
	// Share is the fraction of the free part of the window that a message may take; a larger one ends the run with
	// [Overflow] if the history cannot be made shorter. 0 is 1: all of it.
	Share float64
	// ForgetCancelled removes a cancelled prompt from the history, together with the tool
	// calls that finished and the part of the answer that had arrived. Otherwise the history keeps them,
	// so that the model knows the work done so far. A prompt that KeepUnanswered keeps stays, too.
	ForgetCancelled bool
	// KeepUnanswered reports whether a prompt of which no part of an answer was shown is kept, so that a later prompt
	// or another process can continue it. Its argument is the error of the failed request, or the
	// cause of the cancellation. Otherwise the prompt is removed. A nil KeepUnanswered keeps none.
	KeepUnanswered func(cause error) bool

	// Rewritten is called with the history if a part of it was replaced or removed, by a compression for example: before
	// the calls of the next response run, and at the end of a run. It may be nil.
	Rewritten func(history []Message)

	Journal      Journal
	Hooks        Hooks
	Compressor   Compressor
	Masker       Masker
	Shortener    Shortener
	IDE          IDE
	LoopDetector LoopDetector
	Router       Router
	NextSpeaker  NextSpeaker
	Reviewer     Reviewer
	// Unfinished reports whether a response without tool calls leaves work undone: it announces
	// some, or is an empty response to tool results. The model is then asked to go on, at
	// most twice for each prompt. A nil Unfinished reports none.
	Unfinished func(Ending) bool
	// Reminder returns a message to the model about work that the end of the run would cut off, "" if there is none. The
	// agent calls it when the model has given its answer, and sends the message. A nil Reminder has none.
	Reminder func() string

	// Now returns the current time; nil is time.Now. Several goroutines may call it at once.
	Now func() time.Time
}

// Agent holds one conversation with a model. Its methods may be called from any goroutine. A
// run, and each method that changes the conversation, waits for the run in progress to end.
type Agent struct {
	cfg     Config
	running sync.Mutex // held while the conversation changes
	conv    *conversation

	mu    sync.Mutex // guards model, which may change during a run
	model string     // of the next prompt
}

// New returns an agent at the start of its conversation.
func New(cfg Config) *Agent {
	if cfg.Sampling == nil {
		cfg.Sampling = func(model string, retry bool) llm.Config { return catalog.ChatConfig(model) }
	}
	if cfg.Limit == nil {
		cfg.Limit = func(model string) int { return catalog.Lookup(model).Input }
	}
	if cfg.Form == nil {
		cfg.Form = formOf
	}
	if cfg.ToolRoom == nil {
		cfg.ToolRoom = func(int) int { return -1 }
	}
	if cfg.Settle == nil {
		cfg.Settle = func(context.Context) {}
	}
	if cfg.LoopDetector == nil {
		cfg.LoopDetector = noLoops{}
	}
	if cfg.Parallel == nil {
		cfg.Parallel = func() Parallel { return ParallelEffects }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if !(cfg.Share > 0 && cfg.Share <= 1) {
		cfg.Share = 1
	}
	cfg.Use = cmp.Or(cfg.Use, llm.UseMain)
	cfg.Retry.Attempts, cfg.Retry.Delay = cmp.Or(cfg.Retry.Attempts, 4), cmp.Or(cfg.Retry.Delay, time.Second)
	c := &conversation{journal: cfg.Journal, now: cfg.Now, history: history{dropPrompt: cfg.DropInvalidPrompts}}
	c.restart(context.Background(), cfg.SessionID, cfg.Context)
	return &Agent{cfg: cfg, conv: c, model: cfg.Model}
}

// formOf returns the form of the declarations for a model's family.
func formOf(model string, _ int) tool.Form {
	if catalog.IsModern(model) {
		return tool.Brief
	}
	return tool.Full
}

// History returns a copy of all messages so far. It may be called during a run.
func (a *Agent) History() []Message { return a.conv.messages() }

// Conversation returns the conversation as tools know it.
func (a *Agent) Conversation() tool.Conversation { return a.conv.identity() }

// Opening returns the messages that open the conversation: [Config.Context], or those of [Agent.Restart] or
// [Agent.ReplaceContext]. They may be gone from the history. It may be called during a run.
func (a *Agent) Opening() []Message { return a.conv.openingMessages() }

// MessagesAfter returns the messages after the one with this content, or all messages if there
// is none. Its cost depends on the number of messages that it returns, not on the length of
// the history. It may be called during a run.
func (a *Agent) MessagesAfter(seen *llm.Content) []Message { return a.conv.after(seen) }

// SetHistory replaces all messages, [Config.Context] included, for example to resume a
// session. Messages, function calls and function responses without an id get one. If the
// history ends with calls without a response, the next run, or [Agent.AddMessage], first adds
// a response to each that reports it as cancelled.
//
// SetHistory waits for the run in progress to end, so a consumer of a run's events must not
// call it.
func (a *Agent) SetHistory(ctx context.Context, messages []Message) {
	a.running.Lock()
	defer a.running.Unlock()
	a.conv.load(ctx, messages)
}

// Window returns the size of a model's context window in tokens: the size that [Config.Limit]
// returns, or the one that the model's server reported in an error if that is smaller; 0 if
// both are unknown. It may be called during a run.
func (a *Agent) Window(model string) int { return a.conv.window(model, a.cfg.Limit(model)) }

// Room returns the largest number of tokens that files and other additions to a prompt should
// have: half of the free part of the model's window, and 0 if the window is unknown. It may be
// called during a run.
func (a *Agent) Room() int {
	model := a.chosenModel()
	limit := a.Window(model)
	if limit == 0 {
		return 0
	}
	fixed := a.RequestConfig(model)
	opening, others, _ := a.conv.size()
	return max(1, (limit-fixed.Tokens()-opening-others)/2)
}

// NewPromptID returns an id for [Prompt.ID] that is unique in the session. It may be called
// during a run.
func (a *Agent) NewPromptID() string { return a.conv.promptID() }

func (a *Agent) chosenModel() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.model
}

// SetModel sets the model for the next prompt. It may be called during a run.
func (a *Agent) SetModel(model string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.model = model
}
