package agent

import (
	"time"

	"pollux/llm"
	"pollux/tool"
)

// Event is something that happened in a run. The kinds are the types in this
// file. Every face handles each of them, or says in its own table why not;
// a test holds the list.
//
// Per model turn the order is: TurnStarted; ModelInfo once per prompt, Switched
// where that changes; Thinking and Text as they come, and a Thought where one
// has ended; Citations; ToolRequested for each call, once the answer is complete
// and valid; Finished. Each requested call then ends in exactly one
// ToolFinished, with ToolUpdated and ToolAsked before it.
type Event interface{ event() }

// TurnStarted opens a model turn: one request and its answer.
type TurnStarted struct {
	Turn int // from 1, counted over the session
}

// ModelInfo says which model answers this prompt.
type ModelInfo struct{ Model string }

// Switched says that the model could not answer, and that another one answers
// the rest of this prompt.
type Switched struct{ llm.Switch }

// Text is a piece of the answer.
type Text struct{ Text string }

// Thinking is a piece of the model's reasoning, as it comes: a few letters or a
// whole thought.
type Thinking struct {
	Subject string // of the thought that Text belongs to, "" while it is not known
	Text    string
}

// Thought is a whole thought, all of which Thinking has shown before. Thoughts
// beyond the first MiB of an answer's are not put together.
type Thought struct {
	Subject     string // its first **bold** words
	Description string // the rest
}

// Citations are the sources that an answer quotes, as text to show after it.
type Citations struct{ Text string }

// Finished closes a model turn that gave an answer.
type Finished struct {
	Reason llm.FinishReason
	Usage  *llm.Usage // nil if the model did not say
}

// Retried says that the answer so far was broken and is being asked for again:
// everything shown since TurnStarted is void.
type Retried struct{ Cause InvalidStream }

// Waiting says that a request failed and when it will be tried again.
type Waiting struct{ llm.Retry }

// ToolRequested is a call that the model asks for.
type ToolRequested struct{ Call *ToolCall }

// ToolUpdated says that a call has moved on.
type ToolUpdated struct {
	Call    *ToolCall
	Status  Status
	Summary string       // what the call does, once it is known
	Output  tool.Display // what it has so far, while executing
	PID     int          // the process that does the work; 0 if there is none
}

// ToolAsked says that a call waits for a person. The face calls Answer once,
// from any goroutine; calls after the first do nothing. A face that cannot
// ask answers with [tool.Cancel].
type ToolAsked struct {
	Call    *ToolCall
	Details tool.Confirmation
	Answer  func(Answer)
}

// ToolFinished is the end of a call.
type ToolFinished struct {
	Call     *ToolCall
	Status   Status // Success, Failed or Cancelled
	Result   *tool.Result
	Response []llm.Part // what the model gets
	Outcome  tool.Outcome
	Duration time.Duration
}

// Compressed says that the history was replaced by a shorter one.
type Compressed struct{ Compression }

// Overflow says that the prompt has no answer: it does not fit the model's
// window, also with the history compressed.
type Overflow struct {
	// Estimate is how many tokens the prompt is, and Remaining how many were left
	// for it. Where the vendor has refused it, they are of the whole request and
	// of the window; 0 where nobody knows.
	Estimate, Remaining int
	Err                 error // the vendor's refusal; nil if the prompt was not even sent
}

// InvalidStream says that the model gave no usable answer, retries included.
type InvalidStream struct {
	Type    string // spec/agent.md §11.3, "NO_RESPONSE_TEXT" ...
	Message string
}

// LoopDetected says that the model goes in circles and the run was stopped.
type LoopDetected struct{ Kind string }

// MaxTurns says that the session has used up its model turns.
type MaxTurns struct{ Limit int }

// Stopped says that a hook or a tool ended the run.
type Stopped struct {
	Reason         string
	SystemMessage  string
	ContextCleared bool
}

// Blocked says that a hook refused a prompt or an answer.
type Blocked struct {
	Reason        string
	SystemMessage string
}

// Cancelled says that the run was cancelled: by its context, or by a person
// who refused all that the model asked for.
type Cancelled struct{}

func (TurnStarted) event()   {}
func (ModelInfo) event()     {}
func (Switched) event()      {}
func (Text) event()          {}
func (Thinking) event()      {}
func (Thought) event()       {}
func (Citations) event()     {}
func (Finished) event()      {}
func (Retried) event()       {}
func (Waiting) event()       {}
func (ToolRequested) event() {}
func (ToolUpdated) event()   {}
func (ToolAsked) event()     {}
func (ToolFinished) event()  {}
func (Compressed) event()    {}
func (Overflow) event()      {}
func (InvalidStream) event() {}
func (LoopDetected) event()  {}
func (MaxTurns) event()      {}
func (Stopped) event()       {}
func (Blocked) event()       {}
func (Cancelled) event()     {}

// Events returns one value of every kind, for the tests of faces.
func Events() []Event {
	return []Event{
		TurnStarted{},
		ModelInfo{},
		Switched{},
		Text{},
		Thinking{},
		Thought{},
		Citations{},
		Finished{},
		Retried{},
		Waiting{},
		ToolRequested{},
		ToolUpdated{},
		ToolAsked{},
		ToolFinished{},
		Compressed{},
		Overflow{},
		InvalidStream{},
		LoopDetected{},
		MaxTurns{},
		Stopped{},
		Blocked{},
		Cancelled{},
	}
}

// Status is where a tool call is (spec/tools.md §5.1).
type Status string

// The states of a call; the last three are final.
const (
	Validating       Status = "validating"
	Scheduled        Status = "scheduled"
	Executing        Status = "executing"
	AwaitingApproval Status = "awaiting_approval"
	Success          Status = "success"
	Failed           Status = "error"
	CallCancelled    Status = "cancelled"
)
