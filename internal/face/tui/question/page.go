package question

import (
	"slices"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/field"
	"pollux/tool"
)

// page is one question of a form, with the answer that the user gives.
type page struct {
	field *kit.Field
	body  body
	rows  []row        // nil if only a text answers the question
	list  *choice.List // selects one of rows
	text  field.Field
	// chosen is the index of the row that answers the question, -1 for none, unless several options may be chosen. Then
	// isPicked has a member for each option.
	chosen   int
	isPicked []bool
	problem  string // why the last key does not answer the question
}

// row is one row of the list of a page.
type row struct {
	kind          rowKind
	label, detail string
}

// rowKind is the effect of choosing a row.
type rowKind uint8

const (
	optionRow rowKind = iota
	allRow            // picks all options
	doneRow           // ends a choice of several options
	textRow           // the field for an answer in the user's own words, always the last row
)

func newPage(f *kit.Field, b body) *page {
	p := &page{field: f, body: b, chosen: -1}
	p.text.IsSecret = f.Kind == tool.SecretQuestion
	p.text.Placeholder = placeholder(f)
	p.rows = rowsOf(f)
	if p.isMulti() {
		p.isPicked = make([]bool, len(f.Options))
	}
	if p.rows != nil {
		p.list = choice.New(make([]choice.Item, len(p.rows)))
		p.list.Select(max(0, slices.IndexFunc(f.Choices, func(o kit.Option) bool { return o.IsDefault })))
	}
	return p
}

// rowsOf returns the rows of a question, nil for one that only a text answers.
func rowsOf(f *kit.Field) (rows []row) {
	switch f.Kind {
	case tool.ChoiceQuestion:
		for i, o := range f.Choices {
			r := row{kind: optionRow, label: o.Label, detail: o.Description}
			if i >= len(f.Options) {
				r.kind = allRow
			}
			rows = append(rows, r)
		}
		if f.Multi {
			rows = append(rows, row{kind: doneRow, label: "Done"})
		}
	case tool.YesNoQuestion:
		rows = []row{{label: "Yes"}, {label: "No"}}
	default:
		return nil
	}
	if !f.Closed {
		rows = append(rows, row{kind: textRow})
	}
	return rows
}

// placeholder returns the text that the empty field of a question shows.
func placeholder(f *kit.Field) string {
	switch f.Kind {
	case tool.ChoiceQuestion, tool.YesNoQuestion:
		if f.FreeText != "" {
			return "Enter " + kit.Brief(f.FreeText)
		}
		return "Enter a custom value"
	case tool.SecretQuestion:
		return "Type or paste the text. It is not shown."
	}
	if f.Placeholder != "" {
		return kit.Brief(f.Placeholder)
	}
	return "Type your answer"
}

// isMulti reports whether several options may be chosen.
func (p *page) isMulti() bool { return p.field.Kind == tool.ChoiceQuestion && p.field.Multi }

// selected returns the row that is selected.
func (p *page) selected() row { return p.rows[p.list.Selected()] }

// isTyping reports whether keys go to the field.
func (p *page) isTyping() bool { return p.list == nil || p.selected().kind == textRow }

// hasField reports whether the user may answer in their own words.
func (p *page) hasField() bool { return p.list == nil || p.rows[len(p.rows)-1].kind == textRow }

// answer returns the answer as [kit.Question.Reply] takes it, "" for none.
func (p *page) answer() string {
	switch {
	case p.isMulti():
		var given []string
		for i, isPicked := range p.isPicked {
			if isPicked {
				given = append(given, p.field.Options[i].Label)
			}
		}
		if words := p.words(); words != "" {
			given = append(given, words)
		}
		return strings.Join(given, ", ")
	case p.list == nil:
		return p.words()
	case p.chosen < 0:
		return ""
	case p.rows[p.chosen].kind == textRow:
		return p.words()
	case p.field.Kind == tool.ChoiceQuestion:
		return p.field.Options[p.chosen].Label
	}
	return p.rows[p.chosen].label
}

// words returns the answer in the field: the text, or the option that it names by its letter.
func (p *page) words() string {
	text := strings.TrimSpace(p.text.Value())
	switch p.field.Kind {
	case tool.YesNoQuestion:
		text, _ = p.field.Parse(text)
	case tool.ChoiceQuestion:
		isNamed := func(o kit.Option) bool { return o.Key != "" && o.Key == strings.ToLower(text) }
		if i := slices.IndexFunc(p.field.Choices, isNamed); i >= 0 {
			return p.field.Options[i].Label
		}
	}
	return text
}
