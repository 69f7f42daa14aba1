package records

import (
	"encoding/json"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// Record is something that happened in a session. [Kinds] lists the kinds. A record contains the data that
// sinks need and the part that emits it has at hand; a sink computes the rest.
type Record interface{ record() }

// SessionBegan reports that the session has another conversation. IsBranch reports that it continues the
// previous one in a new file, so that statistics go on.
type SessionBegan struct {
	ID       string
	IsBranch bool
}

// PromptBegan reports that a prompt is being processed, until the [PromptEnded] with the prompt's ID.
type PromptBegan struct{ agent.Prompt }

// AgentEvent is an event of the agent that processes a prompt, or of an agent inside of it. The record
// of the next event may be in the same memory.
type AgentEvent struct {
	PromptID string
	Event    agent.Event
}

// PromptEnded reports the end of a prompt.
type PromptEnded struct {
	PromptID string
	Status   Status
	Err      error // that ended it, if any
	Took     time.Duration
}

// Status is how a prompt ended.
type Status string

// The statuses. A prompt whose consumer has left is cancelled.
const (
	OK        Status = "ok"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// ClientCall is a call that a program or a command of a person made, outside of all prompts.
type ClientCall struct{ Finished agent.ToolFinished }

// RequestBegan reports that a request is sent to a model: each attempt, if retries send it again.
type RequestBegan struct{ Request *llm.Request }

// RequestEnded reports the end of a request.
type RequestEnded struct {
	Request    *llm.Request
	IsAnswered bool             // there was a response, if not a complete one
	Usage      *llm.Usage       // nil if the model did not report it
	Reason     llm.FinishReason // "" if the model did not report it
	Err        error
	Took       time.Duration
}

// SessionConfigured reports the configuration at the start of the session.
type SessionConfigured struct {
	Model                            string
	CoreTools                        []string
	Extensions, ExtensionIDs         []string
	APIKey, Vertex, GitIgnore, Debug bool
	OutputFormat                     string
	// Worktree reports whether the session is in a Git worktree that Pollux or Gemini CLI has made.
	Worktree bool
}

// SessionStarted reports how long the parts of the start took.
type SessionStarted struct{ Phases []Phase }

// Phase is a part of the start of a session.
type Phase struct {
	Name       string // that of Gemini CLI for such a part
	Start, End time.Time
}

// ExitForced reports that the user pressed Ctrl+C a third time because the program had not ended.
type ExitForced struct{}

// Warned reports a warning to the user, as the user sees it.
type Warned struct{ Text string }

// SignalReceived reports a signal that ends the program.
type SignalReceived struct{ Name string }

// CommandRun reports a / command by its full name, such as "memory show".
type CommandRun struct {
	Name   string
	Failed bool
}

// ModelChosen reports that the user has chosen another model, by its name in requests.
type ModelChosen struct{ Model string }

// ModeSwitched reports a change of the approval mode.
type ModeSwitched struct{ From, To string }

// PlanApproved reports that the execution of a plan begins.
type PlanApproved struct{}

// Rewound reports that the user has returned to an earlier state of the conversation. Files stay as they
// are.
type Rewound struct{}

// HistoryCompressed reports that a summary of the history was made, whether or not it replaced the
// history. PromptID is the ID of the prompt, or of the command that asked for it.
type HistoryCompressed struct {
	PromptID string
	agent.Compression
}

// HistoryMasked reports that old tool output was removed from the history, which saved a number of
// tokens. Before and After have the same messages in the same order.
type HistoryMasked struct {
	Before, After []agent.Message
	Saved         int
}

// NextSpeakerChecked reports who continues after a response: [llm.RoleModel], or else the user.
type NextSpeakerChecked struct{ Role llm.Role }

// ModelRouted reports the model that a strategy has chosen for a prompt. Err is the error of a strategy
// that failed.
type ModelRouted struct {
	PromptID, Model, Source string
	Took                    time.Duration
	Reasoning               string // it may quote the prompt
	Err                     error
}

// LoopChecked reports a model's confidence, from 0 to 1, that the agent is in a loop. If a second model
// was asked, Model and Second are its name and confidence; otherwise Second is -1.
type LoopChecked struct {
	PromptID string
	First    float64
	Model    string
	Second   float64
}

// HookRun reports one run of a hook.
type HookRun struct {
	Event string // that the hook waits for
	Kind  string // "command", or "runtime" for a function of the program
	Name  string // or the command line, if the hook has none
	Input []byte
	// Output returns the hook's output as JSON. It is nil if there was none.
	Output         func() json.RawMessage
	Stdout, Stderr string
	Code           int
	Failed         bool
	Err            error // why there is no output; it may be nil if the hook failed
	Took           time.Duration
}

// Subagent identifies a run of a subagent.
type Subagent struct{ ID, Name string }

// SubagentStarted reports that a subagent runs.
type SubagentStarted struct{ Subagent }

// SubagentFinished reports why a subagent has ended, and how many requests it sent.
type SubagentFinished struct {
	Subagent
	Reason string
	Turns  int
	Took   time.Duration
}

// SubagentRecovered reports that a subagent was asked for a result after the end of its budgets, and
// whether it gave one.
type SubagentRecovered struct {
	Subagent
	Reason  string
	Turns   int
	Took    time.Duration
	Success bool
}

// EditMade reports the strategy that found the place of an edit.
type EditMade struct{ Strategy string }

// EditCorrected reports whether an edit succeeded after a model had corrected it.
type EditCorrected struct{ Success bool }

// WebFetchFellBack reports why the vendor does not read a page: "primary_failed" or "private_ip_skipped".
type WebFetchFellBack struct{ Reason string }

// RipgrepMissing reports that files are searched without ripgrep because it was not found.
type RipgrepMissing struct{}

func (SessionBegan) record()       {}
func (PromptBegan) record()        {}
func (*AgentEvent) record()        {}
func (PromptEnded) record()        {}
func (ClientCall) record()         {}
func (RequestBegan) record()       {}
func (RequestEnded) record()       {}
func (SessionConfigured) record()  {}
func (SessionStarted) record()     {}
func (ExitForced) record()         {}
func (Warned) record()             {}
func (SignalReceived) record()     {}
func (CommandRun) record()         {}
func (ModelChosen) record()        {}
func (ModeSwitched) record()       {}
func (PlanApproved) record()       {}
func (Rewound) record()            {}
func (HistoryCompressed) record()  {}
func (HistoryMasked) record()      {}
func (NextSpeakerChecked) record() {}
func (ModelRouted) record()        {}
func (LoopChecked) record()        {}
func (HookRun) record()            {}
func (SubagentStarted) record()    {}
func (SubagentFinished) record()   {}
func (SubagentRecovered) record()  {}
func (EditMade) record()           {}
func (EditCorrected) record()      {}
func (WebFetchFellBack) record()   {}
func (RipgrepMissing) record()     {}

// Kinds returns one value of every kind, for the tests of sinks.
func Kinds() []Record {
	return []Record{
		SessionBegan{},
		PromptBegan{},
		&AgentEvent{},
		PromptEnded{},
		ClientCall{},
		RequestBegan{},
		RequestEnded{},
		SessionConfigured{},
		SessionStarted{},
		ExitForced{},
		Warned{},
		SignalReceived{},
		CommandRun{},
		ModelChosen{},
		ModeSwitched{},
		PlanApproved{},
		Rewound{},
		HistoryCompressed{},
		HistoryMasked{},
		NextSpeakerChecked{},
		ModelRouted{},
		LoopChecked{},
		HookRun{},
		SubagentStarted{},
		SubagentFinished{},
		SubagentRecovered{},
		EditMade{},
		EditCorrected{},
		WebFetchFellBack{},
		RipgrepMissing{},
	}
}
