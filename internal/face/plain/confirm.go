package plain

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// ask shows the question and returns the user's answer.
func (d *dialog) ask() (tool.Answer, error) {
	d.printTitle()
	if d.q.Options == nil {
		return d.fillForm()
	}
	for _, line := range d.q.Hook {
		d.page.line(line)
	}
	hidden := 0
	for _, b := range d.q.Blocks {
		hidden += d.showBlock(b, false)
	}
	for _, line := range d.q.Warnings {
		d.page.line(line)
	}
	for {
		d.page.line(d.q.Prompt)
		options, rest := d.optionsWithRest(hidden)
		i, err := d.choose(options, d.q.Help)
		if err != nil {
			return tool.Answer{}, err
		}
		o, text, isDone := &options[i], "", true
		switch {
		case i == rest:
			for _, b := range d.q.Blocks {
				d.showBlock(b, true)
			}
			hidden, isDone = 0, false
		case o.NeedsEditor:
			text, isDone = d.edit(d.q.Blocks[0])
		case o.TextPrompt != "":
			err = d.read(prompt{text: o.TextPrompt, kind: textAnswer, help: textHelp}, func(answer string) string { text = answer; return "" })
			isDone = err != nil || text != "" || !o.NeedsText
		}
		if isDone {
			return o.Answer(text), err
		}
	}
}

// optionsWithRest returns the options, and the index of one that shows the hidden lines, -1 if there are none.
func (d *dialog) optionsWithRest(hidden int) (options []kit.Option, rest int) {
	if hidden == 0 {
		return d.q.Options, -1
	}
	rest = len(d.q.Options) - 1 // before the refusal
	if _, isPlan := d.q.Blocks[0].(*kit.Plan); isPlan {
		rest = len(d.q.Options)
	}
	option := kit.Option{Key: "v", Label: fmt.Sprintf("Show all (%d more lines)", hidden), Help: "Pollux then asks again."}
	return slices.Insert(slices.Clone(d.q.Options), rest, option), rest
}

// Numbers of lines shown at first of a diff or a command, and of a text.
const (
	longCode = 200
	longText = 400
)

// showBlock shows a block, without its last lines if there are many and all is not set. It returns the number of hidden
// lines. The lines above the block are left out if all is set: they have been shown.
func (d *dialog) showBlock(b kit.Block, all bool) (hidden int) {
	show, text, most, head := d.page.line, "", longText, ""
	switch b := b.(type) {
	case *kit.Change:
		head = "File: " + b.ShownPath + ", " + countChanges(b.Diff)
		show, text, most = d.page.verbatim, diffText(b.DiffDisplay, d.screenReader), longCode // the lines of code must not be broken
	case *kit.Command:
		show, text, most = d.page.verbatim, b.Text, longCode
	case *kit.Text:
		text = b.Text
	case *kit.Request:
		head = "MCP server: " + terminal.Line(b.Server) + "\nTool: " + terminal.Line(b.Tool)
		text, most = indented(b.Args), longCode
	case *kit.Plan:
		head = "Plan in " + b.ShownPath + ":"
		text = b.Text
	}
	switch {
	case all:
		most = 0
	case head != "":
		d.page.line(head)
	}
	return d.showLines(text, most, show)
}

// indented returns JSON in several lines, or as it is if it is not valid.
func indented(data json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, data, "", "  ") != nil {
		return string(data)
	}
	return b.String()
}

// indent precedes each line of the model's text, so that it cannot pass for a line of Pollux.
const indent = "  "

// showLines shows at most so many lines of a text, 0 for all of them, and returns the
// number of hidden lines. It warns if the text has characters that cannot be shown.
func (d *dialog) showLines(text string, most int, show func(string)) (hidden int) {
	lines, hidden := kit.FirstLines(text, most)
	show(indent + strings.Join(lines, "\n"+indent))
	if kit.IsAltered(text) {
		d.page.line(kit.Altered)
	}
	return hidden
}

const noEditor = "No editor is available. Choose one with /editor."

// edit opens a block in the external editor and returns the user's version; ok is false if there is none.
func (d *dialog) edit(b kit.Block) (edited string, ok bool) {
	if d.editor == nil {
		d.page.line(noEditor)
		return "", false
	}
	editor := d.editor()
	var err error
	switch b := b.(type) {
	case *kit.Plan:
		err = d.lend(func() error { return editor.Open(d.ctx, b.Path) })
	case *kit.Change:
		before := ""
		if b.Before != nil {
			before = *b.Before
		}
		if text := editor.Leaving(); text != "" {
			d.screen.line(terminal.Line(text))
		}
		err = d.lend(func() (err error) {
			edited, err = editor.Change(d.ctx, b.FileName, before, b.After)
			return err
		})
		if err == nil && strings.TrimSuffix(edited, "\n") == strings.TrimSuffix(b.After, "\n") {
			d.page.line("The text is unchanged.")
			return "", false
		}
	}
	if err != nil {
		d.page.line(terminal.Text(err.Error()))
	}
	return edited, err == nil
}

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
		d.page.line(fmt.Sprintf("%d of %d, %s:", i+1, len(d.q.Form), f.Name))
	}
	d.showLines(f.Text, longText, d.page.line)
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
			d.page.line("Warning: the terminal shows what you type.")
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

// choicePrompt asks for one or several of the options, or for text if the question is not closed.
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
	d.page.line("Your answers:")
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
		d.page.line(fmt.Sprintf("%d. %s: %s", i+1, f.Name, kit.Brief(text)))
	}
	if missing > 0 {
		d.page.line(wording.Count(missing, "question") + " without an answer.")
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
