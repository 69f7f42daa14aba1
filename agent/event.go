package agent

import (
	"slices"
	"time"

	"pollux/llm"
	"pollux/tool"
)

// Event is something that happened in a run. [Events] lists the kinds. A face either shows a
// kind or lists why it does not.
//
// The order in a model turn is: TurnStarted; ModelInfo, in the first turn of a prompt;
// Thinking and Text, as they arrive, and a Thought at the end of each; Citations;
// ToolRequested for each call, when the response is complete and valid; Finished. Each
// requested call then ends in exactly one ToolFinished, with ToolUpdated and ToolAsked before
// it. Prompts added meanwhile are reported as Joined before the next TurnStarted.
type Event interface{ event() }

// TurnStarted opens a model turn: one request and its response.
type TurnStarted struct {
	Turn int // from 1, counted over the session
}

// ModelInfo reports the model of this prompt.
type ModelInfo struct{ Model string }

// Switched reports that the model could not respond, and that another model takes over for the
// rest of this prompt.
type Switched struct{ llm.Switch }

// Text is a piece of the response.
type Text struct{ Text string }

// Thinking is a piece of the model's reasoning, as it arrives: from a few letters to a whole
// thought.
type Thinking struct {
	Subject string // of the thought that Text belongs to; "" while it is unknown
	Text    string
}

// Thought is a complete thought. The [Thinking] events before it contain its text. After the
// first MiB of a response's thoughts, no more of them are reported.
type Thought struct {
	Subject     string    // its first **bold** words
	Description string    // the rest
	Time        time.Time // when it ended
}

// Citations are the sources that a response quotes, as text to show after it.
type Citations struct{ Text string }

// Finished closes a model turn that gave a response.
type Finished struct {
	Reason llm.FinishReason
	Usage  *llm.Usage // nil if the model did not report it
}

// Retried reports that the response was unusable or broke off, and that the request is sent again.
// Everything shown since TurnStarted is void. Attempt is the number of the next attempt, from 2 to
// MaxAttempts; both are 0 if the request was too large, the response repeated itself, or another
// model stands in.
type Retried struct {
	Cause       InvalidStream
	Attempt     int
	MaxAttempts int
}

// Waiting reports that a request failed and when it is sent again.
type Waiting struct{ llm.Retry }

// Silent reports that the model's server has sent nothing of its response yet: 10 s after the
// request was sent, and every 60 s from then on. It ends with the first event of the response.
type Silent struct{ llm.Silence }

// EditsLeft reports, at the end of a run, that the last edit of files has failed and that nothing has changed them
// since.
type EditsLeft struct{ Files []string } // absolute paths

// Joined reports that a prompt of [Agent.Steer] is part of the next request.
type Joined struct{ Prompt }

// ToolRequested is a call that the model requests.
type ToolRequested struct{ Call *ToolCall }

// ToolUpdated reports the progress of a call.
type ToolUpdated struct {
	Call    *ToolCall
	Status  Status
	Summary string // describes the call in one line; "" while it is unknown
	// Kind is the kind of the tool that is called or runs, [tool.KindOther] if there is none. Locations are the
	// files that the call reads or changes, as far as they are known.
	Kind      tool.Kind
	Locations []tool.Location
	// Running is the call that is scheduled or executing: the model's, as hooks and a person may have
	// changed it, the same with more permission, or one with which a hook continues it; nil while it is unknown.
	Running *PreparedCall
	Output  tool.Display // the output so far, while executing
	PID     int          // of the process that the call started; 0 if there is none
}

// ToolAsked reports that a call waits for a person's answer. The face calls Answer once, from any
// goroutine; later calls do nothing. A face that cannot ask answers with [tool.Cancel].
type ToolAsked struct {
	// Call is the call of the model's response that the question belongs to. Question has the call that
	// would run: a hook or a person may have changed this one, or a hook may continue it.
	Call     *ToolCall
	Question *Question
	Answer   func(tool.Answer)
	// Done is closed when the call waits no more, because of the answer or because it has ended.
	Done <-chan struct{}
	// Following is the number of questions about other calls that come right after this one.
	Following int
	// Within lists the calls in which the asking agent runs, the outermost first; nil for the
	// main agent.
	Within []*ToolCall
}

// Nested is an event of an agent that runs inside a tool call. The questions of such an agent
// are reported as ToolAsked instead.
type Nested struct {
	Call  *ToolCall // the call in which the agent runs
	Event Event
}

// ToolFinished is the end of a call.
type ToolFinished struct {
	Call   *ToolCall
	Status Status // Success, Failed or CallCancelled
	// Reason says why a cancelled call did not run, as a sentence for people; "" if it did, or if a person refused it.
	Reason   string
	Result   *tool.Result
	Response []llm.Part // the result for the model
	// Executions are the records of the executions for the call, refused ones included, in order: at
	// least one. The last one has the result.
	Executions []Execution
	// IsInterrupted reports that the end of the process cancelled the call, see [Config.KeepUnanswered].
	IsInterrupted bool
	// Began is when the call reached the gate; zero if it never did. Duration is the time from
	// Began to the end of this call. Calls that ran at the same time may have taken longer.
	Began    time.Time
	Duration time.Duration
	// Active is the part of Duration in which the call did not wait for a person's answer or
	// for other calls.
	Active time.Duration
}

// Summary describes the call of the model in one line; "" if the arguments were invalid.
func (f *ToolFinished) Summary() string {
	if len(f.Executions) == 0 {
		return ""
	}
	return f.Executions[0].Summary
}

// HasRun reports whether a tool began to run.
func (f *ToolFinished) HasRun() bool {
	return slices.ContainsFunc(f.Executions, func(x Execution) bool { return x.HasRun })
}

// Widened returns why execution i, which repeats the one before with more permission, has run: a sentence for people; "" for others.
func (f *ToolFinished) Widened(i int) string {
	if x := &f.Executions[i]; i > 0 && x.Decision.By == DecidedByUser && x.Requested == f.Executions[i-1].Requested {
		return x.Decision.Reason
	}
	return ""
}

// Changes returns the changes of files by all executions, nil if none are known.
func (f *ToolFinished) Changes() (all *tool.Changes) {
	for i := range f.Executions {
		all = all.Plus(f.Executions[i].Changes)
	}
	return all
}

// Compressed reports that a shorter history replaced the history.
type Compressed struct{ Compression }

// Overflow reports that the run ended because a message does not fit the model's window, even
// after a compression of the history. Results of tools are shortened before that happens.
type Overflow struct {
	// Estimate is the size of the message and Remaining the room left for it, in tokens. If
	// Err is set, they are the sizes of the whole request and of the window, and Remaining is
	// 0 if it is unknown.
	Estimate, Remaining int
	// Cause is the part of the request to make smaller.
	Cause OverflowCause
	Err   error // the vendor's refusal; nil if the message was not sent
}

// OverflowCause is the part of a request that makes it too large.
type OverflowCause string

// The causes.
const (
	// OverflowPrompt means that the prompt would not fit a new session either.
	OverflowPrompt OverflowCause = "prompt"
	// OverflowHistory means that the prompt would fit a new session.
	OverflowHistory OverflowCause = "history"
	// OverflowFixed means that the system instruction, the tools and the context at the head
	// of each session leave no room.
	OverflowFixed OverflowCause = "fixed"
)

// InvalidStream reports that the model gave no usable response, even after retries.
type InvalidStream struct {
	// Type is the reason: "NO_RESPONSE_TEXT", "NO_FINISH_REASON", "MAX_TOKENS_EXCEEDED",
	// "THINKING_ONLY_RESPONSE", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL",
	// "INCOMPLETE_STREAM", or "SAFETY_BLOCKED" and the like. In [Retried] it may also be
	// "CONTEXT_WINDOW", "LOOP_DETECTED" or "MEDIA_REFUSED", whose message is complete.
	Type    string
	Message string
}

// LoopDetected reports that the run ended because the model repeats itself. Kind is that of
// [Loop].
type LoopDetected struct{ Kind string }

// Exhausted reports that the run ended because its prompt has caused as many requests without a tool call or a person as
// it may, although a next-speaker check or a hook wanted another one.
type Exhausted struct{ Requests int }

// MaxTurns reports that the session reached [Config.MaxTurns].
type MaxTurns struct{ Limit int }

// Stopped reports that a hook or a tool ended the run. ByTool is true if the result of a tool call
// did.
type Stopped struct {
	Reason         string
	ByTool         bool
	SystemMessage  string
	ContextCleared bool
}

// Blocked reports that a hook refused a prompt or a response.
type Blocked struct {
	Reason        string
	SystemMessage string
}

// Cancelled reports that the run was cancelled: by its context, or by a person who refused all
// calls of a response.
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
func (Silent) event()        {}
func (Joined) event()        {}
func (ToolRequested) event() {}
func (ToolUpdated) event()   {}
func (ToolAsked) event()     {}
func (ToolFinished) event()  {}
func (Nested) event()        {}
func (Compressed) event()    {}
func (Overflow) event()      {}
func (InvalidStream) event() {}
func (LoopDetected) event()  {}
func (Exhausted) event()     {}
func (MaxTurns) event()      {}
func (Stopped) event()       {}
func (Blocked) event()       {}
func (EditsLeft) event()     {}
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
		Silent{},
		Joined{},
		ToolRequested{},
		ToolUpdated{},
		ToolAsked{},
		ToolFinished{},
		Nested{},
		Compressed{},
		Overflow{},
		InvalidStream{},
		LoopDetected{},
		Exhausted{},
		MaxTurns{},
		Stopped{},
		Blocked{},
		EditsLeft{},
		Cancelled{},
	}
}

// run makes p the call that runs.
func (u *ToolUpdated) run(p *PreparedCall) {
	if p != nil {
		u.Running, u.Summary, u.Kind, u.Locations = p, p.Summary(), p.tool.Spec().Kind, p.locations
	}
}

// Status is the state of a tool call. The values appear in JSON.
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
