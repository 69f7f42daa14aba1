package plain

import (
	"fmt"
	"math"
	"strings"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// calls are the tool calls of a prompt.
type calls struct {
	byID  map[string]*call
	order []*call
}

// call is what has been told of one.
type call struct {
	*agent.ToolCall

	number   int
	summary  string // what it does
	told     bool   // that it runs
	asked    bool   // the person was, so they have seen it
	answered bool   // they were what it is about, so there is nothing to tell
	finished bool
}

func (c *calls) add(t *agent.ToolCall) *call {
	if c.byID == nil {
		c.byID = map[string]*call{}
	}
	n := &call{ToolCall: t, number: len(c.order)}
	c.byID[t.ID] = n
	c.order = append(c.order, n)
	return n
}

func (c *calls) of(t *agent.ToolCall) *call {
	if known := c.byID[t.ID]; known != nil {
		return known
	}
	return c.add(t)
}

// order is where a call stands among those of its prompt.
func (v *voice) order(t *agent.ToolCall) int {
	if t == nil {
		return math.MaxInt32
	}
	return v.calls.of(t).number
}

// beside reports whether other calls run, so that this one needs its name.
func (c *calls) beside(this *call) bool {
	for _, other := range c.order {
		if other != this && other.told && !other.finished {
			return true
		}
	}
	return false
}

// running names what runs, to follow "Still working".
func (c *calls) running(of func(string) string) string {
	var names []string
	for _, r := range c.order {
		if r.told && !r.finished {
			names = append(names, r.what(of))
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

// what names a call: the tool and what it does.
func (c *call) what(of func(string) string) string {
	name := title(of, c.Name)
	if c.summary == "" {
		return name
	}
	return name + ": " + c.summary
}

// update tells that a call has begun.
func (l *loop) update(e agent.ToolUpdated) {
	c := l.voice.calls.of(e.Call)
	if e.Summary != "" {
		c.summary = brief(e.Summary)
	}
	if e.Status == agent.Executing && !c.told && !c.answered {
		c.told = true
		l.screen.line(c.what(l.o.Title))
	}
}

// finish tells how a call ended.
func (l *loop) finish(e agent.ToolFinished) {
	c := l.voice.calls.of(e.Call)
	named := c.what(l.o.Title)
	if c.told && !l.voice.calls.beside(c) {
		named = title(l.o.Title, c.Name) // what it does was said just before
	}
	c.finished = true
	r := e.Result
	if r == nil {
		r = &tool.Result{}
	}
	switch {
	case e.Status == agent.Success && c.answered:
	case e.Status == agent.CallCancelled:
		l.screen.line("Cancelled: " + named)
	case e.Status == agent.Failed:
		l.screen.line("Failed: " + named + reasonOf(r))
	default:
		said := l.display(c, named, r)
		if r.OutputFile != "" {
			l.screen.line("Output too long and was saved to: " + terminal.Line(r.OutputFile))
		}
		if said != "" {
			said = ": " + said
		}
		l.screen.line("Done: " + named + said)
	}
}

// reasonOf is why a call failed, to follow its name.
func reasonOf(r *tool.Result) string {
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
	return ": " + brief(strings.TrimSpace(text))
}

const (
	outputLines = 15 // of an output, the last ones
	diffLines   = 50 // of a change that nobody was asked about
)

// display shows what came of a call. What can be said in a word or two it returns,
// for the last line.
func (l *loop) display(c *call, named string, r *tool.Result) (short string) {
	short = brief(r.Summary)
	switch d := r.Display.(type) {
	case tool.TextDisplay:
		return l.output(named, string(d), short)
	case tool.TerminalDisplay:
		return l.output(named, string(d), short)
	case *tool.DiffDisplay:
		if !c.asked {
			lines, hidden := head(diffText(d, l.o.Spoken), diffLines, 0)
			l.quote(append(lines, more(hidden)...))
		}
		if short == "" {
			short = changes(d.Diff)
		}
	case *tool.ListDisplay:
		short = brief(d.Summary)
		if n := len(d.Skipped); n > 0 {
			short += fmt.Sprintf(" (%d left out)", n)
		}
	case *tool.MatchDisplay:
		short = brief(d.Summary)
	case *tool.TodoDisplay:
		l.todos(d)
	}
	return short
}

// output shows the end of a text, unless it is so short that it is returned.
func (l *loop) output(named, text, short string) string {
	lines, hidden := tail(text, outputLines)
	switch {
	case len(lines) == 0:
		return short
	case len(lines) == 1 && hidden == 0:
		return lines[0]
	case hidden > 0:
		l.screen.line(fmt.Sprintf("Output of %s, the last %d lines, %d more lines before them:", named, len(lines), hidden))
	default:
		l.screen.line("Output of " + named + ":")
	}
	l.quote(lines)
	return short
}

// quote writes lines that others have written, so that none can pass for one of ours.
func (l *loop) quote(lines []string) {
	for _, line := range lines {
		l.screen.line("  " + line)
	}
}

// todos tells what is left to do (spec/tui.md §1.4.3).
func (l *loop) todos(d *tool.TodoDisplay) {
	done, all := 0, 0
	for _, t := range d.Todos {
		if t.Status != tool.TodoCancelled {
			all++
		}
		if t.Status == tool.TodoCompleted {
			done++
		}
	}
	l.screen.line(fmt.Sprintf("Todo: %d of %d completed", done, all))
	for _, t := range d.Todos {
		l.screen.line(strings.ReplaceAll(terminal.Line(string(t.Status)), "_", " ") + ": " + terminal.Line(t.Description))
	}
}
