package plain

import (
	"bytes"
	"encoding/json"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/tool"
)

// ask shows the question and returns the user's answer.
func (d *dialog) ask() (tool.Answer, error) {
	d.printTitle()
	if d.q.Options == nil {
		return d.fillForm()
	}
	hidden := 0
	for _, b := range d.q.Blocks {
		d.printHead(b)
		hidden += d.showBlock(b, false)
	}
	for _, line := range d.q.Warnings {
		d.print(line)
	}
	for {
		d.print(d.q.Prompt)
		options := d.q.OptionsWithRest(hidden)
		i, err := d.choose(options, d.q.Help)
		if err != nil {
			return tool.Answer{}, err
		}
		o := &options[i]
		switch o.Action {
		case kit.ShowAll:
			for _, b := range d.q.Blocks {
				d.showBlock(b, true)
			}
			hidden = 0
		case kit.Edit:
			if text, ok := d.edit(d.q.Blocks[0]); ok {
				return o.Answer(text), nil
			}
		default:
			text := ""
			if o.TextPrompt != "" {
				text, err = d.readText(o.TextPrompt, textAnswer, textHelp)
			}
			if err != nil || text != "" || !o.NeedsText {
				return o.Answer(text), err
			}
		}
	}
}

// Numbers of lines shown at first of a diff or a command, and of a text.
const (
	longCode = 200
	longText = 400
)

// printHead prints the lines above a block.
func (d *dialog) printHead(b kit.Block) {
	switch b := b.(type) {
	case *kit.Change:
		d.print("File: " + b.ShownPath + ", " + countChanges(b.Diff))
	case *kit.Request:
		d.print("MCP server: " + terminal.Line(b.Server))
		d.print("Tool: " + terminal.Line(b.Tool))
	case *kit.Plan:
		d.print("Plan in " + b.ShownPath + ":")
	}
}

// showBlock shows a block, without its last lines if there are many and all is not set. It returns the number of hidden
// lines.
func (d *dialog) showBlock(b kit.Block, all bool) (hidden int) {
	show, text, most := d.screen.verbatim, "", longCode // the lines of code must not be broken
	switch b := b.(type) {
	case *kit.Change:
		text = diffText(b.DiffDisplay, d.screenReader)
	case *kit.Command:
		text = b.Text
	case *kit.Text:
		show, text, most = d.screen.line, b.Text, longText
	case *kit.Request:
		show, text = d.screen.line, indented(b.Args)
	case *kit.Plan:
		show, text, most = d.screen.line, b.Text, longText
	}
	if all {
		most = 0
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

// indent precedes each line of the model's text, so that it cannot pass for a line of
// Pollux.
const indent = "  "

// showLines shows at most so many lines of a text, 0 for all of them, and returns the
// number of hidden lines. It warns if the text has characters that cannot be shown.
func (d *dialog) showLines(text string, most int, show func(string)) (hidden int) {
	lines, hidden := kit.FirstLines(text, most)
	show(indent + strings.Join(lines, "\n"+indent))
	if kit.IsAltered(text) {
		d.print(kit.Altered)
	}
	return hidden
}

// noEditor is the message for a missing external editor.
const noEditor = "No editor is available. Choose one with /editor."

// edit opens a block in the external editor and returns the user's version; ok is false if there is none.
func (d *dialog) edit(b kit.Block) (edited string, ok bool) {
	if d.editor == nil {
		d.print(noEditor)
		return "", false
	}
	var err error
	switch b := b.(type) {
	case *kit.Plan:
		err = d.lend(func() error { return d.editor().Open(d.ctx, b.Path) })
	case *kit.Change:
		return d.editChange(b)
	}
	if err != nil {
		d.print(terminal.Text(err.Error()))
	}
	return "", err == nil
}

// editChange opens a proposed change in the external editor.
func (d *dialog) editChange(c *kit.Change) (edited string, ok bool) {
	before := ""
	if c.Before != nil {
		before = *c.Before
	}
	if text := d.editor().Leaving(); text != "" {
		d.print(terminal.Line(text))
	}
	err := d.lend(func() (err error) {
		edited, err = d.editor().Change(d.ctx, c.FileName, before, c.After)
		return err
	})
	switch {
	case err != nil:
		d.print(terminal.Text(err.Error()))
		return "", false
	case strings.TrimSuffix(edited, "\n") == strings.TrimSuffix(c.After, "\n"):
		d.print("The text is unchanged.")
		return "", false
	}
	return edited, true
}
