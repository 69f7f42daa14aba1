package kit

import (
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/guard/hook"
	"pollux/internal/slash"
	"pollux/internal/stats"
)

// Event is a report of a [Driver] to its face. [Events] lists the kinds.
type Event interface{ event() }

// Events returns a value of each kind of [Event], for the tests of faces.
func Events() []Event {
	return []Event{Opened{}, Warning{}, Notice{}, Queued{}, NotSent{}, Began{}, Ran{}, Cancelled{}, Failed{}, Finished{}, CommandDone{}, ShellRan{}, ShellDone{}, Asked{}, Settled{}, HooksRunning{}, Beside{}, Help{}, Ended{}}
}

// Opened reports that the session is open.
type Opened struct{ Session Session }

// Warning is a warning or another message of the session.
type Warning struct {
	Text     string
	IsNotice bool // it is no warning
}

// Notice is a message about a line or a key that the person has entered.
type Notice struct{ Text string }

// Queued reports that a prompt, a / command or a shell command waits for the end of the work in progress.
type Queued struct{ Text string }

// NotSent returns prompts to the person, because the work before them was cancelled, or because it was the prompt
// of a run without an answer: WasRun.
type NotSent struct {
	Texts  []string
	WasRun bool
}

// Text returns the prompts as one.
func (e NotSent) Text() string { return strings.Join(e.Texts, separator) }

// separator is the text between prompts that are sent or returned together.
const separator = "\n\n"

// Began reports the beginning of work, until [Finished]. IsRun is set for a run of the model. Prompt is the prompt of the
// run, "" if there is none. Command is the / command, and Shell the shell command that the person has entered, "" for other work.
// IsNew means that the person has not just typed the prompt or the command: the face shows it.
// Waited are the inputs that it takes out of the queue, as [Queued] had them. Stats are the counts of the session before a run of the model, whose
// first request may have ended before the face reads this; nil for other work.
type Began struct {
	IsRun   bool
	Prompt  string
	IsNew   bool
	Command string
	Shell   string
	Waited  []string
	Stats   *stats.Snapshot
}

// Ran is an event of the run in progress. The driver reports questions as [Asked] when it is their turn, and [agent.Cancelled]
// as [Cancelled].
type Ran struct{ Event agent.Event }

// Cancelled reports that the work in progress was cancelled. ByInterrupt is set if [Driver.Interrupt] did so, and IsLeaving
// if the session ends.
type Cancelled struct{ ByInterrupt, IsLeaving bool }

// Failed reports the error of a run or a command.
type Failed struct{ Err error }

// Finished reports the end of the work in progress. Stats are the counts of the session after a run of the model, nil for other work.
type Finished struct{ Stats *stats.Snapshot }

// CommandDone is the result of a / command. The driver sends its prompt and starts its run.
type CommandDone struct{ Result slash.Result }

// ShellRan is an event of the call of a shell command that the person has entered, while the command runs.
type ShellRan struct{ Event agent.Event }

// ShellDone is the output of a shell command that the person has entered.
type ShellDone struct{ Output string }

// Asked puts the next question, until [Question.Context] ends. The face calls [Driver.Answer].
type Asked struct{ Question *Question }

// Settled reports that rules now allow calls about which there was a question.
type Settled struct{ Calls []*agent.PreparedCall }

// HooksRunning has the hooks that run from now on, the first one that began first; none if the last one has ended.
type HooksRunning struct{ Hooks []hook.Running }

// Beside has the / commands that run beside the work from now on, the first one that began first; none if the last has ended.
type Beside struct{ Commands []BesideCommand }

// BesideCommand is a / command beside the work.
type BesideCommand struct {
	Line  string // its beginning
	Began time.Time
}

// Help reports that the person asks for the keys and the kinds of input.
type Help struct{}

// Ended has the last text of the session, to show after all others.
type Ended struct{ Text string }

func (Opened) event()       {}
func (Warning) event()      {}
func (Notice) event()       {}
func (Queued) event()       {}
func (NotSent) event()      {}
func (Began) event()        {}
func (Ran) event()          {}
func (Cancelled) event()    {}
func (Failed) event()       {}
func (Finished) event()     {}
func (CommandDone) event()  {}
func (ShellRan) event()     {}
func (ShellDone) event()    {}
func (Asked) event()        {}
func (Settled) event()      {}
func (HooksRunning) event() {}
func (Beside) event()       {}
func (Help) event()         {}
func (Ended) event()        {}
