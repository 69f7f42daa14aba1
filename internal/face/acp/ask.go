package acp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/auth"
	"pollux/internal/face/acp/schema"
	"pollux/internal/face/acp/wire"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/tool"
)

// asked takes a question of the session. The rules have decided before that a person has to answer it.
func (c *chat) asked(w *work, q *kit.Question) {
	isOpening := c.current() != w
	if isOpening && q.Title == auth.QuestionTitle { // the client has its own way, see [server.authenticate]
		w.driver.Answer(q, tool.Answer{Outcome: tool.Cancel})
		return
	}
	if c.inTurn() == nil { // the client shows questions only during turns
		c.mu.Lock()
		c.wasRefused = c.wasRefused || isOpening
		c.mu.Unlock()
		w.driver.Answer(q, tool.Answer{Outcome: tool.Cancel})
		return
	}
	if c.isForForm(q) {
		callID := ""
		if q.Call != nil {
			callID = c.calls.card(q.Within, q.Call).ID
		}
		c.background(func() { w.driver.Answer(q, c.fill(q, callID)) })
		return
	}
	choices := choicesOf(q)
	if len(choices) < 2 {
		c.remark("Not answered: " + terminal.Line(q.Title) + ". This question needs typed text. Run Pollux in a terminal to answer it.")
		w.driver.Answer(q, tool.Answer{Outcome: tool.Cancel, Unattended: true})
		return
	}
	card := c.cardOf(q)
	c.background(func() { w.driver.Answer(q, c.answerOf(q, card, choices)) })
}

// cardOf returns the tool call under which a question is shown: the one that it is about, or one of its own.
func (c *chat) cardOf(q *kit.Question) schema.Call {
	about := c.questionContent(q)
	if q.Call != nil {
		card := c.calls.card(q.Within, q.Call)
		if q.Agent != "" {
			card.Title = terminal.Line(q.Agent) + ": " + card.Title
		}
		card.Content = append(slices.Clone(card.Content), about...)
		if _, isPlan := firstBlock(q).(*kit.Plan); isPlan {
			card.Tool = schema.ToolSwitchMode
		}
		return card
	}
	c.calls.questions++
	return schema.Call{
		ID: "question-" + strconv.Itoa(c.calls.questions) + "-" + c.id[:min(8, len(c.id))], Title: cmp.Or(q.Title, q.Prompt, "Question"), Tool: schema.ToolOther,
		Status: schema.Pending, Content: about, Locations: []schema.Location{},
	}
}

func firstBlock(q *kit.Question) kit.Block {
	if len(q.Blocks) == 0 {
		return nil
	}
	return q.Blocks[0]
}

// questionContent returns the texts of a question beside the call that it is about.
func (c *chat) questionContent(q *kit.Question) []schema.CallContent {
	content := []schema.CallContent{}
	add := func(text string) {
		if text = strings.TrimSpace(text); text != "" {
			content = append(content, schema.Show(text))
		}
	}
	add(terminal.Text(strings.Join(q.Hook, "\n")))
	for _, b := range q.Blocks {
		switch b := b.(type) {
		case *kit.Change:
			if q.Call == nil {
				content = append(content, c.diff(b.DiffDisplay)...)
			}
		case *kit.Command:
			add(fenced(terminal.Text(b.Text)))
		case *kit.Text:
			add(terminal.Text(b.Text))
		case *kit.Request:
			add("Tool " + terminal.Line(b.Tool) + " of the MCP server " + terminal.Line(b.Server) + ":\n" + fenced(terminal.Text(string(b.Args))))
		case *kit.Plan:
			add(terminal.Text(b.Text))
		}
	}
	for _, f := range q.Form {
		add(terminal.Text(f.Text))
	}
	add(terminal.Text(strings.Join(q.Warnings, "\n")))
	return content
}

// choice is a possible answer to a question.
type choice struct {
	schema.Permission
	answer tool.Answer
}

// choicesOf returns the answers to a question that need no text, those that last first; fewer than two if it needs some.
func choicesOf(q *kit.Question) (list []choice) {
	if len(q.Form) > 0 {
		return formChoices(q)
	}
	for i := range q.Options {
		o := &q.Options[i]
		if o.NeedsEditor || o.NeedsText {
			continue
		}
		list = append(list, choiceOf(o))
	}
	if _, isPlan := firstBlock(q).(*kit.Plan); isPlan {
		list[len(list)-1].answer.Feedback = rejectedPlan
	}
	slices.SortStableFunc(list, func(a, b choice) int { return rank(a.Kind) - rank(b.Kind) })
	seen := map[string]int{}
	for i := range list {
		id := list[i].ID
		if seen[id]++; seen[id] > 1 {
			list[i].ID += "_" + strconv.Itoa(seen[id])
		}
	}
	return list
}

// rank is the place of an answer of a kind among the answers to a question.
func rank(k schema.PermissionKind) int {
	return slices.Index([]schema.PermissionKind{schema.AllowAlways, schema.AllowOnce, schema.RejectOnce, schema.RejectAlways}, k)
}

// choiceOf returns the answer that an option stands for, with the id and the name that clients of Gemini CLI know.
func choiceOf(o *kit.Option) choice {
	outcome := o.Outcome()
	c := choice{schema.Permission{ID: string(outcome), Name: o.Label, Kind: schema.AllowOnce}, o.Answer("")}
	switch outcome {
	case tool.ProceedOnce:
		if o.Label == "Allow once" {
			c.Name = "Allow"
		}
	case tool.Cancel:
		c.Name, c.Kind = "Reject", schema.RejectOnce
		if o.TextPrompt != "" {
			c.answer = o.Answer(rejected)
		}
	case "": // of a plan
		c.ID = string(tool.ProceedOnce)
		if c.answer.Reply != nil && c.answer.Reply.Mode != "" {
			c.ID, c.Kind = string(tool.ProceedAlways), schema.AllowAlways
		}
	default:
		c.Kind = schema.AllowAlways
	}
	return c
}

// rejected is the result, for the model, of a call that the person has rejected.
const rejected = "The user has rejected this call. Do not repeat it; go on without it, or ask what to do instead."

// rejectedPlan is the same of a plan.
const rejectedPlan = "The user has rejected the plan. Stay in plan mode, and ask which changes the user wants."

// formChoices returns the answers to a form with a single question that has options.
func formChoices(q *kit.Question) (list []choice) {
	f := q.Form[0]
	if len(q.Form) > 1 || f.Multi {
		return nil
	}
	add := func(label, description string, kind schema.PermissionKind) {
		name := label
		if description != "" {
			name += ": " + description
		}
		list = append(list, choice{schema.Permission{ID: "option_" + strconv.Itoa(len(list)+1), Name: name, Kind: kind}, q.Reply([]string{label})})
	}
	switch f.Kind {
	case tool.ChoiceQuestion:
		for _, o := range f.Choices {
			kind := schema.AllowOnce
			if o.Label == "No" {
				kind = schema.RejectOnce
			}
			add(o.Label, o.Description, kind)
		}
	case tool.YesNoQuestion:
		add("Yes", "", schema.AllowOnce)
		add("No", "", schema.RejectOnce)
	default:
		return nil
	}
	if !slices.ContainsFunc(list, func(c choice) bool { return c.Kind == schema.RejectOnce }) {
		list = append(list, choice{schema.Permission{ID: string(tool.Cancel), Name: "Cancel", Kind: schema.RejectOnce}, tool.Answer{Outcome: tool.Cancel}})
	}
	return list
}

// answerOf asks the client, and returns the answer. A malformed one refuses, and the model reads why.
func (c *chat) answerOf(q *kit.Question, card schema.Call, choices []choice) tool.Answer {
	var options []schema.Permission
	for _, o := range choices {
		options = append(options, o.Permission)
	}
	var id string
	var err error
	if q.Call == nil {
		id, err = c.choose(q.Context(), card, options)
	} else {
		id, err = c.request(q.Context(), card, options)
	}
	if err != nil {
		no := tool.Answer{Outcome: tool.Cancel}
		if q.IsOfCall && q.Context().Err() == nil {
			no.Feedback = "Not run: the editor has not asked the user. " + terminal.Line(err.Error())
		}
		return no
	}
	for _, o := range choices {
		if o.ID == id {
			return o.answer
		}
	}
	return tool.Answer{Outcome: tool.Cancel}
}

// choose asks under a tool call that is only a question, and returns the id of the answer, "" for none.
func (c *chat) choose(ctx context.Context, card schema.Call, options []schema.Permission) (string, error) {
	began := card
	began.Kind = schema.CallBegan
	c.send(began)
	id, err := c.request(ctx, card, options)
	end := schema.Call{Kind: schema.CallChanged, ID: card.ID, Status: schema.Failed}
	if i := slices.IndexFunc(options, func(o schema.Permission) bool { return o.ID == id }); i >= 0 && rank(options[i].Kind) < rank(schema.RejectOnce) {
		end.Status = schema.Completed
	}
	c.send(end)
	return id, err
}

// request has the client ask the person. It returns the id of the chosen option, "" if the client withdraws the question.
// Any other answer is an error.
func (c *chat) request(ctx context.Context, card schema.Call, options []schema.Permission) (string, error) {
	var answer schema.PermissionResponse
	err := c.server.conn.Call(ctx, schema.RequestPermission, schema.PermissionRequest{SessionID: c.id, Call: card, Options: options}, &answer)
	if err != nil {
		if _, isAnswer := err.(*wire.Error); isAnswer {
			err = fmt.Errorf("its answer is an error: %w", err)
		}
		return "", err
	}
	switch o := answer.Outcome; {
	case o.Outcome == "cancelled":
		return "", nil
	case o.Outcome == "selected" && slices.ContainsFunc(options, func(p schema.Permission) bool { return p.ID == o.OptionID }):
		return o.OptionID, nil
	case o.Outcome == "selected":
		return "", fmt.Errorf("its answer is an option that there is not: %q", terminal.Cut(o.OptionID, 40))
	}
	return "", fmt.Errorf("its answer has no outcome that Pollux knows")
}
