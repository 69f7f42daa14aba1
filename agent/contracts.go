package agent

import (
	"context"
	"encoding/json"
	"time"

	"pollux/llm"
	"pollux/tool"
)

// ToolCall is a call of a tool. It does not change on its way through the scheduler and the
// gate.
type ToolCall struct {
	// ID is unique in the session. It has the form "<name>__<id given by the model>".
	ID       string
	Name     string // as the model wrote it
	Args     json.RawMessage
	PromptID string
	// FromClient is true if a person's command made the call, not the model.
	FromClient bool
	// Typed is true if a person typed the call word for word. No policy rule applies to it,
	// because the person could run the same command in another terminal.
	Typed bool
	// Requested is the name of the tool that the model called, if a hook continued that call with this one;
	// else "".
	Requested string
	// MustAsk is true if a person is asked before the call runs, even if the policy allows it.
	MustAsk bool
	// Joined is the number of the next calls of the response that are parts of the same change, see
	// [llm.FunctionCall].
	Joined int
	// Room is the number of tokens that the result may have, 0 if the model's window is unknown:
	// the share of this call in the room for all results of the response. The [Shortener] shortens
	// longer results before the agent sends them.
	Room int
}

// A Gate decides whether a tool call runs, and runs it. Every tool call goes through it, in
// this order: validate, hooks, policy, confirm; then, when the caller runs the admission,
// the run within its steps (journal, snapshot, sandbox), hooks, trim, record.
//
// Its methods are called from several goroutines at once.
type Gate interface {
	// Admit decides about one call. It calls ask to ask a person and may wait for the answer
	// as long as it takes. When ctx is cancelled it returns a cancelled admission.
	Admit(ctx context.Context, call *ToolCall, t tool.Tool, ask Ask) Admission
}

// Admission is the decision of a [Gate] about a tool call.
type Admission struct {
	// Call is the call that runs, as hooks and a person may have changed it; nil if the arguments are
	// invalid.
	Call *PreparedCall
	// Record is the record of the call so far. If the call does not run, it is complete, and its Result
	// is the answer to the model.
	Record Execution
	// Run runs the call, at most once. It returns the records of its run, of further runs with more permission,
	// and of the calls with which hooks continued it, in order; the result of the last one is the answer to the
	// model. Run is nil if the call does not run.
	Run func(ctx context.Context, host Host) []Execution
	// Cancelled is true if a person refused the call. The later calls of the same response are
	// cancelled too. The run continues if the result has content, which is the person's feedback.
	Cancelled bool
}

// Journal records the conversations of an agent, each under its session id. The agent
// reports every change of the history to it before it makes the change, so the history can
// be rebuilt from the record at any time.
//
// Each method returns when the change is as durable as the journal makes it. An error does
// not stop the run: the journal itself warns the user. The agent calls one method at a
// time. The context is not cancelled when the run is.
type Journal interface {
	// Begin starts or continues the record of a session: its history is now these
	// messages. [New], [Agent.Restart] and [Agent.SetHistory] call it. Begin may leave the
	// work to the first Append, so that a session without a prompt leaves no record.
	Begin(ctx context.Context, sessionID string, history []Message) error
	// Append records a message at the end of the history, before it is sent or acted on.
	Append(ctx context.Context, e Entry) error
	// Rewind removes the message with this id and all that follow it.
	Rewind(ctx context.Context, id string) error
	// Replace records that the history is now these messages, after a compression or
	// another change of older messages. A message with an id that was in the history
	// before keeps the calls that were recorded with it; its content may have changed.
	Replace(ctx context.Context, history []Message) error
}

// Spender is an optional ability of a [Journal].
type Spender interface {
	// SpendMain records the usage of a response that is not in the history, because another one replaces
	// it. usage is nil if the provider did not report it.
	SpendMain(model string, usage *llm.Usage, took time.Duration) error
}

// CallRecorder is an optional ability of a [Journal]: it records the calls of a response while they run, so that
// the record shows after a crash which calls had ended, which were cut off and which had not begun. Its methods may
// be called from several goroutines at once.
type CallRecorder interface {
	// BeginCall records that the call with this id begins to run, before it does. The agent leaves it out for
	// tools that only read files: it makes no difference whether they began.
	BeginCall(id string) error
	// EndCall records the results of a call that has ended before others of its response have.
	EndCall(e Entry) error
	// EndCalls records the message with the results of all calls of a response. [Journal.Append] gets the
	// message with the same ID again when it joins the history, possibly with another content.
	EndCalls(e Entry) error
}

// Entry is a message with additional data for a [Journal].
type Entry struct {
	Message
	// Calls are the finished tool calls whose results the message holds, in the same order.
	// The message's Content holds the parts of each for the model: the function response with the
	// call's ID, and the media that follow it.
	Calls []CallRecord
}

// CallRecord describes a finished tool call.
type CallRecord struct {
	ID     string          // see [ToolCall]
	Name   string          // as the model wrote it
	Args   json.RawMessage // as the model wrote them
	Status Status          // Success, Failed or CallCancelled
	// HasRun reports whether a tool began to run, or may have begun.
	HasRun bool
	// IsInterrupted reports that the end of the process cancelled the call, not a person.
	IsInterrupted bool
	// Description describes the call in one line, as [tool.Invocation.Summary] does; "" if it was not prepared.
	Description string
	// Display is the form of the result for people; nil for none.
	Display tool.Display
	// Plain reports that the text in Display is not Markdown.
	Plain bool
	// AgentID is the id of the subagent that did the work; "" for none.
	AgentID string
	// Executions are the records of the executions for the call, in order, without the content for the
	// model. Old records lack them.
	Executions []Execution
	// Ended is when the call ended. Active is how long it took, without the time in which it waited for a
	// person's answer or for other calls.
	Ended  time.Time
	Active time.Duration
}

// Ran returns the executions for the call, one made from the call itself if there are none.
func (c *CallRecord) Ran() []Execution {
	if len(c.Executions) > 0 {
		return c.Executions
	}
	return []Execution{{Name: c.Name, Args: c.Args, Summary: c.Description, Status: c.Status, HasRun: c.HasRun, Result: &tool.Result{Display: c.Display}}}
}

// Message is one entry of a history.
type Message struct {
	ID      string // unique in the session
	Content *llm.Content
	// Shown is the text that the user typed, if the text of Content is an expansion of it.
	Shown string
	// IsPrompt reports whether the message is a prompt of the user, not a text of Pollux's.
	IsPrompt bool
	// Time is when the message joined the history; zero if that is unknown.
	Time time.Time
	// Thoughts, Usage and Model are set in a model's message.
	Thoughts []Thought
	Usage    *llm.Usage
	Model    string
}

// Hooks run the user's programs around the model. Hooks around tools belong to the
// [Gate].
type Hooks interface {
	// BeforeAgent runs once per prompt. Block removes the prompt, Stop keeps it in the
	// history; either ends the run. Context is added to the prompt.
	BeforeAgent(ctx context.Context, prompt string) Verdict
	// AfterAgent runs at the end of the run. Block sends Reason to the model as another
	// prompt; again is set if that happened before.
	AfterAgent(ctx context.Context, prompt, response string, again bool) Verdict
	// BeforeModel runs before each attempt of each request, and may change the request. Stop and
	// Block end the run. With Block, the events report the text of reply, if it is not nil, as the
	// model's response; the history does not get it.
	BeforeModel(ctx context.Context, req *llm.Request) (v Verdict, reply *llm.Response)
	// AfterModel runs for each chunk of a response. If instead is not nil, it replaces the chunk
	// in the events and in the history. Stop and Block end the run without the chunk, and the
	// history gets nothing of the response; with Block, the events report the text of instead.
	AfterModel(ctx context.Context, req *llm.Request, chunk *llm.Response) (v Verdict, instead *llm.Response)
	// PreCompress runs each time the agent checks the size of a history, before the
	// [Compressor] decides whether to compress it: before every request of the loop, and when
	// a person requests a compression.
	PreCompress(ctx context.Context, trigger CompressTrigger)
}

// CompressTrigger is the cause of a compression. The values appear in JSON.
type CompressTrigger string

// The triggers.
const (
	CompressAuto   CompressTrigger = "auto"   // the loop checks the size
	CompressManual CompressTrigger = "manual" // a person requests it
)

// Verdict is the decision of a hook. The zero Verdict lets the run go on. See [Hooks] for
// the meaning of Block and Stop in each hook.
type Verdict struct {
	Stop          bool
	Block         bool
	Reason        string // of Stop or Block
	SystemMessage string // for the user
	Context       string // for the model, from BeforeAgent
	ClearContext  bool   // removes all messages but [Config.Context], from AfterAgent
}

// Compressor shortens a history that is too long.
type Compressor interface {
	// Compress returns the history to continue with. If the history is below the threshold of
	// the Compressor, and Force is not set, Compress returns it unchanged with status
	// [CompressNoOp]. If the history ends with tool calls, so does the result, because their
	// responses are sent next. The messages of [Config.Context] at its head stay. A failure is
	// a status, not an error.
	Compress(ctx context.Context, c CompressRequest) ([]Message, Compression)
}

// Forecaster is an optional ability of a [Compressor]: it predicts the effect of a compression, so that the results of
// the calls before it have the room that it will free.
type Forecaster interface {
	// Forecast estimates the tokens that the history would have after Compress. It changes nothing.
	Forecast(c CompressRequest) int
}

// CompressRequest is the input of a [Compressor]: a history that may be too long for a model.
type CompressRequest struct {
	History []Message
	Model   string // of the next request
	Tokens  int    // in History, as the model counted them or as estimated
	Limit   int    // size of the model's context window; 0 if it is unknown
	Fixed   int    // estimate of those of Tokens that no compression saves: instruction, tools, opening
	// Force requests a compression whatever the size: a person wants one, or the next request
	// would be too long.
	Force bool
	// Room is the number of tokens that the history may have so that the next request fits, 0
	// if the conversation can go on with the history as it is. If a summary fails or is not
	// short enough, the Compressor then shortens or drops the oldest messages.
	Room int
	// Focus is the subject that the summary gives priority to; "" means none.
	Focus    string
	PromptID string
}

// Compression is the result of a [Compressor].
type Compression struct {
	Status CompressionStatus
	Before int // tokens of the history before the compression
	After  int // tokens of the history after the compression
}

// Shorter reports whether the compression replaced the history by a shorter one.
func (c Compression) Shorter() bool {
	return c.Status == CompressedOK || c.Status == CompressContentTruncated
}

// CompressionStatus is the outcome of a compression. The values appear in JSON.
type CompressionStatus int

// The outcomes.
const (
	CompressedOK             CompressionStatus = 1
	CompressInflated         CompressionStatus = 2
	CompressTokenCountError  CompressionStatus = 3
	CompressEmptySummary     CompressionStatus = 4
	CompressNoOp             CompressionStatus = 5
	CompressContentTruncated CompressionStatus = 6
)

// Masker replaces old tool output in a history.
type Masker interface {
	// Mask returns the history with old tool output replaced by the path of a file that holds
	// it. window is the size of the model's context window in tokens, 0 if it is unknown.
	// saved is the number of tokens that this saves, 0 if nothing changed. Messages keep their
	// ID, and unchanged messages their Content.
	Mask(ctx context.Context, history []Message, window int) (masked []Message, saved int)
}

// Shortener shortens tool results that are too long for the model's window.
type Shortener interface {
	// Shorten returns message with its tool results shortened, the longest first, so that the
	// message has at most about the given number of tokens. If that is not possible, because
	// of other parts or because each result keeps a beginning and an end, the message is as
	// short as it gets. Shorten returns message itself if it changes nothing.
	Shorten(ctx context.Context, message *llm.Content, tokens int) *llm.Content
}

// IDE describes to the model which files the person has open in their IDE.
type IDE interface {
	// Context returns the changes since the last call, or everything if full is set. It
	// returns "" if there is nothing to report.
	Context(full bool) string
}

// LoopDetector detects a model that repeats itself without progress. Only one goroutine at a
// time uses it.
type LoopDetector interface {
	// Reset discards all observations, because a new prompt starts.
	Reset(prompt string)
	// CheckTurn is called before each model turn. It may send a request to a model.
	CheckTurn(ctx context.Context, history []Message) (loop Loop, found bool)
	// Observe is called with each text and tool call of a response, with [Finished] after the last of them, with [Retried], and with
	// [ToolFinished] of a call that did not run because a person refused one before it. It
	// returns the loop that the event completes or continues.
	Observe(Event) (loop Loop, found bool)
}

// Loop describes how a model repeats itself.
type Loop struct {
	// Kind is "consecutive_identical_tool_calls", "chanting_identical_sentences" or
	// "llm_detected_loop".
	Kind   string
	Detail string // one sentence for the model
}

// Router selects the model for a prompt.
type Router interface {
	Route(ctx context.Context, r RouteRequest) (model string)
}

// RouteRequest is the input of a [Router].
type RouteRequest struct {
	History  []Message // before the prompt
	Prompt   *llm.Content
	Model    string // selected by the user
	PromptID string
}

// Ending is a response without tool calls, at the end of a run.
type Ending struct {
	Text      string   // "" for a response to tool results without visible text
	Tools     []string // names of the tools that the model could call
	HasCalled bool     // the model has called a tool since the prompt
}

// NextSpeaker decides after a response without tool calls whether the model continues.
type NextSpeaker interface {
	// Next returns [llm.RoleModel] if the model should continue. Any other value ends the run.
	Next(ctx context.Context, history []Message) llm.Role
}
