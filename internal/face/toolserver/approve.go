package toolserver

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/tool"
)

// elicit asks the person at a client to fill a form, and returns the answer.
type elicit func(context.Context, *sdk.ElicitParams) (*sdk.ElicitResult, error)

// approver asks the person at the client for approval of one call.
type approver struct {
	client *sdk.ServerSession
	elicit elicit
	names  kit.Names
	advice string // for the client, with a denial
}

const deny = "Deny"

// labels names the options that clients can choose.
var labels = map[tool.Outcome]string{tool.ProceedOnce: "Allow once", tool.ProceedAlways: "Allow for this session", tool.Cancel: deny}

// ask implements [agent.Ask].
func (a *approver) ask(ctx context.Context, asked *agent.Question) (tool.Answer, error) {
	refused := tool.Answer{Outcome: tool.Cancel, Unattended: true}
	q := kit.NewQuestion(asked.Details(), false, a.names)
	var text string
	var options []*kit.Option
	if q != nil {
		text, options = render(q)
	}
	if len(options) < 2 || !a.canAsk() {
		a.advice = ruleFor(asked)
		return refused, nil
	}
	var choices []string
	for _, o := range options {
		choices = append(choices, labels[o.Outcome()])
	}
	got, err := a.elicit(ctx, &sdk.ElicitParams{Message: text, RequestedSchema: map[string]any{
		"type": "object", "required": []string{"decision"},
		"properties": map[string]any{"decision": map[string]any{"type": "string", "title": "Decision", "enum": choices}},
	}})
	switch {
	case ctx.Err() != nil:
		return tool.Answer{}, context.Cause(ctx)
	case err != nil:
		a.advice = fmt.Sprintf("The client did not ask: %v.\n%s", err, ruleFor(asked))
		return refused, nil
	}
	label, _ := got.Content["decision"].(string)
	if i := slices.Index(choices, label); got.Action == "accept" && i >= 0 && label != deny {
		return options[i].Answer(""), nil
	}
	a.advice = "Not run: the user denied the call."
	return tool.Answer{Outcome: tool.Cancel}, nil
}

func (a *approver) canAsk() bool {
	p := a.client.InitializeParams()
	return p != nil && p.Capabilities != nil && p.Capabilities.Elicitation != nil
}

// ruleFor returns how the user can allow the call that a question is about.
func ruleFor(q *agent.Question) string {
	rule := "[[rule]]\ntoolName = " + quote(q.About()[0].Tool().Spec().Name)
	if c, ok := q.Details().(*tool.ExecConfirmation); ok && len(c.Roots) > 0 {
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

// maxQuestion limits the text of a question, in bytes.
const maxQuestion = 32 << 10

// shown returns a text for a screen, and says if that is not all of it.
func shown(text string) string {
	clean := terminal.Text(text)
	switch {
	case len(clean) > maxQuestion:
		return fmt.Sprintf("%s\nWarning: %d more bytes are not shown.", terminal.Cut(clean, maxQuestion), len(clean)-maxQuestion)
	case kit.IsAltered(text):
		return clean + "\nWarning: the text has characters that cannot be shown."
	}
	return clean
}

// render returns a question as a text, and the options that clients can choose.
func render(q *kit.Question) (text string, options []*kit.Option) {
	text = "Pollux: " + q.Title + "\n"
	for _, line := range q.Hook {
		text += line + "\n"
	}
	for _, b := range q.Blocks {
		text += shown(blockText(b))
	}
	for _, line := range q.Warnings {
		text += "\n" + line
	}
	for i := range q.Options {
		o := &q.Options[i]
		if labels[o.Outcome()] == "" {
			continue
		}
		options = append(options, o)
		if o.Offer != nil {
			text += "\nFor this session: " + terminal.Line(o.Offer.Rule)
		}
	}
	return text, options
}

func blockText(b kit.Block) string {
	switch b := b.(type) {
	case *kit.Change:
		return "File: " + b.FilePath + "\n" + b.Diff
	case *kit.Command:
		return "Command: " + b.Text
	case *kit.Text:
		return b.Text
	case *kit.Request:
		return "MCP server: " + b.Server + "\nTool: " + b.Tool + "\n" + string(b.Args)
	case *kit.Plan:
		return "Plan: " + b.Path + "\n" + b.Text
	}
	return ""
}
