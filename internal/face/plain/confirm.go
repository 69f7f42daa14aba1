package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
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
		hidden += d.showBlock(b, false)
	}
	for _, line := range d.q.Warnings {
		d.print(line)
	}
	for {
		d.print(d.q.Prompt)
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
	show, text, most, head := d.screen.line, "", longText, ""
	switch b := b.(type) {
	case *kit.Change:
		head = "File: " + b.ShownPath + ", " + countChanges(b.Diff)
		show, text, most = d.screen.verbatim, diffText(b.DiffDisplay, d.screenReader), longCode // the lines of code must not be broken
	case *kit.Command:
		show, text, most = d.screen.verbatim, b.Text, longCode
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
		d.print(head)
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
			d.print(terminal.Line(text))
		}
		err = d.lend(func() (err error) {
			edited, err = editor.Change(d.ctx, b.FileName, before, b.After)
			return err
		})
		if err == nil && strings.TrimSuffix(edited, "\n") == strings.TrimSuffix(b.After, "\n") {
			d.print("The text is unchanged.")
			return "", false
		}
	}
	if err != nil {
		d.print(terminal.Text(err.Error()))
	}
	return edited, err == nil
}
