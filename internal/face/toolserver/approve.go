package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/terminal"
	"pollux/tool"
)

// approver asks the person at the client for approval of one call.
type approver struct {
	client *sdk.ServerSession
	tool   string
	advice string // what the client gets with a denial
}

// Answers to a question for approval.
const (
	allowOnce    = "Allow once"
	allowSession = "Allow for this session"
	deny         = "Deny"
)

// ask implements [tool.Ask].
func (a *approver) ask(ctx context.Context, details tool.Confirmation) (tool.Answer, error) {
	q, ok := newQuestion(details)
	if !ok || !a.canAsk() {
		a.advice = a.ruleFor(details)
		return tool.Answer{Outcome: tool.Cancel, Unattended: true}, nil
	}
	options := []string{allowOnce}
	if q.lasting != "" {
		options = append(options, allowSession)
	}
	schema, err := json.Marshal(map[string]any{
		"type": "object", "required": []string{"decision"},
		"properties": map[string]any{"decision": map[string]any{"type": "string", "title": "Decision", "enum": append(options, deny)}},
	})
	if err != nil {
		return tool.Answer{}, err
	}
	got, err := a.client.Elicit(ctx, &sdk.ElicitParams{Message: q.text, RequestedSchema: json.RawMessage(schema)})
	switch {
	case ctx.Err() != nil:
		return tool.Answer{}, context.Cause(ctx)
	case err != nil:
		a.advice = fmt.Sprintf("The client did not ask: %v.\n%s", err, a.ruleFor(details))
		return tool.Answer{Outcome: tool.Cancel, Unattended: true}, nil
	case got.Action == "accept" && got.Content["decision"] == allowOnce:
		return tool.Answer{Outcome: tool.ProceedOnce}, nil
	case got.Action == "accept" && got.Content["decision"] == allowSession && q.lasting != "":
		return tool.Answer{Outcome: q.lasting}, nil
	}
	a.advice = "Not run: the user denied the call."
	return tool.Answer{Outcome: tool.Cancel}, nil
}

// canAsk reports whether the client can ask a person.
func (a *approver) canAsk() bool {
	p := a.client.InitializeParams()
	return p != nil && p.Capabilities != nil && p.Capabilities.Elicitation != nil
}

// ruleFor returns how the user can allow a call that needs approval.
func (a *approver) ruleFor(details tool.Confirmation) string {
	rule := "[[rule]]\ntoolName = " + quote(a.tool)
	if c, ok := details.(*tool.ExecConfirmation); ok && len(c.Roots) > 0 {
		rule += "\ncommandPrefix = " + quote(c.Roots[0])
	}
	return "To allow it, the user adds this rule to a file in ~/.gemini/policies, or starts the server with --approval-mode:\n" +
		rule + "\ndecision = \"allow\"\npriority = 100"
}

// quote returns a string of TOML.
func quote(text string) string {
	b, _ := json.Marshal(terminal.Line(text)) // a string of JSON is one of TOML
	return string(b)
}

// question is a confirmation as a text.
type question struct {
	text    string
	lasting tool.Outcome // the outcome for the rest of the session, "" if there is none
}

// maxQuestion limits the text of a question, in bytes.
const maxQuestion = 32 << 10

// shown returns a text for a screen, and says if that is not all of it.
func shown(text string) string {
	clean := terminal.Text(text)
	switch {
	case len(clean) > maxQuestion:
		return fmt.Sprintf("%s\nWarning: %d more bytes are not shown.", terminal.Cut(clean, maxQuestion), len(clean)-maxQuestion)
	case clean != strings.ReplaceAll(text, "\r\n", "\n"):
		return clean + "\nWarning: the text has characters that cannot be shown."
	}
	return clean
}

// newQuestion returns the question of a confirmation, false for a kind that is not about approval.
func newQuestion(details tool.Confirmation) (question, bool) {
	var title, text string
	var a *tool.Approval
	switch c := details.(type) {
	case *tool.EditConfirmation:
		title, text, a = c.Title, "File: "+c.FilePath+"\n"+c.Diff, &c.Approval
	case *tool.ExecConfirmation:
		title, text, a = c.Title, "Command: "+c.Command, &c.Approval
		if len(c.UntrustedFlags) > 0 {
			text += "\nWarning: words from tool output: " + strings.Join(c.UntrustedFlags, ", ")
		}
		if len(c.ModifiedBuildFiles) > 0 {
			text += "\nWarning: build files that changed in this session: " + strings.Join(c.ModifiedBuildFiles, ", ")
		}
	case *tool.InfoConfirmation:
		title, text, a = c.Title, c.Prompt, &c.Approval
		if len(c.URLs) > 0 {
			text += "\nAddresses: " + strings.Join(c.URLs, " ")
		}
	default:
		return question{}, false
	}
	q := question{text: fmt.Sprintf("Pollux: %s\n%s", terminal.Line(title), shown(text))}
	if a.Quoted != "" {
		q.text += "\nWarning: these words stand in " + terminal.Line(a.Quoted)
	}
	if a.Reason != "" {
		q.text += "\nReason: " + terminal.Line(a.Reason)
	}
	if o, ok := details.(interface{ Once() bool }); ok && o.Once() {
		return q, true
	}
	for _, o := range a.Offers {
		if o.Outcome == tool.ProceedAlways {
			q.lasting = o.Outcome
			q.text += "\nFor this session: " + terminal.Line(o.Rule)
		}
	}
	return q, true
}
