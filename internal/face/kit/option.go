package kit

import (
	"slices"
	"strconv"
	"strings"

	"pollux/internal/terminal"
	"pollux/tool"
)

// Option is an answer to choose.
type Option struct {
	// Number is the number of the answer in Gemini CLI, which it keeps when answers before it are not offered. Numbers of
	// the options of a question ascend. It is 0 if the position of the option is its number. [Match] counts positions.
	Number      int
	Key         string // letter that selects it, "" if there is none
	Label       string
	Description string // shown behind the label
	Help        string // explains the option
	IsDefault   bool   // Enter alone selects it
	// NeedsEditor makes the face open an editor for the first block of the question, whose text the answer contains.
	NeedsEditor bool
	// TextPrompt asks for a text that the answer contains, "" if there is none. Without NeedsText the text may be "".
	TextPrompt string
	NeedsText  bool
	// Offer is the lasting answer that the option stands for, nil for other options.
	Offer *tool.Offer

	answer tool.Answer
}

// Answer returns the answer of the option with the text that the person has written, "" for none.
func (o *Option) Answer(text string) tool.Answer {
	a := o.answer
	switch {
	case a.Outcome == tool.Cancel:
		a.Feedback = text
	case a.Outcome == tool.ModifyWithEditor:
		a.Content = &text
	case o.NeedsText:
		a = reply(tool.Reply{Feedback: text})
	}
	return a
}

// Outcome returns the outcome that the option stands for, "" for a reply.
func (o *Option) Outcome() tool.Outcome {
	if o.answer.Reply != nil || o.NeedsText {
		return ""
	}
	return o.answer.Outcome
}

// Match returns the index of the option that an answer selects by its number, its key or its label; -1 if there is none.
func Match(options []Option, answer string) int {
	answer = strings.TrimSuffix(answer, ".")
	for i, o := range options {
		if answer == strconv.Itoa(i+1) || o.Key != "" && strings.EqualFold(answer, o.Key) || strings.EqualFold(answer, o.Label) {
			return i
		}
	}
	return -1
}

// approval adds the options for a call: once, the lasting answers that are offered, and no. saved is the label of the
// answer for all future sessions.
func (q *Question) approval(details tool.Confirmation, a *tool.Approval, saved string, isModifiable bool) {
	q.Hook = hookLines(a)
	if !showsReason(a) {
		q.Help = a.Reason
	}
	if a.IsRetry {
		q.Prompt = "Run it again with more permission?"
	}
	q.Options = []Option{{Key: "y", Label: "Allow once", Help: "Pollux asks again the next time.", answer: tool.Answer{Outcome: tool.ProceedOnce}}}
	if once, ok := details.(interface{ Once() bool }); !ok || a.IsRetry || !once.Once() { // a call that runs again has offers of its own
		for i := range a.Offers {
			q.Options = append(q.Options, lastingOption(&a.Offers[i], saved))
		}
	}
	if isModifiable {
		q.Options = append(q.Options, Option{
			Key: "e", Label: "Modify with external editor", Help: "Pollux then asks about your version.", NeedsEditor: true,
			answer: tool.Answer{Outcome: tool.ModifyWithEditor},
		})
	}
	no := Option{Key: "n", Label: "No", Help: "Nothing runs, and nothing is sent to the model.", answer: tool.Answer{Outcome: tool.Cancel}}
	if q.IsOfCall {
		no.Label, no.Help = "No, tell the model what to do differently", "You can then type what to do instead."
		no.TextPrompt = "What should the model do instead? Enter alone stops it: "
	}
	q.Options = append(q.Options, no)
	setNumbers(q.Options, details)
}

// review makes the options of [Question.approval] those for changes of a call that has run.
func (q *Question) review() {
	q.Prompt = "Bring it back?"
	yes, no := &q.Options[0], &q.Options[len(q.Options)-1]
	yes.Label, yes.Help = "Allow it", "The changes come back, and stay."
	no.Label, no.Help, no.TextPrompt = "No", "They do not come back. The model reads that.", ""
}

// waiting makes the options of [Question.approval] those for a call that runs and waits.
func (q *Question) waiting() {
	q.Prompt = "Allow it?"
	yes, no := &q.Options[0], &q.Options[len(q.Options)-1]
	yes.Help = "The command goes on. It is allowed until the command ends."
	no.Label, no.Help, no.TextPrompt = "No", "The command goes on without it. Pollux does not ask about it again in this session, unless a command fails for it.", ""
}

// isInEditor says that the change is shown in an editor, where the person can also edit it.
func (q *Question) isInEditor(editor string) {
	q.Prompt += " You can also accept or reject it in " + editor + "."
	q.Options = slices.DeleteFunc(q.Options, func(o Option) bool { return o.answer.Outcome == tool.ModifyWithEditor })
}

func lastingOption(offer *tool.Offer, saved string) Option {
	rule := terminal.Line(offer.Rule)
	o := Option{
		Key: "a", Label: "Allow for this session", Help: "Until you quit, Pollux does not ask about: " + rule + ".",
		IsDefault: offer.IsFirst, Offer: offer, answer: tool.Answer{Outcome: offer.Outcome},
	}
	switch offer.Outcome {
	case tool.ProceedAlwaysTool:
		o.Key, o.Label = "t", "Allow this tool for this session"
	case tool.ProceedAlwaysServer:
		o.Key, o.Label = "l", "Allow all tools of this server for this session"
	case tool.ProceedAlwaysAndSave:
		o.Key, o.Label = "s", saved+", rule: "+rule
		if offer.SavedIn != "" {
			o.Label += ", saved in " + terminal.Line(offer.SavedIn)
		}
		o.Help = "Pollux does not ask about this again, in later sessions too."
	}
	if offer.Label != "" {
		o.Label = terminal.Line(offer.Label)
		if offer.SavedIn != "" {
			o.Label += ", saved in " + terminal.Line(offer.SavedIn)
		}
	}
	if len(offer.Runners) > 0 {
		o.Label += " (" + terminal.Line(strings.Join(offer.Runners, ", ")) + " can run other programs)"
	}
	return o
}

// planEdited is the feedback to the model when the person has edited the plan.
const planEdited = "I have changed the plan file by hand. Read it again, take over what I changed, and ask again for approval."

func planOptions() []Option {
	return []Option{
		{Key: "a", Label: "Yes, automatically accept edits", Help: "Pollux carries out the plan and edits files without asking.", answer: reply(tool.Reply{Approved: true, Mode: "auto_edit"})},
		{Key: "y", Label: "Yes, manually accept edits", Help: "Pollux carries out the plan and asks before each edit.", answer: reply(tool.Reply{Approved: true})},
		{Key: "f", Label: "Request changes", Help: "The model revises the plan and asks again.", TextPrompt: "What should change? ", NeedsText: true},
		{Key: "e", Label: "Edit the plan in your editor", Help: "The model reads your version and asks again.", NeedsEditor: true, answer: reply(tool.Reply{Feedback: planEdited})},
		{Key: "n", Label: "No", Help: "Pollux does not carry out the plan.", answer: tool.Answer{Outcome: tool.Cancel}},
	}
}
