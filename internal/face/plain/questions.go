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
	if len(d.q.Form) > 1 {
		if err := d.review(answers); err != nil {
			return tool.Answer{}, err
		}
	}
	return d.q.Reply(answers), nil
}

// askField asks question i and stores the answer, "" for none.
func (d *dialog) askField(i int, answers []string) error {
	f := &d.q.Form[i]
	if len(d.q.Form) > 1 {
		d.print(fmt.Sprintf("%d of %d, %s:", i+1, len(d.q.Form), f.Name))
	}
	d.showLines(f.Text, longText, d.screen.line)
	var p prompt
	switch f.Kind {
	case tool.ChoiceQuestion:
		p = choicePrompt(f)
		d.printChoices(f.Choices)
	case tool.YesNoQuestion:
		p = prompt{text: "Answer, y, n, your own words, or ? for help: ", kind: textAnswer, help: cmp.Or(f.Help, "y: Yes. n: No. Or type a longer answer.")}
	case tool.SecretQuestion:
		show, err := d.terminal.HideInput()
		if err != nil {
			d.print("Warning: the terminal shows what you type.")
		} else {
			defer show()
		}
		name := "Answer"
		if f.Header != "" {
			name = f.Name
		}
		p = prompt{text: name + " (not shown), or ? for help: ", kind: secretAnswer, help: cmp.Or(f.Help, "Type or paste the text and press Enter. Pollux does not show it.")}
	default:
		example := ""
		if f.Placeholder != "" {
			example = ", for example " + kit.Brief(f.Placeholder)
		}
		p = prompt{text: "Answer" + example + ", or ? for help: ", kind: textAnswer, help: cmp.Or(f.Help, textHelp)}
	}
	return d.read(p, func(text string) (problem string) {
		answers[i], problem = f.Parse(text)
		return problem
	})
}

// choicePrompt asks for one or several of the options, or for text if the question is not
// closed.
func choicePrompt(f *kit.Field) prompt {
	p := prompt{kind: menuAnswer, help: cmp.Or(f.Help, textHelp), options: f.Choices}
	more := ""
	if f.Multi {
		more = ", several with commas"
	}
	switch {
	case !f.Closed:
		more += ", " + cmp.Or(f.FreeText, "your own words")
		p.kind = textAnswer
	case !f.Multi:
		p.help = f.Help
	}
	p.text = selectPrompt(len(f.Choices), more)
	return p
}

// review shows the answers, and asks questions again until the user sends the answers.
func (d *dialog) review(answers []string) error {
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
	again := 0
	err := d.read(prompt{
		text: fmt.Sprintf("Enter to send, 1 to %d to change an answer, or ? for help: ", len(answers)), kind: menuAnswer,
		help: "Enter: send the answers to the model. A number: answer that question again.",
	}, func(text string) (problem string) {
		var err error
		if again, err = strconv.Atoi(text); text != "" && (err != nil || again < 1 || again > len(answers)) {
			return fmt.Sprintf("Press Enter, or type a number from 1 to %d.", len(answers))
		}
		return ""
	})
	if err == nil && again > 0 {
		if err = d.askField(again-1, answers); err == nil {
			err = d.review(answers)
		}
	}
	return err
}
