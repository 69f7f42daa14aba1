package plain

import (
	"cmp"
	"fmt"
	"strconv"

	"pollux/internal/face/kit"
	"pollux/internal/wording"
	"pollux/tool"
)

// fillForm asks the questions of a form one after the other. If there are several,
// the user can review the answers and change them at the end.
func (d *dialog) fillForm() (tool.Answer, error) {
	answers := make([]string, len(d.q.Form))
	for i := range d.q.Form {
		if err := d.askField(i, answers); err != nil {
			return tool.Answer{}, err
		}
	}
	for len(d.q.Form) > 1 {
		again, err := d.reviewAnswers(answers)
		if err != nil {
			return tool.Answer{}, err
		}
		if again < 0 {
			break
		}
		if err := d.askField(again, answers); err != nil {
			return tool.Answer{}, err
		}
	}
	return d.q.Reply(answers), nil
}

// askField asks question i and stores the answer, "" for none.
func (d *dialog) askField(i int, answers []string) (err error) {
	f := &d.q.Form[i]
	if len(d.q.Form) > 1 {
		d.print(fmt.Sprintf("%d of %d, %s:", i+1, len(d.q.Form), f.Name))
	}
	d.showLines(f.Text, longText, d.screen.line)
	help := cmp.Or(f.Help, textHelp)
	switch f.Kind {
	case tool.ChoiceQuestion:
		answers[i], err = d.pick(f)
		return err
	case tool.YesNoQuestion:
		answers[i], err = d.readText("Answer, y, n, your own words, or ? for help: ", textAnswer, cmp.Or(f.Help, "y: Yes. n: No. Or type a longer answer."))
	case tool.SecretQuestion:
		answers[i], err = d.readSecret(f)
	default:
		example := ""
		if f.Placeholder != "" {
			example = ", for example " + kit.Brief(f.Placeholder)
		}
		answers[i], err = d.readText("Answer"+example+", or ? for help: ", textAnswer, help)
	}
	if err == nil {
		answers[i], _ = f.Parse(answers[i]) // any text is an answer
	}
	return err
}

// pick asks for one or several of the options, or for text if the question is not
// closed.
func (d *dialog) pick(f *kit.Field) (string, error) {
	more, kind, help := "", menuAnswer, cmp.Or(f.Help, textHelp)
	if f.Multi {
		more = ", several with commas"
	}
	switch {
	case !f.Closed:
		more += ", " + cmp.Or(f.FreeText, "your own words")
		kind = textAnswer
	case !f.Multi:
		help = f.Help
	}
	d.printChoices(f.Choices)
	for {
		text, err := d.readAnswer(selectPrompt(len(f.Choices), more), kind)
		if err != nil {
			return "", err
		}
		if text == "?" {
			d.printHelp(f.Choices, help)
			continue
		}
		answer, problem := f.Parse(text)
		if problem == "" {
			return answer, nil
		}
		d.print(problem)
	}
}

// readSecret asks for an answer without showing what the user types.
func (d *dialog) readSecret(f *kit.Field) (string, error) {
	show, err := d.terminal.HideInput()
	if err != nil {
		d.print("Warning: the terminal shows what you type.")
		show = func() {}
	}
	defer show()
	name := "Answer"
	if f.Header != "" {
		name = f.Name
	}
	return d.readText(name+" (not shown), or ? for help: ", secretAnswer, cmp.Or(f.Help, "Type or paste the text and press Enter. Pollux does not show it."))
}

// reviewAnswers shows the answers. It returns the index of the question that the user
// wants to answer again, or -1 to send the answers.
func (d *dialog) reviewAnswers(answers []string) (int, error) {
	d.print("Your answers:")
	missing := 0
	for i := range d.q.Form {
		f, text := &d.q.Form[i], answers[i]
		switch {
		case text == "":
			missing++
			text = "no answer"
		case f.Kind == tool.SecretQuestion:
			text = "not shown"
		}
		d.print(fmt.Sprintf("%d. %s: %s", i+1, f.Name, kit.Brief(text)))
	}
	if missing > 0 {
		d.print(wording.Count(missing, "question") + " without an answer.")
	}
	for {
		text, err := d.readText(fmt.Sprintf("Enter to send, 1 to %d to change an answer, or ? for help: ", len(answers)), menuAnswer,
			"Enter: send the answers to the model. A number: answer that question again.")
		if err != nil {
			return 0, err
		}
		if text == "" {
			return -1, nil
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(answers) {
			return n - 1, nil
		}
		d.print(fmt.Sprintf("Press Enter, or type a number from 1 to %d.", len(answers)))
	}
}
