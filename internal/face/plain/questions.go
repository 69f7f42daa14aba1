package plain

import (
	"fmt"
	"strconv"
	"strings"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// questions asks what the model wants to know, one thing after the other, and
// lets several answers be looked over in the end (spec/tui.md §6.3).
func (d *dialog) questions(c *tool.QuestionConfirmation) (agent.Answer, error) {
	d.title(c.Title)
	answers := map[string]string{}
	for i := range c.Questions {
		if err := d.answer(c.Questions, i, answers); err != nil {
			return agent.Answer{}, err
		}
	}
	for len(c.Questions) > 1 {
		again, err := d.review(c.Questions, answers)
		if err != nil {
			return agent.Answer{}, err
		}
		if again < 0 {
			break
		}
		if err := d.answer(c.Questions, again, answers); err != nil {
			return agent.Answer{}, err
		}
	}
	return reply(tool.Reply{Answers: answers}), nil
}

// answer asks one of the questions. No answer is one, too.
func (d *dialog) answer(all []tool.Question, i int, answers map[string]string) error {
	q := &all[i]
	if len(all) > 1 {
		d.say(fmt.Sprintf("%d of %d, %s:", i+1, len(all), header(q, i)))
	}
	d.show(q.Text, longPlan)
	var text string
	var err error
	switch q.Kind {
	case tool.ChoiceQuestion:
		text, err = d.pick(q)
	case tool.YesNoQuestion:
		text, err = d.yesNo()
	case tool.SecretQuestion:
		text, err = d.conceal()
	default:
		text, err = d.read("Answer" + example(q) + ": ")
	}
	if err != nil {
		return err
	}
	key := strconv.Itoa(i)
	if delete(answers, key); text != "" {
		answers[key] = text
	}
	return nil
}

func example(q *tool.Question) string {
	if q.Placeholder == "" {
		return ""
	}
	return ", for example " + brief(q.Placeholder)
}

func header(q *tool.Question, i int) string {
	if h := brief(q.Header); h != "" {
		return h
	}
	return "question " + strconv.Itoa(i+1)
}

// pick asks for one of the options, or several, or words of one's own.
func (d *dialog) pick(q *tool.Question) (string, error) {
	for i, o := range q.Options {
		line := fmt.Sprintf("%d. %s", i+1, brief(o.Label))
		if o.Description != "" {
			line += ": " + terminal.Line(o.Description)
		}
		d.say(line)
	}
	n := len(q.Options)
	prompt := fmt.Sprintf("Answer, 1 to %d", n)
	if q.Multi {
		d.say(fmt.Sprintf("%d. All of the above", n+1))
		n++
		prompt = fmt.Sprintf("Answers, 1 to %d, several with commas", n)
	}
	if !q.Closed {
		prompt += ", or in your own words"
	}
	for {
		text, err := d.read(prompt + ": ")
		if err != nil || text == "" && !q.Closed {
			return "", err
		}
		chosen, problem := chosen(q, text)
		if problem == "" {
			return chosen, nil
		}
		d.say(problem)
	}
}

// chosen returns what an answer to a choice means, or why it means nothing.
func chosen(q *tool.Question, text string) (answer, problem string) {
	var labels []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		switch {
		case err != nil && q.Closed:
			return named(q, text)
		case err != nil:
			return text, "" // words of their own
		case q.Multi && n == len(q.Options)+1:
			labels = nil
			for _, o := range q.Options {
				labels = append(labels, o.Label)
			}
			return strings.Join(labels, ", "), ""
		case n < 1 || n > len(q.Options):
			return "", fmt.Sprintf("There is no answer %s. If you mean the number itself, write a word beside it.", word)
		case len(labels) > 0 && !q.Multi:
			return "", "Only one of them can be chosen."
		}
		labels = append(labels, q.Options[n-1].Label)
	}
	if len(labels) == 0 {
		return "", "Please choose."
	}
	return strings.Join(labels, ", "), ""
}

// named returns the option that a text is the label of.
func named(q *tool.Question, text string) (answer, problem string) {
	for _, o := range q.Options {
		if strings.EqualFold(text, o.Label) {
			return o.Label, ""
		}
	}
	return "", fmt.Sprintf("That is none of the answers. Type a number from 1 to %d and press Enter.", len(q.Options))
}

func (d *dialog) yesNo() (string, error) {
	text, err := d.read("Answer, y for yes, n for no, or in your own words: ")
	switch strings.ToLower(text) {
	case "y", "yes":
		return "Yes", err
	case "n", "no":
		return "No", err
	}
	return text, err
}

// conceal asks for what nobody else should see.
func (d *dialog) conceal() (string, error) {
	show, err := d.o.Terminal.Hide()
	if err != nil {
		d.say("Warning: what you type will be visible.")
		show = func() {}
	}
	defer show()
	d.secret.Store(true)
	defer d.secret.Store(false)
	return d.read("Answer, which is not shown: ")
}

// review shows the answers, and returns the number of a question to ask again; -1
// if they are fine.
func (d *dialog) review(all []tool.Question, answers map[string]string) (int, error) {
	d.say("Your answers:")
	missing := 0
	for i := range all {
		text, ok := answers[strconv.Itoa(i)]
		switch {
		case !ok:
			missing++
			text = "no answer"
		case all[i].Kind == tool.SecretQuestion:
			text = "not shown"
		}
		d.say(fmt.Sprintf("%d. %s: %s", i+1, header(&all[i], i), brief(text)))
	}
	if missing > 0 {
		d.say(fmt.Sprintf("You have %d unanswered question(s).", missing))
	}
	for {
		text, err := d.read(fmt.Sprintf("Enter sends them, 1 to %d changes one, /cancel takes all back: ", len(all)))
		if err != nil {
			return 0, err
		}
		if text == "" {
			return -1, nil
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(all) {
			return n - 1, nil
		}
		d.say("That is none of the answers.")
	}
}
