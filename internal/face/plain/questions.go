package plain

import (
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/terminal"
	"pollux/tool"
)

// askQuestions asks the model's questions one after the other. If there are several,
// the user can review the answers and change them at the end.
func (d *dialog) askQuestions(c *tool.QuestionConfirmation) (tool.Answer, error) {
	d.printTitle(c.Title)
	answers := map[string]string{}
	for i := range c.Questions {
		if err := d.askQuestion(c.Questions, i, answers); err != nil {
			return tool.Answer{}, err
		}
	}
	for len(c.Questions) > 1 {
		again, err := d.reviewAnswers(c.Questions, answers)
		if err != nil {
			return tool.Answer{}, err
		}
		if again < 0 {
			break
		}
		if err := d.askQuestion(c.Questions, again, answers); err != nil {
			return tool.Answer{}, err
		}
	}
	return replyAnswer(tool.Reply{Answers: answers}), nil
}

// askQuestion asks question i and stores the answer under its index. An empty answer is
// not stored.
func (d *dialog) askQuestion(all []tool.Question, i int, answers map[string]string) error {
	q := &all[i]
	if len(all) > 1 {
		d.print(fmt.Sprintf("%d of %d, %s:", i+1, len(all), questionHeader(q, i)))
	}
	d.showText(q.Text, longPlan)
	var text string
	var err error
	switch q.Kind {
	case tool.ChoiceQuestion:
		text, err = d.pick(q)
	case tool.YesNoQuestion:
		text, err = d.yesNo()
	case tool.SecretQuestion:
		text, err = d.readSecret()
	default:
		text, err = d.readAnswer("Answer" + example(q) + ": ")
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

func questionHeader(q *tool.Question, i int) string {
	if h := brief(q.Header); h != "" {
		return h
	}
	return "question " + strconv.Itoa(i+1)
}

// pick asks for one or several of the options, or for text if the question is not
// closed.
func (d *dialog) pick(q *tool.Question) (string, error) {
	for i, o := range q.Options {
		line := fmt.Sprintf("%d. %s", i+1, brief(o.Label))
		if o.Description != "" {
			line += ": " + terminal.Line(o.Description)
		}
		d.print(line)
	}
	n := len(q.Options)
	prompt := fmt.Sprintf("Answer, 1 to %d", n)
	if q.Multi {
		d.print(fmt.Sprintf("%d. All of the above", n+1))
		n++
		prompt = fmt.Sprintf("Answers, 1 to %d, several with commas", n)
	}
	if !q.Closed {
		prompt += ", or in your own words"
	}
	for {
		text, err := d.readAnswer(prompt + ": ")
		if err != nil || text == "" && !q.Closed {
			return "", err
		}
		chosen, problem := parseChoice(q, text)
		if problem == "" {
			return chosen, nil
		}
		d.print(problem)
	}
}

// parseChoice returns the labels of the options that text selects by number, or text
// itself if it is not a number. problem is the message for an invalid choice.
func parseChoice(q *tool.Question, text string) (answer, problem string) {
	var labels []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		switch {
		case err != nil && q.Closed:
			return matchLabel(q, text)
		case err != nil:
			return text, "" // free text
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

// matchLabel returns the option whose label is text, or a problem if there is none.
func matchLabel(q *tool.Question, text string) (answer, problem string) {
	for _, o := range q.Options {
		if strings.EqualFold(text, o.Label) {
			return o.Label, ""
		}
	}
	return "", fmt.Sprintf("That is none of the answers. Type a number from 1 to %d and press Enter.", len(q.Options))
}

func (d *dialog) yesNo() (string, error) {
	text, err := d.readAnswer("Answer, y for yes, n for no, or in your own words: ")
	switch strings.ToLower(text) {
	case "y", "yes":
		return "Yes", err
	case "n", "no":
		return "No", err
	}
	return text, err
}

// readSecret asks for an answer without showing what the user types.
func (d *dialog) readSecret() (string, error) {
	show, err := d.backend.Terminal.HideInput()
	if err != nil {
		d.print("Warning: what you type will be visible.")
		show = func() {}
	}
	defer show()
	d.isSecret.Store(true)
	defer d.isSecret.Store(false)
	return d.readAnswer("Answer, which is not shown: ")
}

// reviewAnswers shows the answers. It returns the index of the question that the user
// wants to answer again, or -1 to send the answers.
func (d *dialog) reviewAnswers(all []tool.Question, answers map[string]string) (int, error) {
	d.print("Your answers:")
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
		d.print(fmt.Sprintf("%d. %s: %s", i+1, questionHeader(&all[i], i), brief(text)))
	}
	if missing > 0 {
		d.print(fmt.Sprintf("You have %d unanswered question(s).", missing))
	}
	for {
		text, err := d.readAnswer(fmt.Sprintf("Enter sends them, 1 to %d changes one, /cancel takes all back: ", len(all)))
		if err != nil {
			return 0, err
		}
		if text == "" {
			return -1, nil
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(all) {
			return n - 1, nil
		}
		d.print("That is none of the answers.")
	}
}
