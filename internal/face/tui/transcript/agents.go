package transcript

import (
	"cmp"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// maxActivities is the number of the last activities of an agent that are shown.
const maxActivities = 5

// agentName returns the name of the agent that a call runs, "" if it runs none.
func agentName(c *call) string { return terminal.Line(subagent.NameOf(c.ToolCall)) }

// agentHead returns the name of an agent and the description of its task, for the head of a call.
func agentHead(name string, c *call) (title, about string) {
	title = terminal.Line(name)
	about = strings.TrimPrefix(c.Summary, "Delegating to agent '"+title+"'")
	return cmp.Or(title, terminal.Line(c.Name)), strings.TrimPrefix(about, ": ")
}

// agentGlyph returns the sign of the state of an agent or of its activity.
func agentGlyph(s tool.AgentState) glyph {
	switch s {
	case tool.AgentCompleted:
		return succeeded
	case tool.AgentError:
		return failed
	case tool.AgentCancelled:
		return cancelled
	}
	return running
}

// activityLines returns the last activities of an agent, a line each.
func (t *Transcript) activityLines(d *tool.AgentDisplay) (lines []styled.Line) {
	for _, a := range d.Activity[max(0, len(d.Activity)-maxActivities):] {
		if a.Type == "thought" {
			thought := styled.Line{{Text: "  💭 "}, {Text: kit.Brief(a.Content), Style: t.Look.Theme.Comment()}}
			lines = append(lines, trimRight(thought.Cut(t.width())))
			continue
		}
		h := head{glyph: agentGlyph(a.Status), isDense: true, name: terminal.Line(cmp.Or(a.DisplayName, t.title(a.Content))), about: kit.Brief(a.Description)}
		lines = append(lines, h.line(t.width(), t.Look.Theme))
	}
	return lines
}

// nestedLines returns the last calls of an agent inside a call.
func (t *Transcript) nestedLines(c *call) (lines []styled.Line) {
	for _, h := range c.nested {
		lines = append(lines, h.line(t.width(), t.Look.Theme))
	}
	return lines
}

// agentLines returns the row of an agent that has ended, with the first line of its result, or its last activities if it
// has none.
func (o *ending) agentLines(d *tool.AgentDisplay) []styled.Line {
	o.head.name, o.head.about = agentHead(d.Agent, o.call)
	if d.State != tool.AgentRunning {
		o.head.glyph = agentGlyph(d.State)
	}
	o.head.remark = arrow(kit.Brief(o.result.Summary))
	if d.Result == "" {
		return append(o.row(), o.activityLines(d)...)
	}
	if d.State != tool.AgentError && d.State != tool.AgentCancelled {
		first, _, _ := strings.Cut(strings.TrimSpace(d.ResultText()), "\n")
		o.head.remark = arrow(cmp.Or(kit.Brief(first), kit.Brief(o.result.Summary)))
	}
	return o.row()
}
