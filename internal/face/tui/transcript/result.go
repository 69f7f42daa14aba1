package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
	"pollux/tool"
)

// finishedLines returns the lines of a call that has ended, and of those with which hooks have continued it.
func (t *Transcript) finishedLines(c *call, e agent.ToolFinished) (lines []styled.Line) {
	if len(e.Executions) == 0 {
		x := agent.Refused(e.Call, e.Result)
		x.Status = e.Status
		e.Executions = []agent.Execution{x}
	}
	for i := range e.Executions {
		x := &e.Executions[i]
		o := t.endingOf(c, x)
		o.reason = e.Reason
		if i > 0 {
			o.head.name, o.head.about, o.head.link = t.title(x.Name), kit.Brief(x.Summary), ""
		}
		lines = append(lines, o.lines()...)
		if reason := e.Widened(i); reason != "" {
			lines = append(lines, t.remarkLines("With more permission: "+terminal.Line(reason))...)
		}
		if changes := x.ShownChanges(); changes != nil {
			lines = append(lines, t.remarkLines(changes.String())...)
		}
	}
	return lines
}

// ending is the end of an execution of a call.
type ending struct {
	*Transcript
	call   *call
	head   head
	status agent.Status
	kind   tool.Kind
	result *tool.Result
	reason string // why the call was cancelled, "" if that is known
}

func (t *Transcript) endingOf(c *call, x *agent.Execution) ending {
	o := ending{Transcript: t, call: c, status: x.Status, kind: c.kind, result: cmp.Or(x.Result, &tool.Result{})}
	if x.Requested != "" {
		o.kind = tool.KindOther
	}
	o.head = head{glyph: glyphOf(x.Status), name: t.title(c.Name), about: cmp.Or(c.Summary, kit.Brief(x.Summary)), link: t.linkTo(c.files)}
	if x.Status == agent.Success && (o.result.Data["isError"] == true || o.result.Problem != "") {
		o.head.glyph = failed
	}
	o.head.isDense = !t.Options.IsLoose && o.isListed()
	return o
}

// isListed reports whether the result fits in the line of a list.
func (o *ending) isListed() bool {
	text, isText := tool.DisplayText(o.result.Display)
	switch {
	case isText && isListed(o.kind):
		return o.result.Summary != "" || !strings.Contains(strings.TrimSpace(text), "\n")
	case isText:
		return false
	}
	switch o.result.Display.(type) {
	case *tool.DiffDisplay, *tool.ListDisplay, *tool.MatchDisplay, *tool.TodoDisplay:
		return true
	}
	return isListed(o.kind)
}

// lines returns the lines of the execution.
func (o *ending) lines() []styled.Line {
	switch {
	case o.status == agent.CallCancelled:
		return o.cancelledLines()
	case o.status == agent.Failed:
		return o.failedLines()
	}
	switch d := o.result.Display.(type) {
	case *tool.DiffDisplay:
		return o.changeLines(d)
	case *tool.ListDisplay:
		summary := kit.Brief(d.Summary)
		if n := len(d.Skipped); n > 0 {
			summary += fmt.Sprintf(" (%d left out)", n)
		}
		return o.foundLines(summary, d.Items[:min(len(d.Items), maxOutput)], len(d.Items))
	case *tool.MatchDisplay:
		var items []string
		for _, m := range d.Matches[:min(len(d.Matches), maxOutput)] {
			items = append(items, fmt.Sprintf("%s:%d: %s", m.Path, m.Line, m.Text))
		}
		return o.foundLines(kit.Brief(d.Summary), items, len(d.Matches))
	case *tool.TodoDisplay:
		done, total := progressOf(d)
		o.head.name, o.head.about = fmt.Sprintf("Todo: %d of %d completed", done, total), ""
		return o.row()
	case *tool.AgentDisplay:
		return o.agentLines(d)
	}
	return o.textLines()
}

// row returns the head of the call.
func (o *ending) row() []styled.Line {
	return o.headLines(o.head)
}

// textLines returns the lines of a result that is a text, or none.
func (o *ending) textLines() []styled.Line {
	text, _ := tool.DisplayText(o.result.Display)
	summary := kit.Brief(o.result.Summary)
	switch {
	case o.kind == tool.KindThink && text != "":
		return o.topicLines(text)
	case o.head.isDense:
		o.head.remark = arrow(cmp.Or(summary, kit.Brief(strings.TrimSpace(text))))
		if file := o.result.OutputFile; file != "" {
			return append(o.row(), marginLines([]string{"(Output saved to: " + terminal.Line(file) + ")"}, o.Look.Theme.Secondary())...)
		}
		return o.row()
	case o.kind == tool.KindCommunicate, o.kind == tool.KindPlan:
		return append(o.row(), o.fit(func(t *Transcript) (lines []styled.Line) {
			for _, l := range t.markdownLines(keepLines(terminal.Cut(text, maxNote)), max(t.width()-len(margin), 1)) {
				lines = append(lines, trimRight(slices.Concat(styled.Plain(margin), l)))
			}
			return lines
		})...)
	}
	output := append(o.outputLines(o.call.pid, text, o.result.Omitted), o.savedLines(o.result.OutputFile)...)
	if len(output) == 0 {
		o.head.remark = arrow(summary)
	}
	return append(o.row(), output...)
}

// topicLines returns the heading with which the model opens a part of its work, and the text below it.
func (o *ending) topicLines(text string) []styled.Line {
	if text = terminal.Cut(text, maxNote); !strings.HasPrefix(text, "#") {
		text = "### " + text
	}
	return o.fit(func(t *Transcript) []styled.Line { return t.markdownLines(text, t.width()) })
}

// changeLines returns the row of an edit, and the change below it unless the person has just seen it in a question.
func (o *ending) changeLines(d *tool.DiffDisplay) []styled.Line {
	o.head.remark = arrow("Accepted " + countsOf(o.result, d))
	if o.call.WasAsked {
		return o.row()
	}
	return append(o.row(), o.diffLines(d)...)
}

// countsOf returns the numbers of lines that an edit adds and removes.
func countsOf(r *tool.Result, d *tool.DiffDisplay) string {
	n := r.Lines
	if n == (tool.LineChange{}) {
		n.Added, n.Removed = d.Stat.ModelAddedLines+d.Stat.UserAddedLines, d.Stat.ModelRemovedLines+d.Stat.UserRemovedLines
	}
	return fmt.Sprintf("(+%d, -%d)", n.Added, n.Removed)
}

// foundLines returns the row of a list of so many items, and the first ones below it if calls are not shown in one
// line.
func (o *ending) foundLines(summary string, first []string, total int) []styled.Line {
	o.head.remark = arrow(summary)
	if o.head.isDense {
		return o.row()
	}
	texts := make([]string, len(first))
	for i, text := range first {
		texts[i] = kit.Brief(text)
	}
	lines := append(o.row(), marginLines(texts, styled.Style{})...)
	return append(lines, o.hiddenLines("last", total-len(first))...)
}

// cancelledLines returns the row of a call that was cancelled, and its output so far.
func (o *ending) cancelledLines() []styled.Line {
	if d, isDiff := o.result.Display.(*tool.DiffDisplay); isDiff && o.reason == "" {
		o.head.remark = arrow("Rejected " + countsOf(o.result, d))
	} else {
		o.head.remark = arrow(kit.Brief(o.reason))
	}
	if text, isText := tool.DisplayText(o.result.Display); isText && strings.Contains(strings.TrimSpace(text), "\n") {
		return append(o.row(), o.outputLines(o.call.pid, text, o.result.Omitted)...)
	}
	return o.row()
}

// failedLines returns one line about a call that has failed, or more if the person wants to see errors or has made the
// call.
func (o *ending) failedLines() []styled.Line {
	text, _ := tool.DisplayText(o.result.Display)
	if strings.TrimSpace(text) == "" && o.result.Error != nil {
		text = o.result.Error.Message
	}
	text = strings.TrimSpace(o.shortText(terminal.Cut(text, maxNote)))
	if !o.Options.ShowsErrors && !o.call.Typed && !o.call.FromClient {
		first, _, _ := strings.Cut(text, "\n")
		line := "x " + o.head.name
		if first = kit.Brief(first); first != "" {
			line += ": " + first
		}
		return o.fit(func(t *Transcript) []styled.Line {
			return []styled.Line{styled.Of("  "+line, t.Look.Theme.Secondary()).Cut(t.width())}
		})
	}
	texts, hidden := kit.LastLines(text, maxOutput)
	return append(append(o.row(), o.hiddenLines("first", hidden)...), marginLines(texts, o.Look.Theme.Error())...)
}

// progressOf returns the number of tasks that are completed, and of all that are not cancelled.
func progressOf(d *tool.TodoDisplay) (done, total int) {
	for _, task := range d.Todos {
		if task.Status != tool.TodoCancelled {
			total++
		}
		if task.Status == tool.TodoCompleted {
			done++
		}
	}
	return done, total
}
