package acp

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/tool"
)

// maxFile is the size of a file in a diff, in bytes.
const maxFile = 1 << 20

// results returns the content of a call that has ended, and the same as text for clients that show only that. The output of a
// command that a terminal of the client shows is only in the text.
func (c *chat) results(e *agent.ToolFinished, terminalID string) (content []schema.CallContent, output any) {
	content = []schema.CallContent{}
	var texts []string
	for i := range e.Executions {
		x := &e.Executions[i]
		if x.Result == nil {
			continue
		}
		shown, text := c.execution(x)
		if terminalID != "" && isOutput(x.Result) {
			shown = shown[min(1, len(shown)):]
		}
		if content = append(content, shown...); text != "" {
			texts = append(texts, text)
		}
		if changes := x.ShownChanges(); changes != nil {
			content = append(content, schema.Show(terminal.Text(changes.String())))
		}
	}
	if len(texts)+len(content) == 0 && e.Reason != "" {
		content = append(content, schema.Show(terminal.Text(e.Reason)))
		texts = append(texts, e.Reason)
	}
	if len(texts) > 0 {
		output = map[string]string{"output": strings.Join(texts, "\n")}
	}
	if terminalID != "" {
		content = slices.Insert(content, 0, schema.InTerminal(terminalID))
	}
	return content, output
}

// execution returns the content of an execution, and its text.
func (c *chat) execution(x *agent.Execution) ([]schema.CallContent, string) {
	r := x.Result
	if r.Error != nil {
		text, _ := tool.DisplayText(r.Display)
		text = kit.Tail(terminal.Text(cmp.Or(strings.TrimSpace(text), r.Error.Message)), 0)
		return []schema.CallContent{schema.Show(fenced(text))}, text
	}
	content, text := c.display(r.Display, r.Omitted, true)
	if _, isPlan := r.Display.(*tool.TodoDisplay); len(content) == 0 && r.Summary != "" && !isPlan {
		text = terminal.Text(r.Summary)
		content = []schema.CallContent{schema.Show(text)}
	}
	if r.OutputFile != "" {
		content = append(content, schema.Show("The complete output is in "+terminal.Line(r.OutputFile)))
	}
	return content, text
}

// display returns the form of a result for people, and its text. omitted is the number of lines that it lacks at its
// beginning.
func (c *chat) display(d tool.Display, omitted int, isPlain bool) (content []schema.CallContent, text string) {
	show := func(text string) ([]schema.CallContent, string) {
		if strings.TrimSpace(text) == "" {
			return nil, ""
		}
		text = kit.Tail(terminal.Text(text), omitted)
		if isPlain {
			return []schema.CallContent{schema.Show(fenced(text))}, text
		}
		return []schema.CallContent{schema.Show(text)}, text
	}
	switch d := d.(type) {
	case *tool.DiffDisplay:
		return c.diff(d), ""
	case *tool.ListDisplay:
		lines := append([]string{d.Summary}, d.Items...)
		for _, s := range d.Skipped {
			lines = append(lines, "left out: "+s.Path+" ("+s.Reason+")")
		}
		return show(strings.Join(lines, "\n"))
	case *tool.MatchDisplay:
		lines := []string{d.Summary}
		for _, m := range d.Matches {
			lines = append(lines, m.Path+":"+strconv.Itoa(m.Line)+": "+m.Text)
		}
		return show(strings.Join(lines, "\n"))
	case *tool.TodoDisplay:
		return nil, "" // it is a plan
	case *tool.AgentDisplay:
		isPlain = false
		if d.Result != "" {
			return show(d.ResultText())
		}
		return show(activity(d))
	case tool.TextDisplay:
		return show(string(d))
	}
	text, _ = tool.DisplayText(d)
	return show(text)
}

// activity returns the last actions of a subagent.
func activity(d *tool.AgentDisplay) string {
	var lines []string
	for _, a := range d.Activity {
		if text := terminal.Line(cmp.Or(a.DisplayName, a.Content) + " " + a.Description); a.Type == "tool_call" {
			lines = append(lines, "- "+text)
		}
	}
	return strings.Join(lines, "\n")
}

// diff returns the change of a file. One of a big file is its differences, as text.
func (c *chat) diff(d *tool.DiffDisplay) []schema.CallContent {
	path := c.place.shown(d.FilePath)
	if d.After == "" && (d.Before == nil || *d.Before == "") && d.Diff != "" { // of a record, which does not have the texts
		return fragments(path, d.Diff)
	}
	if len(d.After) > maxFile || d.Before != nil && len(*d.Before) > maxFile {
		return []schema.CallContent{schema.Show(terminal.Line(path) + " is too big to show whole. Its changes:\n" + fenced(kit.Tail(terminal.Text(d.Diff), 0)))}
	}
	kind := "modify"
	if d.Before == nil {
		kind = "add"
	}
	return []schema.CallContent{schema.Change(&schema.Diff{Path: path, OldText: d.Before, NewText: d.After, Meta: schema.Meta{"kind": kind}})}
}

// fragments returns the changes in a unified diff, with the lines around them.
func fragments(path, diff string) (list []schema.CallContent) {
	var last *schema.Diff
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "@@") {
			last = &schema.Diff{Path: path, OldText: new(string), Meta: schema.Meta{"kind": "modify"}}
			if strings.HasPrefix(line, "@@ -0,0 ") {
				last.OldText, last.Meta = nil, schema.Meta{"kind": "add"}
			}
			list = append(list, schema.Change(last))
			continue
		}
		if last == nil {
			continue
		}
		if sign := line[0]; sign == ' ' || sign == '+' {
			last.NewText += line[1:]
		}
		if sign := line[0]; (sign == ' ' || sign == '-') && last.OldText != nil {
			*last.OldText += line[1:]
		}
	}
	return list
}

// fenced returns a text as a block of Markdown that shows it as it is.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
