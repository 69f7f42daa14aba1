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
	choices := q.Choices()
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
		if q.IsPlan() {
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

// permissions returns the choices as the client shows them.
func permissions(choices []kit.Choice) (list []schema.Permission) {
	kinds := map[kit.ChoiceKind]schema.PermissionKind{kit.AllowAlways: schema.AllowAlways, kit.AllowOnce: schema.AllowOnce, kit.Reject: schema.RejectOnce}
	for _, c := range choices {
		list = append(list, schema.Permission{ID: c.ID, Name: c.Name, Kind: kinds[c.Kind]})
	}
	return list
}

// answerOf asks the client, and returns the answer. A malformed one refuses, and the model reads why.
func (c *chat) answerOf(q *kit.Question, card schema.Call, choices []kit.Choice) tool.Answer {
	options := permissions(choices)
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
			return o.Answer
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
	if i := slices.IndexFunc(options, func(o schema.Permission) bool { return o.ID == id }); i >= 0 && options[i].Kind != schema.RejectOnce {
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
