// Package transcript turns the events of a session into the lines of the conversation.
//
// A [Transcript] is a queue of items: prompts, answers, tool calls, notes. The lines of the first items, as far as they
// are finished, are for [Transcript.Take]: the caller prints them once, and the transcript forgets them. The others are
// pending, and [Transcript.Pending] draws them for the live area: the open block of the answer, running calls, and
// everything behind those. So the order of the printed lines is the order of the conversation, although calls end in
// any order.
//
// The text is made for copying: no borders, no trailing spaces, and no indentation before code. Prose is wrapped. Code,
// output and changes of files are not: the terminal wraps them.
package transcript

import (
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/wording"
)

// Look is the form of the lines. A change applies to the lines that are not finished yet.
type Look struct {
	Width    int // columns of the terminal; below 1 counts as 80
	Theme    theme.Theme
	HasLinks bool // the terminal opens links
	HasMarks bool // the terminal jumps from prompt to prompt
	IsRaw    bool // answers are shown as the model writes them: Markdown is not rendered
	Refits   bool // the screen fits finished lines again when its width changes
}

// Options are settings of a transcript.
type Options struct {
	// Names are the names of the session, nil before it is open.
	Names kit.Names
	// Place returns the context of advice about a failed request to a model; nil is general advice.
	Place func(model string) wording.Place

	ShowsThoughts  bool // of the model
	HidesCitations bool // of answers
	ShowsModel     bool // in a note at each change of the model
	LineNumbers    bool // before lines of code in answers
	IsDebug        bool // the body of a failed request is shown
	ShowsErrors    bool // of calls in full, not in one line; and each retry
	IsLoose        bool // calls that read or edit are shown like others, not in one line

	DiffLayout diff.Layout // of changes of files

	// Mentioned returns the images that a prompt mentions, and Picture begins to make the lines of an image: it calls put with
	// them later, on the goroutine of the transcript. Picture is nil if no images are shown.
	Mentioned func(prompt string) []Picture
	Picture   func(p Picture, put func([]styled.Line))

	// Screen returns the last rows of the terminal of a process that a call has started, and a hint about it, false if it has
	// no terminal. It may be nil.
	Screen func(pid, most int) (lines []styled.Line, hint string, ok bool)
	// Color returns the last lines of the output of such a process, which has ended, in their colors. It may be nil.
	Color func(pid int, texts []string) []styled.Line
	// ShowKey is the name of the key that shows hidden lines; "" is Ctrl+O.
	ShowKey string
}

// Transcript is the conversation of a session. The zero value is ready to use. The fields may change at any time.
type Transcript struct {
	Options Options
	Look    Look

	done  []styled.Line
	last  group   // of the last printed item
	queue []*item // not finished, or behind such an item
	held  int     // bytes of finished lines in the queue

	answer *item // open, nil if none is
	calls  kit.Calls
	open   map[*kit.Call]*item // calls that have not ended
	model  string              // that the last note has named
	typed  typed               // the last shell command that the person has entered
	marks  marks
}

// Shell adds a shell command that the person has sent.
func (t *Transcript) Shell(command string) { t.sent("$ ", strings.TrimSpace(command)) }

// Prompt adds a prompt or a / command that the person has sent.
func (t *Transcript) Prompt(text string) {
	t.sent("> ", text)
	if t.Options.Picture != nil && !strings.HasPrefix(text, "/") {
		t.addPictures(nil, t.Options.Mentioned(text))
	}
}

// sent adds a text that the person has sent behind a sign.
func (t *Transcript) sent(sign, text string) {
	t.add(apart, t.marked(t.fit(func(t *Transcript) []styled.Line { return t.promptLines(sign, text) })))
}

// Print adds lines of another part of the screen, behind all that is pending. They must be clean.
func (t *Transcript) Print(lines ...styled.Line) { t.add(apart, lines) }

// PrintFitting is [Transcript.Print] for lines that depend on the width of the terminal.
func (t *Transcript) PrintFitting(lines func(width int) []styled.Line) {
	t.add(apart, t.fit(func(t *Transcript) []styled.Line { return lines(t.width()) }))
}

// Info adds a message.
func (t *Transcript) Info(text string) {
	t.addNoteText("ℹ ", text, (*Transcript).infoStyle)
}

// Warn adds a warning.
func (t *Transcript) Warn(text string) {
	t.addNoteText("⚠  ", text, func(t *Transcript) styled.Style { return t.Look.Theme.Warning() })
}

// Error adds an error message.
func (t *Transcript) Error(text string) {
	t.addNoteText("✕ ", text, func(t *Transcript) styled.Style { return t.Look.Theme.Error() })
}

// Take returns the finished lines since the last call, and blocks if [Look.Refits] is set. Lines of code, output and changes may be
// wider than the terminal.
func (t *Transcript) Take() []styled.Line {
	lines := t.done
	t.done = nil
	if !t.Look.Refits {
		return styled.Unblocked(lines) // some were made when it was set
	}
	return lines
}

// IsTicking reports whether a call is running, whose row shows the elapsed time in seconds.
func (t *Transcript) IsTicking() bool {
	for _, it := range t.open {
		if it.call.isRunning() {
			return true
		}
	}
	return false
}

// width returns the number of columns.
func (t *Transcript) width() int {
	if t.Look.Width < 1 {
		return 80
	}
	return t.Look.Width
}

// title returns the name of a tool for people.
func (t *Transcript) title(name string) string { return kit.Label(t.Options.Names, name, "") }

// shortText returns a text with short paths.
func (t *Transcript) shortText(text string) string {
	if t.Options.Names == nil {
		return text
	}
	return t.Options.Names.ShortText(text)
}

// Handle takes an event that happened at a time. It ignores events that have no place in the transcript.
func (t *Transcript) Handle(e kit.Event, at time.Time) {
	switch e := e.(type) {
	case kit.Warning:
		if e.IsNotice {
			t.Info(e.Text)
		} else {
			t.Warn(e.Text)
		}
	case kit.Notice:
		t.Info(e.Text)
	case kit.NotSent:
		if !e.WasRun {
			t.Info("Not sent: " + kit.Brief(e.Text()))
		}
	case kit.Began:
		t.endWork()
		if e.IsRun && e.IsNew && strings.TrimSpace(e.Prompt) != "" {
			t.Prompt(e.Prompt)
		}
		if e.Shell != "" {
			t.Shell(e.Shell)
		}
	case kit.Ran:
		t.handleRun(e.Event, at)
	case kit.Cancelled:
		t.endAnswer()
		t.marks.code = cancelledCode
		t.Info("Request cancelled.")
	case kit.Failed:
		t.endAnswer()
		t.marks.code = failedCode
		t.Error(t.failure(e.Err))
	case kit.Finished:
		t.endWork()
		t.markEnd()
	case kit.CommandDone:
		t.addResult(e.Result)
		if e.Result.Failed {
			t.marks.code = failedCode
		}
	case kit.ShellRan:
		t.handleShell(e.Event, at)
	case kit.ShellDone:
		t.addShellOutput(e.Output)
	case kit.Settled:
		for _, p := range e.Calls {
			t.Info("Allowed without asking: " + t.preparedLabel(p) + ".")
		}
	case kit.Ended:
		t.endWork()
		t.add(apart, cleanLines(e.Text))
	}
}

// preparedLabel returns the title of the tool and the summary of a call that would run.
func (t *Transcript) preparedLabel(p *agent.PreparedCall) string {
	return kit.Label(t.Options.Names, p.Tool().Spec().Name, p.Summary())
}
