package kit

import (
	"cmp"
	"slices"
	"strconv"

	"pollux/tool"
)

// Choice is an answer to a question that needs no text, with the id and the name that clients of Gemini CLI know.
type Choice struct {
	ID, Name string
	Kind     ChoiceKind
	Answer   tool.Answer
}

// ChoiceKind is the effect of a choice.
type ChoiceKind uint8

// The kinds of choices, in the order in which a question lists them.
const (
	AllowAlways ChoiceKind = iota
	AllowOnce
	Reject
)

// Choices returns the answers to the question that need no text, those that last first. A question that has fewer than two needs
// some text.
func (q *Question) Choices() (list []Choice) {
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
	if q.IsPlan() {
		list[len(list)-1].Answer.Feedback = rejectedPlan
	}
	slices.SortStableFunc(list, func(a, b Choice) int { return cmp.Compare(a.Kind, b.Kind) })
	seen := map[string]int{}
	for i := range list {
		id := list[i].ID
		if seen[id]++; seen[id] > 1 {
			list[i].ID += "_" + strconv.Itoa(seen[id])
		}
	}
	return list
}

// IsPlan reports whether the question is about a plan.
func (q *Question) IsPlan() bool {
	if len(q.Blocks) == 0 {
		return false
	}
	_, isPlan := q.Blocks[0].(*Plan)
	return isPlan
}

// choiceOf returns the choice that an option stands for.
func choiceOf(o *Option) Choice {
	outcome := o.Outcome()
	c := Choice{string(outcome), o.Label, AllowOnce, o.Answer("")}
	switch outcome {
	case tool.ProceedOnce:
		if o.Label == "Allow once" {
			c.Name = "Allow"
		}
	case tool.Cancel:
		c.Name, c.Kind = "Reject", Reject
		if o.TextPrompt != "" {
			c.Answer = o.Answer(rejected)
		}
	case "": // of a plan
		c.ID = string(tool.ProceedOnce)
		if c.Answer.Reply != nil && c.Answer.Reply.Mode != "" {
			c.ID, c.Kind = string(tool.ProceedAlways), AllowAlways
		}
	default:
		c.Kind = AllowAlways
	}
	return c
}

// rejected is the result, for the model, of a call that the person has rejected.
const rejected = "The user has rejected this call. Do not repeat it; go on without it, or ask what to do instead."

// rejectedPlan is the same of a plan.
const rejectedPlan = "The user has rejected the plan. Stay in plan mode, and ask which changes the user wants."

// formChoices returns the answers to a form with a single question that has options.
func formChoices(q *Question) (list []Choice) {
	f := q.Form[0]
	if len(q.Form) > 1 || f.Multi {
		return nil
	}
	add := func(label, description string, kind ChoiceKind) {
		name := label
		if description != "" {
			name += ": " + description
		}
		list = append(list, Choice{"option_" + strconv.Itoa(len(list)+1), name, kind, q.Reply([]string{label})})
	}
	switch f.Kind {
	case tool.ChoiceQuestion:
		for _, o := range f.Choices {
			kind := AllowOnce
			if o.Label == "No" {
				kind = Reject
			}
			add(o.Label, o.Description, kind)
		}
	case tool.YesNoQuestion:
		add("Yes", "", AllowOnce)
		add("No", "", Reject)
	default:
		return nil
	}
	if !slices.ContainsFunc(list, func(c Choice) bool { return c.Kind == Reject }) {
		list = append(list, Choice{string(tool.Cancel), "Cancel", Reject, tool.Answer{Outcome: tool.Cancel}})
	}
	return list
}
