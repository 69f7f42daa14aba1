package plain

import (
	"cmp"
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// runningText returns the text after "Still working": the label of the running call, or the number of running calls.
func (l *loop) runningText() string {
	switch running := l.renderer.calls.Running(); len(running) {
	case 0:
		return ""
	case 1:
		return ": " + running[0].Label(l.look.Session)
	default:
		return fmt.Sprintf(": %d tools", len(running))
	}
}

// labelOf joins a name and a summary, which may be "".
func labelOf(name, summary string) string {
	if summary == "" {
		return name
	}
	return name + ": " + summary
}

// showStarted shows that a call has started, or a call with which a hook continues it.
func (l *loop) showStarted(e agent.ToolUpdated) {
	c := l.renderer.calls.Get(e.Call)
	if e.Running != nil && e.Running == c.Continued {
		l.screen.message("A hook continues with " + l.preparedLabel(e.Running))
		return
	}
	l.screen.message(c.Label(l.look.Session))
}

// preparedLabel returns the title of the tool and the summary of a call that runs or would run.
func (l *loop) preparedLabel(p *agent.PreparedCall) string {
	return kit.Label(l.look.Session, p.Tool().Spec().Name, p.Summary())
}

// showFinished shows the results of a call and of those with which hooks continued it.
func (l *loop) showFinished(e agent.ToolFinished) {
	c := l.renderer.calls.Get(e.Call)
	label := c.Label(l.look.Session)
	if c.HasBegun && !c.IsBeside {
		label = kit.Label(l.look.Session, c.Name, "") // the line before holds the summary
	}
	for i := range e.Executions {
		x := &e.Executions[i]
		if i > 0 {
			label = kit.Label(l.look.Session, x.Name, x.Summary)
		}
		l.showExecution(c, label, x, e.Reason)
		if reason := e.Widened(i); reason != "" {
			l.screen.message("With more permission: " + terminal.Line(reason))
		}
	}
	if n := e.Changes().Restorable(); n > 0 && !l.hasDeleted {
		l.hasDeleted = true
		if l.look.firstDeletion != nil && l.look.firstDeletion() {
			l.screen.message(wording.Restore(n))
		}
	}
}

// showExecution shows how an execution of a call ended. reason says why, if the call was cancelled.
func (l *loop) showExecution(c *kit.Call, label string, x *agent.Execution, reason string) {
	short := ""
	switch {
	case x.Status == agent.Success && c.IsQuestion:
		return
	case x.Status == agent.CallCancelled:
		if text, isText := tool.DisplayText(x.Result.Display); isText && strings.Contains(text, "\n") {
			l.showOutput(label, text, x.Result.Omitted, "") // the output so far
		}
		short = kit.Brief(reason)
	case x.Status == agent.Failed:
		short = l.failureReason(x.Result)
	default:
		short = l.showDisplay(c, label, x.Result)
		if x.Result.OutputFile != "" {
			l.screen.message("Output too long and was saved to: " + terminal.Line(x.Result.OutputFile))
		}
	}
	l.screen.message(labelOf(ending(x)+label, short))
	if changes := x.ShownChanges(); changes != nil {
		l.screen.message(changes.String())
	}
}

// ending returns how an execution ended. A command that failed is a call that worked for the model.
func ending(x *agent.Execution) string {
	switch {
	case x.Status == agent.CallCancelled:
		return "Cancelled: "
	case x.Status == agent.Failed, x.Result.Data["isError"] == true:
		return "Failed: "
	}
	return "Done: "
}

// showNested shows the executions of a finished call of an agent that runs inside a call.
func (l *loop) showNested(e agent.Nested) {
	f := e.Event.(agent.ToolFinished) // others are hidden
	name := cmp.Or(terminal.Line(subagent.NameOf(e.Call)), kit.Label(l.look.Session, e.Call.Name, ""))
	for i := range f.Executions {
		x := &f.Executions[i]
		text := name + ": " + ending(x) + kit.Label(l.look.Session, x.Name, x.Summary)
		l.screen.message(labelOf(text, kit.Brief(x.Result.Summary)))
	}
}

func (l *loop) failureReason(r *tool.Result) string {
	text, _ := tool.DisplayText(r.Display)
	if isBlank(text) && r.Error != nil {
		text = r.Error.Message
	}
	return kit.Brief(strings.TrimSpace(l.look.ShortText(text)))
}

const (
	outputLines = 15 // the last lines of an output
	diffLines   = 50 // the first lines of a diff that the user did not confirm
)

// showDisplay shows the display of a result. It returns a short summary, if there is
// one, for the line that reports the end of the call.
func (l *loop) showDisplay(c *kit.Call, label string, r *tool.Result) (short string) {
	short = kit.Brief(r.Summary)
	if text, isText := tool.DisplayText(r.Display); isText {
		return l.showOutput(label, text, r.Omitted, short)
	}
	switch d := r.Display.(type) {
	case *tool.DiffDisplay:
		if !c.WasAsked {
			if c.IsBeside {
				l.screen.message(label + ":")
			}
			lines, _ := kit.FirstLines(diffText(d, l.look.screenReader), diffLines)
			l.showQuoted(lines)
		}
		short = cmp.Or(short, countChanges(d.Diff))
	case *tool.ListDisplay:
		short = kit.Brief(d.Summary)
		if n := len(d.Skipped); n > 0 {
			short += fmt.Sprintf(" (%d left out)", n)
		}
	case *tool.MatchDisplay:
		short = kit.Brief(d.Summary)
	case *tool.TodoDisplay:
		l.showTodos(d)
	case *tool.AgentDisplay:
		if d.Result != "" {
			return l.showOutput("agent "+terminal.Line(d.Agent), d.ResultText(), 0, short)
		}
	}
	return short
}

// showOutput shows the last lines of an output; text lacks so many lines before it. A single line is returned instead of
// shown; an empty output returns short.
func (l *loop) showOutput(label, text string, omitted int, short string) string {
	lines, hidden := kit.LastLines(text, outputLines)
	hidden += omitted
	switch {
	case len(lines) == 0:
		return short
	case len(lines) == 1 && hidden == 0:
		return lines[0]
	case hidden > 0:
		l.screen.message(fmt.Sprintf("Output of %s, the last %d lines, %d more lines before them:", label, len(lines), hidden))
	default:
		l.screen.message("Output of " + label + ":")
	}
	l.showQuoted(lines)
	return short
}

// showQuoted writes foreign lines indented, so that they cannot pass for lines of Pollux.
func (l *loop) showQuoted(lines []string) {
	for _, line := range lines {
		l.screen.verbatim("  " + line)
	}
}

func (l *loop) showTodos(d *tool.TodoDisplay) {
	done, total := 0, 0
	for _, t := range d.Todos {
		if t.Status != tool.TodoCancelled {
			total++
		}
		if t.Status == tool.TodoCompleted {
			done++
		}
	}
	l.screen.line(fmt.Sprintf("Todo: %d of %d completed", done, total))
	for _, t := range d.Todos {
		l.screen.message(strings.ReplaceAll(terminal.Line(string(t.Status)), "_", " ") + ": " + terminal.Line(t.Description))
	}
}
