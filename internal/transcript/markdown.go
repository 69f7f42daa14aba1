package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/llm"
)

// Markdown returns a conversation as Markdown for people to read: prompts as the user
// wrote them, answers, and tool calls with their results. It omits the session context
// and thoughts, replaces media by their type and size, and removes characters that
// could control a terminal.
func Markdown(info Info, history []agent.Message) string {
	m := &markdown{}
	fmt.Fprintf(m, "# Conversation\n\n- Session: %s\n- Directory: %s\n- Began: %s\n",
		oneLine(info.ID), oneLine(info.Dir), info.Start.Format("2006-01-02 15:04"))
	write(m, info, history)
	return terminal.Text(m.String())
}

// document is the text of a conversation in one format.
type document interface {
	begin(title string) // begins a message
	text(text string)
	tool(name string)
	note(text string) // about a call
	code(language, text string)
	end() // ends a message
}

type markdown struct{ strings.Builder }

func (m *markdown) begin(title string) { m.WriteString("\n## " + title + "\n\n") }

func (m *markdown) text(text string) { m.WriteString(text + "\n") }

func (m *markdown) tool(name string) { m.WriteString("\n### Tool: " + name + "\n\n") }

func (m *markdown) note(text string) { m.WriteString(text + "\n\n") }

func (m *markdown) code(language, text string) { m.WriteString(CodeBlock(language, text)) }

func (m *markdown) end() {}

func write(d document, info Info, history []agent.Message) {
	for i, m := range history {
		switch {
		case m.Content.Role == llm.RoleModel:
			title := "Model"
			if m.Model != "" {
				title += " (" + oneLine(m.Model) + ")"
			}
			d.begin(title)
			outcomes := info.outcomes(history[i+1:])
			for _, p := range m.Content.Parts {
				if c := p.FunctionCall; c != nil {
					writeCall(d, c, outcomes[c.ID])
				} else {
					writePart(d, p)
				}
			}
			d.end()
		case !m.Content.HasFunctionResponse() && !isSessionContext(m):
			d.begin("User")
			parts := m.Content.Parts
			if m.Shown != "" {
				parts = []llm.Part{llm.Text(m.Shown)}
			}
			for _, p := range parts {
				writePart(d, p)
			}
			d.end()
		}
	}
}

// isSessionContext reports whether Pollux wrote a user message to open the session.
func isSessionContext(m agent.Message) bool {
	return m.Shown == "" && strings.HasPrefix(m.Content.Text(), "<session_context>")
}

func writePart(d document, p llm.Part) {
	switch {
	case p.Thought:
	case p.InlineData != nil:
		d.text(fmt.Sprintf("[%s, %d bytes]", oneLine(p.InlineData.MIMEType), len(p.InlineData.Data)))
	case p.FileData != nil:
		d.text(fmt.Sprintf("[%s: %s]", oneLine(p.FileData.MIMEType), oneLine(p.FileData.FileURI)))
	case strings.TrimSpace(p.Text) != "":
		d.text(strings.TrimSpace(p.Text))
	}
}

func writeCall(d document, c *llm.FunctionCall, o *outcome) {
	d.tool(oneLine(c.Name))
	d.code("json", indented(c.Args))
	if o == nil {
		return
	}
	for i := range o.ran {
		if title := executionTitle(&o.ran[i]); title != "" {
			d.note(title)
			d.code("json", indented(o.ran[i].Args))
		}
	}
	for _, p := range o.parts {
		if r := p.FunctionResponse; r != nil {
			d.code("", responseText(r.Response))
		} else {
			writePart(d, p)
		}
	}
	if o.changes != nil {
		d.note("Changes: " + o.changes.String())
	}
}

// executionTitle returns the heading of an execution that differs from the model's call, "" for one that does not.
func executionTitle(x *agent.Execution) string {
	if x.IsAsWritten() {
		return ""
	}
	var who []string
	for _, author := range x.ChangedBy {
		text := map[agent.Author]string{agent.AuthorHook: "a hook", agent.AuthorUser: "the user", agent.AuthorGate: "the gate"}[author]
		if !slices.Contains(who, text) {
			who = append(who, text)
		}
	}
	title := "Changed by " + strings.Join(who, " and ")
	switch {
	case x.Requested != "" && len(who) == 0:
		title = "Continued by a hook with " + oneLine(x.Name)
	case x.Requested != "":
		title = "Continued by a hook with " + oneLine(x.Name) + ", changed by " + strings.Join(who, " and ")
	}
	if !x.HasRun {
		title += ", not run"
	}
	return title + ":"
}

// indented returns the arguments of a call as JSON for people.
func indented(args json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, arguments(args), "", "  ") != nil {
		return "{}"
	}
	return b.String()
}

// responseText returns the output or the error of a function response, or the whole
// JSON if it has neither.
func responseText(response json.RawMessage) string {
	var form struct{ Output, Error string }
	if json.Unmarshal(response, &form) == nil && form.Output+form.Error != "" {
		return form.Output + form.Error
	}
	return string(response)
}

// CodeBlock returns text as a fenced code block in Markdown. The fence is longer than
// any run of backticks in text, so that text cannot end the block.
func CodeBlock(language, text string) string {
	longest, run := 2, 0
	for _, c := range text {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", longest+1)
	return marks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + marks + "\n\n"
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
