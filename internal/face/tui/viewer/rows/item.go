package rows

import (
	"cmp"
	"strings"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/transcript"
	"pollux/internal/face/tui/viewer/conversation"
	"pollux/internal/terminal"
	"pollux/tool"
)

// sourceOf returns the pieces of an item.
func sourceOf(item conversation.Item) source {
	switch item.Kind {
	case conversation.Prompt:
		return texts(item.Text, prompt)
	case conversation.Note:
		return texts(item.Text, note)
	case conversation.Thought:
		return chain(texts(strings.TrimSpace("Thinking... "+item.Subject), subject), texts(item.Text, thought))
	case conversation.Call:
		return callSource(item.Call)
	}
	return answerSource(item.Text)
}

// callSource returns the pieces of a call: the line about it, its arguments, and its result.
func callSource(c *conversation.CallItem) source {
	sources := []source{one(headPiece{c}), texts(conversation.ArgumentsText(c.Args), argument)}
	for i := range c.Ran {
		x := &c.Ran[i]
		sources = append(sources, texts(changeTitle(x), note), texts(conversation.ArgumentsText(x.Args), argument))
	}
	switch {
	case c.Status == agent.Failed:
		sources = append(sources, texts(c.Output, failure))
	default:
		sources = append(sources, resultSource(c))
	}
	return chain(sources...)
}

// changeTitle is the line about an execution that differs from the call as the model wrote it.
func changeTitle(x *agent.Execution) string {
	text := "Ran as " + x.Name
	if !x.HasRun {
		text = "Did not run as " + x.Name
	}
	if x.Requested != "" {
		text += ", with which a hook continued the call"
	}
	var authors []string
	for _, author := range x.ChangedBy {
		authors = append(authors, authorName(author))
	}
	if len(authors) > 0 {
		text += ", changed by " + strings.Join(authors, " and ")
	}
	return text
}

// authorName returns who has changed the arguments of a call, as people say it.
func authorName(a agent.Author) string {
	switch a {
	case agent.AuthorHook:
		return "a hook"
	case agent.AuthorUser:
		return "the user"
	case agent.AuthorGate:
		return "the gate"
	}
	return string(a)
}

// resultSource returns the pieces of the result of a call that has not failed.
func resultSource(c *conversation.CallItem) source {
	switch d := c.Display.(type) {
	case *tool.DiffDisplay:
		rest := ""
		if c.Status != agent.Success {
			rest = c.Result
		}
		return chain(diffSource(d, c.Status != agent.Success), texts(rest, output))
	case *tool.TodoDisplay:
		return texts(todoText(d), output)
	case *tool.AgentDisplay:
		return chain(one(activityPiece{d}), texts(cmp.Or(c.Result, d.ResultText()), output))
	}
	return texts(c.Output, output)
}

// todoText returns a list of tasks.
func todoText(d *tool.TodoDisplay) string {
	var b strings.Builder
	for _, t := range d.Todos {
		b.WriteString(todoSign(t.Status) + " " + terminal.Line(t.Description) + "\n")
	}
	return b.String()
}

// todoSign returns the sign of a task in a state, "" for an unknown one.
func todoSign(s tool.TodoStatus) string {
	switch s {
	case tool.TodoCompleted:
		return "✓"
	case tool.TodoInProgress:
		return "»"
	case tool.TodoPending:
		return "☐"
	case tool.TodoCancelled:
		return "✗"
	case tool.TodoBlocked:
		return "⊘"
	}
	return ""
}

// headPiece is the line about a call.
type headPiece struct{ call *conversation.CallItem }

func (p headPiece) size() int { return len(p.call.Name) + len(p.call.Description) }

func (p headPiece) rows(l *Look) []Row {
	h := transcript.CallHead{Status: p.call.Status, Name: kit.Label(l.Names, p.call.Name, ""), About: terminal.Line(p.call.Description)}
	switch p.call.Status {
	case agent.CallCancelled:
		h.Remark = "cancelled"
	case agent.Scheduled:
		h.Remark = "no result yet"
	}
	return l.wrapped(l.parts().Head(h).Wrap(l.Width, styled.Plain("  ")))
}

// activityPiece is the last actions of a subagent.
type activityPiece struct{ display *tool.AgentDisplay }

func (p activityPiece) size() int { return len(p.display.Activity) }

func (p activityPiece) rows(l *Look) (rows []Row) {
	for _, a := range p.display.Activity {
		line := styled.Line{{Text: "  💭 " + kit.Brief(a.Content), Style: l.Theme.Comment()}}
		if a.Type != "thought" {
			text := terminal.Line(cmp.Or(a.DisplayName, a.Content)) + "  " + kit.Brief(a.Description)
			line = styled.Of("  "+strings.TrimRight(text, " "), l.Theme.Secondary())
		}
		rows = append(rows, l.wrapped(line.Wrap(l.Width, styled.Plain("    ")))...)
	}
	return rows
}
