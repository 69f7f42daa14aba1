package a2a

import (
	"slices"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit"
	"pollux/internal/face/kit/jsonrpc"
	"pollux/internal/terminal"
	"pollux/tool"
)

// question is a question about a call that waits for the answer of the client. It gets one answer: a later question about the
// same call is another one.
type question struct {
	shown   *kit.Question // as clients got it
	details tool.Confirmation
	open    *kit.Question // the same, once it is its turn: the driver asks one after the other
	answer  *tool.Answer  // that came before, nil for none
}

// option is a possible answer.
type option struct {
	Outcome string `json:"outcome"`
	Name    string `json:"name"`
}

// details describe a question, in the form of Gemini CLI. Warnings, Hook and Options are Pollux's own.
type details struct {
	Type  string `json:"type"`
	Title string `json:"title"`

	// Of an edit.
	*diff
	IsModifying *bool `json:"isModifying,omitempty"`

	// Of a command.
	Command      string   `json:"command,omitempty"`
	RootCommand  string   `json:"rootCommand,omitempty"`
	RootCommands []string `json:"rootCommands,omitempty"`

	// Of a call of an MCP server.
	ServerName      string `json:"serverName,omitempty"`
	ToolName        string `json:"toolName,omitempty"`
	ToolDisplayName string `json:"toolDisplayName,omitempty"`

	// Of other questions.
	Prompt string   `json:"prompt,omitempty"`
	URLs   []string `json:"urls,omitempty"`

	// Of a plan.
	PlanPath string `json:"planPath,omitempty"`

	Hook     []string `json:"hook,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	Options  []option `json:"options"`
}

// detailsOf describes a question.
func detailsOf(q *kit.Question, c tool.Confirmation) *details {
	d := &details{Type: "info", Title: q.Title, Hook: q.Hook, Warnings: q.Warnings, Options: []option{}}
	for _, choice := range q.Choices() {
		d.Options = append(d.Options, option{choice.ID, choice.Name})
	}
	switch c := c.(type) {
	case *tool.EditConfirmation:
		change := newDiff(&c.DiffDisplay)
		d.Type, d.diff, d.IsModifying = "edit", &change, new(false)
	case *tool.ExecConfirmation:
		d.Type, d.Command, d.RootCommand, d.RootCommands = "exec", terminal.Text(c.Command), strings.Join(c.Roots, ", "), c.Roots
	case *tool.RemoteConfirmation:
		d.Type, d.ServerName, d.ToolName, d.ToolDisplayName = "mcp", c.Server, c.Tool, c.DisplayName
	case *tool.InfoConfirmation:
		d.Prompt, d.URLs = terminal.Text(c.Prompt), c.URLs
	case *tool.PlanConfirmation:
		d.Type, d.PlanPath, d.Prompt = "exit_plan_mode", c.Path, kit.Tail(terminal.Text(c.Plan), 0)
	case *tool.QuestionConfirmation:
		var texts []string
		for _, f := range q.Form {
			texts = append(texts, terminal.Text(f.Text))
		}
		d.Prompt = strings.Join(texts, "\n")
	}
	return d
}

// askedBy takes a question whose turn it is. The caller holds t.mu.
func (t *task) askedBy(w *work, q *kit.Question) {
	if t.turn == nil || t.work != w { // no client follows
		w.driver.Answer(q, tool.Answer{Outcome: tool.Cancel, Unattended: true})
		return
	}
	if q.Call == nil {
		t.askOther(w, q)
		return
	}
	id := idOf(q.Within, q.Call)
	asked := t.questions[id]
	switch {
	case asked == nil || len(asked.shown.Choices()) < 2: // it needs a text that no answer has
		delete(t.questions, id)
		t.remark("Not answered: " + q.Title + ". This question needs typed text. Run Pollux in a terminal to answer it.")
		w.driver.Answer(q, tool.Answer{Outcome: tool.Cancel, Unattended: true})
	case asked.answer != nil:
		delete(t.questions, id)
		w.driver.Answer(q, *asked.answer)
	default:
		asked.open = q
	}
}

// askOther asks a question that no call has asked, under an id of its own.
func (t *task) askOther(w *work, q *kit.Question) {
	if len(q.Choices()) < 2 {
		w.driver.Answer(q, tool.Answer{Outcome: tool.Cancel, Unattended: true})
		return
	}
	t.asked++
	id := "question-" + strconv.Itoa(t.asked)
	about := detailsOf(q, nil)
	if about.Prompt = q.Prompt; len(q.Form) > 0 {
		about.Prompt = terminal.Text(q.Form[0].Text)
	}
	t.questions[id] = &question{shown: q, open: q}
	t.calls.send(&call{Request: request{ID: id, Name: "question", Args: []byte("{}")}, Status: agent.AwaitingApproval, Details: about}, callAsked)
}

// settled takes calls that rules allow by now. The caller holds t.mu.
func (t *task) settled(list []*agent.PreparedCall) {
	for id := range t.questions {
		if slices.ContainsFunc(list, func(p *agent.PreparedCall) bool { return p.Call().ID == id }) {
			delete(t.questions, id)
		}
	}
}

// waiting returns the question that the task waits for, nil for none, and its id. Other calls may still run. The caller holds t.mu.
func (t *task) waiting() (*question, string) {
	for id, q := range t.questions {
		if q.open != nil && q.open.Context().Err() == nil {
			return q, id
		}
	}
	return nil, ""
}

// announceWait tells clients that the task waits for an answer, if it does and no other call runs. A client that follows the task since the
// last time gets that again, if isRepeated. The caller holds t.mu.
func (t *task) announceWait(isRepeated bool) {
	if t.turn == nil {
		return
	}
	q, id := t.waiting()
	isWaiting := q != nil
	for other := range t.running {
		if other != id && !strings.HasPrefix(id, other+"/") {
			isWaiting = false
		}
	}
	switch hasSaidSo := t.status.State == schema.InputRequired; {
	case isWaiting && (!hasSaidSo || isRepeated):
		t.setState(schema.InputRequired, report{isFinal: true})
	case q == nil && hasSaidSo:
		t.setState(schema.Working, report{})
	}
}

// given is the answer to a question.
type given struct {
	id     string
	asked  *question
	answer tool.Answer
}

// findAnswers returns the answers in a message. One that answers nothing, or that the question does not offer, is an error, and
// then none counts. The caller holds t.mu.
func (t *task) findAnswers(m *schema.Sent) (list []given, err error) {
	for _, part := range m.Parts {
		if part.Answer == nil {
			continue
		}
		a := part.Answer
		q := t.questions[a.CallID]
		isTwice := slices.ContainsFunc(list, func(g given) bool { return g.id == a.CallID })
		if q == nil || q.answer != nil || isTwice {
			return nil, schema.Errorf(jsonrpc.InvalidParams, "No question waits for an answer about the call %s.", terminal.Cut(a.CallID, 100))
		}
		answer, err := q.answerOf(a)
		if err != nil {
			return nil, err
		}
		list = append(list, given{a.CallID, q, answer})
	}
	return list, nil
}

// answerOf returns the answer of a client, or an error if the question does not offer it.
func (q *question) answerOf(a *schema.Answer) (answer tool.Answer, err error) {
	edit, isEdit := q.details.(*tool.EditConfirmation)
	choices := q.shown.Choices()
	i := slices.IndexFunc(choices, func(c kit.Choice) bool { return c.ID == a.Outcome })
	isModified := a.Outcome == string(tool.ModifyWithEditor)
	switch {
	case a.NewContent != nil && (!isEdit || !edit.Modifiable):
		return answer, schema.Errorf(jsonrpc.InvalidParams, "newContent is only for changes of files that can be modified.")
	case a.NewContent != nil && *a.NewContent == "":
		return answer, schema.Errorf(jsonrpc.InvalidParams, "newContent is empty. Leave it out to apply the proposed change.")
	case isModified && a.NewContent == nil:
		return answer, schema.Errorf(jsonrpc.InvalidParams, "modify_with_editor needs newContent: the server has no editor. Send your version with it, or with proceed_once to apply it.")
	case isModified:
		return tool.Answer{Outcome: tool.ModifyWithEditor, Content: a.NewContent}, nil
	case i < 0:
		var offered []string
		for _, c := range choices {
			offered = append(offered, c.ID)
		}
		return answer, schema.Errorf(jsonrpc.InvalidParams, "The outcome %s is not offered. Send one of: %s.", terminal.Cut(a.Outcome, 60), strings.Join(offered, ", "))
	}
	answer = choices[i].Answer
	if answer.Outcome == tool.Cancel && (a.Feedback != "" || !q.shown.IsPlan()) {
		answer.Feedback = a.Feedback // without one, the turn ends if all calls are refused
	}
	answer.Content = a.NewContent
	return answer, nil
}

// apply gives answers to the driver: now, or when it asks. The caller holds t.mu.
func (t *task) apply(list []given) {
	for _, g := range list {
		g.asked.answer = &g.answer
		if g.asked.open != nil {
			delete(t.questions, g.id)
			t.work.driver.Answer(g.asked.open, g.answer)
		}
	}
}

// refuseWith answers all questions that wait with a text of the client for the model, and reports whether the model gets it. The
// caller holds t.mu.
func (t *task) refuseWith(text string) (isTaken bool) {
	var list []given
	for id, q := range t.questions {
		if q.answer != nil {
			continue
		}
		no := tool.Answer{Outcome: tool.Cancel}
		if slices.ContainsFunc(q.shown.Options, func(o kit.Option) bool { return o.TextPrompt != "" }) {
			no.Feedback, isTaken = text, true
		}
		list = append(list, given{id, q, no})
	}
	t.apply(list)
	return isTaken
}
