package plain

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/terminal"
	"pollux/internal/wording"
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
		text, err = d.yesNo(q)
	case tool.SecretQuestion:
		text, err = d.readSecret(q)
	default:
		text, err = d.readText("Answer"+example(q)+", or ? for help: ", textAnswer, cmp.Or(q.Help, textHelp))
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
	choices := make([]choice, len(q.Options))
	for i, o := range q.Options {
		choices[i] = choice{key: o.Key, label: brief(o.Label), description: terminal.Line(o.Description)}
	}
	if q.Closed && !q.Multi {
		i, err := d.choose(choices, q.Help)
		if err != nil {
			return "", err
		}
		return q.Options[i].Label, nil
	}
	more, kind := "", menuAnswer
	if q.Multi {
		choices = append(choices, choice{label: "All of the above"})
		more = ", several with commas"
	}
	if !q.Closed {
		more += ", " + cmp.Or(q.FreeText, "your own words")
		kind = textAnswer
	}
	d.printChoices(choices)
	for {
		text, err := d.readAnswer(selectPrompt(len(choices), more), kind)
		switch {
		case err != nil:
			return "", err
		case text == "?":
			d.printHelp(choices, cmp.Or(q.Help, textHelp))
			continue
		case text == "" && !q.Closed:
			return "", nil
		}
		chosen, problem := parseChoice(q, choices, text)
		if problem == "" {
			return chosen, nil
		}
		d.print(problem)
	}
}

// parseChoice returns the labels of the options that text selects by number, or text
// itself if it is not a number. problem is the message for an invalid choice.
func parseChoice(q *tool.Question, choices []choice, text string) (answer, problem string) {
	for i := range q.Options {
		if choices[i].matches(i, text) {
			return q.Options[i].Label, ""
		}
	}
	var labels []string
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		switch {
		case err != nil && q.Closed:
			return "", selectProblem(len(choices))
		case err != nil:
			return text, "" // free text
		case q.Multi && n == len(choices):
			labels = nil
			for _, o := range q.Options {
				labels = append(labels, o.Label)
			}
			return strings.Join(labels, ", "), ""
		case n < 1 || n > len(choices):
			problem = selectProblem(len(choices))
			if !q.Closed {
				problem += " To answer " + word + " itself, add a word."
			}
			return "", problem
		case len(labels) > 0 && !q.Multi:
			return "", "Choose only one."
		}
		labels = append(labels, q.Options[n-1].Label)
	}
	if len(labels) == 0 {
		return "", selectProblem(len(choices))
	}
	return strings.Join(labels, ", "), ""
}

func (d *dialog) yesNo(q *tool.Question) (string, error) {
	text, err := d.readText("Answer, y, n, your own words, or ? for help: ", textAnswer, cmp.Or(q.Help, "y: Yes. n: No. Or type a longer answer."))
	switch strings.ToLower(text) {
	case "y", "yes":
		return "Yes", err
	case "n", "no":
		return "No", err
	}
	return text, err
}

// readSecret asks for an answer without showing what the user types.
func (d *dialog) readSecret(q *tool.Question) (string, error) {
	show, err := d.backend.Terminal.HideInput()
	if err != nil {
		d.print("Warning: the terminal shows what you type.")
		show = func() {}
	}
	defer show()
	return d.readText(cmp.Or(brief(q.Header), "Answer")+" (not shown), or ? for help: ", secretAnswer, cmp.Or(q.Help, "Type or paste the text and press Enter. Pollux does not show it."))
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
		d.print(wording.Count(missing, "question") + " without an answer.")
	}
	for {
		text, err := d.readText(fmt.Sprintf("Enter to send, 1 to %d to change an answer, or ? for help: ", len(all)), menuAnswer,
			"Enter: send the answers to the model. A number: answer that question again.")
		if err != nil {
			return 0, err
		}
		if text == "" {
			return -1, nil
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(all) {
			return n - 1, nil
		}
		d.print(fmt.Sprintf("Press Enter, or type a number from 1 to %d.", len(all)))
	}
}
