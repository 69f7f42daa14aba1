package agent

import (
	"context"
	"encoding/json"
	"time"

	"pollux/llm"
	"pollux/tool"
)

// ToolCall is a model's call on its way through the scheduler and the gate.
// It does not change.
type ToolCall struct {
	// ID is unique in the session: "<name>__<the model's id>".
	ID       string
	Name     string // as the model wrote it
	Args     json.RawMessage
	PromptID string
	// FromClient marks calls that a person's command made, not the model.
	FromClient bool
	// Typed marks those that a person has written word for word: no rule stands
	// between them and what they could do in the next terminal.
	Typed bool
	// Room is how many tokens the model's window has left, 0 if unknown.
	Room int
}

// Gate is the one way in which a tool call reaches the world. In order:
// validate, policy, hooks, confirm; then, when the admission is run, snapshot,
// sandboxed run, hooks, trim, record.
//
// Its methods are called from several goroutines at once.
type Gate interface {
	// Admit decides about one call. It may take as long as a person takes to
	// answer; ask is how to ask one. When ctx is cancelled it returns a
	// cancelled admission.
	Admit(ctx context.Context, call *ToolCall, t tool.Tool, ask Ask) Admission
}

// Admission is a gate's answer: exactly one of Run and Refusal is set.
type Admission struct {
	// Summary is what the call does, in one line; Args are the arguments it
	// runs with, which a hook or a person may have changed.
	Summary string
	Args    json.RawMessage
	// Outcome is how the call was approved.
	Outcome tool.Outcome
	// Run runs the call, at most once.
	Run func(ctx context.Context, host tool.Host) *tool.Result
	// Refusal is the result of a call that will not run.
	Refusal *tool.Result
	// Cancelled says that a person refused: the calls behind it are off too. The
	// run goes on all the same if Refusal has content, for that is what they want
	// instead.
	Cancelled bool
}

// Ask shows a person what a call would do and waits for the answer. It returns
// an error only if ctx ended first.
type Ask func(ctx context.Context, details tool.Confirmation) (Answer, error)

// Answer is a person's answer.
type Answer struct {
	Outcome tool.Outcome
	// Content, where set, is the person's version of what an edit proposed.
	Content *string
	// Reply, where set, is what else the confirmation asked for.
	Reply *tool.Reply
	// Feedback, with [tool.Cancel], is what the person wants instead: the model
	// hears it as the call's result, and the run goes on.
	Feedback string
}

// Journal keeps a conversation on disk. Each method returns only when the
// change is as safe as the journal makes it; an error does not stop the run.
type Journal interface {
	// Append records a message that joins the history, before it is shown.
	Append(ctx context.Context, m Message) error
	// Rewind forgets the message with this id and all that follow.
	Rewind(ctx context.Context, id string) error
}

// Message is one entry of a history.
type Message struct {
	ID      string
	Content *llm.Content
	// Shown is the prompt as the user wrote it, where Content is an expansion.
	Shown string
	// Time is when it joined the history; zero if that is not known.
	Time time.Time
	// Thoughts, Usage and Model belong to a model's message.
	Thoughts []Thought
	Usage    *llm.Usage
	Model    string
}

// Hooks are the user's programs around the model. A nil Hooks is none.
// (Hooks around tools belong to the gate.)
type Hooks interface {
	// BeforeAgent runs once per prompt. Block drops the prompt, Stop keeps it
	// in the history; either ends the run. Context is added to the prompt.
	BeforeAgent(ctx context.Context, prompt string) Verdict
	// AfterAgent runs when the run is over. Block sends Reason back to the
	// model as a further prompt; again says that this has happened before.
	AfterAgent(ctx context.Context, prompt, response string, again bool) Verdict
	// BeforeModel runs before each attempt of each request, which it may
	// change. Reply, where set, is used in place of the model's answer.
	BeforeModel(ctx context.Context, req *llm.Request) (v Verdict, reply *llm.Response)
	// AfterModel sees each chunk, and may put another in its place.
	AfterModel(ctx context.Context, req *llm.Request, chunk *llm.Response) (v Verdict, shown *llm.Response)
}

// Verdict is what a hook decided; the zero Verdict lets things go on.
type Verdict struct {
	Stop          bool
	Block         bool
	Reason        string
	SystemMessage string
	Context       string
	ClearContext  bool
}

// Compressor shortens a history that has grown too long.
type Compressor interface {
	// Compress returns the history to go on with. It returns the history itself,
	// with status NoOp, as long as it is below its threshold and is not forced. A
	// history that ends with calls still does so afterwards: their results are
	// sent next. Messages of [Config.Context] at its head stay. It never fails the
	// run: a failure is a status.
	Compress(ctx context.Context, c Overlong) ([]Message, Compression)
}

// Overlong is a history that may be too long.
type Overlong struct {
	History []Message
	Model   string // that answers, and whose window counts
	Tokens  int    // that the history is to it
	Limit   int    // of its window; 0 if unknown
	// Force compresses whatever the size: a person asks for it, or the vendor has
	// refused a request.
	Force bool
	// Focus is what that person wants the summary to keep above all; "" for nothing.
	Focus    string
	PromptID string
}

// Compression tells what a [Compressor] did.
type Compression struct {
	Status CompressionStatus
	Before int // tokens
	After  int
}

// Shorter reports whether the history has been replaced.
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

// Masker puts what tools said long ago out of the model's sight.
type Masker interface {
	// Mask returns the history with old outputs replaced by where they can be
	// read, and how many tokens that saves: 0 for the history itself. Messages that
	// do not change keep their Content.
	Mask(ctx context.Context, history []Message) (masked []Message, saved int)
}

// Editor tells what the person has open.
type Editor interface {
	// Look returns what has changed since the last call, or all there is if full
	// is set; "" for nothing.
	Look(full bool) string
}

// LoopDetector notices a model that goes in circles. It is used by one
// goroutine at a time.
type LoopDetector interface {
	// Reset starts a new prompt.
	Reset(prompt string)
	// Turn is called before each model turn and may ask a model.
	Turn(ctx context.Context, history []Message) (loop Loop, found bool)
	// See is shown each event of a turn.
	See(Event) (loop Loop, found bool)
}

// Loop is a circle that a model goes in.
type Loop struct {
	Kind   string // spec/agent.md §14, "chanting_identical_sentences" ...
	Detail string // for the model, in a sentence
}

// Router picks the model for a prompt.
type Router interface {
	Route(ctx context.Context, r Routing) (model string)
}

// Routing is what a router goes by.
type Routing struct {
	History  []Message
	Prompt   *llm.Content
	Model    string // that the user has chosen
	PromptID string
}

// NextSpeaker says who should speak after an answer without tool calls.
type NextSpeaker interface {
	Next(ctx context.Context, history []Message) llm.Role
}
