package plain

import (
	"fmt"
	"math"
	"strings"

	"pollux/agent"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// toolCalls holds the tool calls of one prompt, in the order in which the model made
// them.
type toolCalls struct {
	byID  map[string]*toolCall
	order []*toolCall
}

// toolCall is a tool call and what the face has shown of it.
type toolCall struct {
	*agent.ToolCall

	number      int
	summary     string // summary of the call
	isAnnounced bool   // the start was shown
	wasAsked    bool   // the user confirmed the call and has seen its details
	isQuestion  bool   // the call itself was a question to the user
	isFinished  bool
	continued   *agent.PreparedCall // the call with which a hook continues this one, if it was shown
}

func (c *toolCalls) add(t *agent.ToolCall) *toolCall {
	if c.byID == nil {
		c.byID = map[string]*toolCall{}
	}
	added := &toolCall{ToolCall: t, number: len(c.order)}
	c.byID[t.ID] = added
	c.order = append(c.order, added)
	return added
}

func (c *toolCalls) get(t *agent.ToolCall) *toolCall {
	if known := c.byID[t.ID]; known != nil {
		return known
	}
	return c.add(t)
}

// callIndex returns the position of a call among the calls of its prompt.
func (v *renderer) callIndex(t *agent.ToolCall) int {
	if t == nil {
		return math.MaxInt32
	}
	return v.calls.get(t).number
}

// hasOtherRunning reports whether a call other than exclude is running. Messages then
// need the name of the call.
func (c *toolCalls) hasOtherRunning(exclude *toolCall) bool {
	for _, other := range c.order {
		if other != exclude && other.isAnnounced && !other.isFinished {
			return true
		}
	}
	return false
}

// runningText returns the text after "Still working": the label of the running call, or
// the number of running calls.
func (c *toolCalls) runningText(toolTitle func(string) string) string {
	var names []string
	for _, r := range c.order {
		if r.isAnnounced && !r.isFinished {
			names = append(names, r.label(toolTitle))
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return ": " + names[0]
	}
	return fmt.Sprintf(": %d tools", len(names))
}

// label returns the title of the tool and the summary of the call.
func (c *toolCall) label(toolTitle func(string) string) string {
	return labelOf(titleOf(toolTitle, c.Name), c.summary)
}

// labelOf joins a name and what is known about it, which may be "".
func labelOf(name, summary string) string {
	if summary == "" {
		return name
	}
	return name + ": " + summary
}

// showStarted shows that a call has started, or a call with which a hook continues it.
func (l *loop) showStarted(e agent.ToolUpdated) {
	c := l.renderer.calls.get(e.Call)
	if e.Running != nil && e.Running.Call().Requested != "" {
		if c.continued != e.Running {
			c.continued = e.Running
			l.screen.message("A hook continues with " + l.preparedLabel(e.Running))
		}
		return
	}
	if e.Summary != "" {
		c.summary = brief(e.Summary)
	}
	if e.Status == agent.Executing && !c.isAnnounced && !c.isQuestion {
		c.isAnnounced = true
		l.screen.message(c.label(l.backend.ToolTitle))
	}
}

// preparedLabel returns the title of the tool and the summary of a call that runs or would run.
func (l *loop) preparedLabel(p *agent.PreparedCall) string {
	return labelOf(titleOf(l.backend.ToolTitle, p.Tool().Spec().Name), brief(p.Summary()))
}

// showFinished shows the results of a call and of those with which hooks continued it.
func (l *loop) showFinished(e agent.ToolFinished) {
	c := l.renderer.calls.get(e.Call)
	label := c.label(l.backend.ToolTitle)
	if c.isAnnounced && !l.renderer.calls.hasOtherRunning(c) {
		label = titleOf(l.backend.ToolTitle, c.Name) // the line before holds the summary
	}
	c.isFinished = true
	for i := range e.Executions {
		x := &e.Executions[i]
		if i > 0 {
			label = labelOf(titleOf(l.backend.ToolTitle, x.Name), brief(x.Summary))
		}
		l.showExecution(c, label, x)
	}
}

func (l *loop) showExecution(c *toolCall, label string, x *agent.Execution) {
	switch {
	case x.Status == agent.Success && c.isQuestion:
	case x.Status == agent.CallCancelled:
		l.screen.message(ending(x) + label)
	case x.Status == agent.Failed:
		l.screen.message(ending(x) + label + l.failureReason(x.Result))
	default:
		short := l.showDisplay(c, label, x.Result)
		if x.Result.OutputFile != "" {
			l.screen.message("Output too long and was saved to: " + terminal.Line(x.Result.OutputFile))
		}
		if short != "" {
			short = ": " + short
		}
		l.screen.message(ending(x) + label + short)
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

// showNested shows what ran for a finished call of an agent that runs inside a call.
func (l *loop) showNested(e agent.Nested) {
	f, ok := e.Event.(agent.ToolFinished)
	if !ok {
		return
	}
	name := terminal.Line(subagent.NameOf(e.Call))
	if name == "" {
		name = titleOf(l.backend.ToolTitle, e.Call.Name)
	}
	for i := range f.Executions {
		x := &f.Executions[i]
		text := name + ": " + ending(x) + labelOf(titleOf(l.backend.ToolTitle, x.Name), brief(x.Summary))
		l.screen.message(labelOf(text, brief(x.Result.Summary)))
	}
}

// failureReason returns the error of a failed call as ": reason", or "".
func (l *loop) failureReason(r *tool.Result) string {
	text := ""
	switch d := r.Display.(type) {
	case tool.TextDisplay:
		text = string(d)
	case tool.TerminalDisplay:
		text = string(d)
	}
	if isBlank(text) && r.Error != nil {
		text = r.Error.Message
	}
	if isBlank(text) {
		return ""
	}
	if l.backend.ShortText != nil {
		text = l.backend.ShortText(text)
	}
	return ": " + brief(strings.TrimSpace(text))
}

const (
	outputLines = 15 // the last lines of an output
	diffLines   = 50 // the first lines of a diff that the user did not confirm
)

// showDisplay shows the display of a result. It returns a short summary, if there is
// one, for the line that reports the end of the call.
func (l *loop) showDisplay(c *toolCall, label string, r *tool.Result) (short string) {
	short = brief(r.Summary)
	switch d := r.Display.(type) {
	case tool.TextDisplay:
		return l.showOutput(label, string(d), short)
	case tool.TerminalDisplay:
		return l.showOutput(label, string(d), short)
	case *tool.DiffDisplay:
		if !c.wasAsked {
			lines, hidden := firstLines(diffText(d, l.backend.ScreenReader), diffLines, 0)
			l.showQuoted(append(lines, omittedLines(hidden)...))
		}
		if short == "" {
			short = countChanges(d.Diff)
		}
	case *tool.ListDisplay:
		short = brief(d.Summary)
		if n := len(d.Skipped); n > 0 {
			short += fmt.Sprintf(" (%d left out)", n)
		}
	case *tool.MatchDisplay:
		short = brief(d.Summary)
	case *tool.TodoDisplay:
		l.showTodos(d)
	case *tool.AgentDisplay:
		if d.Result != "" {
			return l.showOutput("agent "+terminal.Line(d.Agent), d.Result, short)
		}
	}
	return short
}

// showOutput shows the last lines of an output. A single line is returned instead of
// shown; an empty output returns short.
func (l *loop) showOutput(label, text, short string) string {
	lines, hidden := lastLines(text, outputLines)
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

// showQuoted writes foreign lines indented, so that they cannot pass for lines of
// Pollux.
func (l *loop) showQuoted(lines []string) {
	for _, line := range lines {
		l.screen.verbatim("  " + line)
	}
}

// showTodos shows the todo list and how many of its items are completed.
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
