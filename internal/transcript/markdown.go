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
	var b strings.Builder
	fmt.Fprintf(&b, "# Conversation\n\n- Session: %s\n- Directory: %s\n- Began: %s\n",
		oneLine(info.ID), oneLine(info.Dir), info.Start.Format("2006-01-02 15:04"))
	for i, m := range history {
		switch {
		case m.Content.Role == llm.RoleModel:
			writeModel(&b, m, info.outcomes(history[i+1:]))
		case !m.Content.HasFunctionResponse() && !isSessionContext(m):
			writeUser(&b, m)
		}
	}
	return terminal.Text(b.String())
}

// isSessionContext reports whether Pollux wrote a user message to open the session.
func isSessionContext(m agent.Message) bool {
	return m.Shown == "" && strings.HasPrefix(m.Content.Text(), "<session_context>")
}

func writeUser(b *strings.Builder, m agent.Message) {
	b.WriteString("\n## User\n\n")
	if m.Shown != "" {
		b.WriteString(strings.TrimSpace(m.Shown) + "\n")
		return
	}
	for _, p := range m.Content.Parts {
		writePart(b, p)
	}
}

func writeModel(b *strings.Builder, m agent.Message, outcomes map[string]*outcome) {
	b.WriteString("\n## Model")
	if m.Model != "" {
		b.WriteString(" (" + oneLine(m.Model) + ")")
	}
	b.WriteString("\n\n")
	for _, p := range m.Content.Parts {
		if c := p.FunctionCall; c != nil {
			writeCall(b, c, outcomes[c.ID])
		} else {
			writePart(b, p)
		}
	}
}

func writePart(b *strings.Builder, p llm.Part) {
	switch {
	case p.Thought:
	case p.InlineData != nil:
		fmt.Fprintf(b, "[%s, %d bytes]\n", oneLine(p.InlineData.MIMEType), len(p.InlineData.Data))
	case p.FileData != nil:
		fmt.Fprintf(b, "[%s: %s]\n", oneLine(p.FileData.MIMEType), oneLine(p.FileData.FileURI))
	case strings.TrimSpace(p.Text) != "":
		b.WriteString(strings.TrimSpace(p.Text) + "\n")
	}
}

func writeCall(b *strings.Builder, c *llm.FunctionCall, o *outcome) {
	fmt.Fprintf(b, "\n### Tool: %s\n\n", oneLine(c.Name))
	b.WriteString(CodeBlock("json", indented(c.Args)))
	if o == nil {
		return
	}
	for i := range o.ran {
		if title := executionTitle(&o.ran[i]); title != "" {
			b.WriteString(title + "\n\n" + CodeBlock("json", indented(o.ran[i].Args)))
		}
	}
	for _, p := range o.parts {
		if r := p.FunctionResponse; r != nil {
			b.WriteString(CodeBlock("", responseText(r.Response)))
		} else {
			writePart(b, p)
		}
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
		if run++; run > longest {
			longest = run
		}
	}
	marks := strings.Repeat("`", longest+1)
	return marks + language + "\n" + strings.TrimRight(text, "\n") + "\n" + marks + "\n\n"
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
