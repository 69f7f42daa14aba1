package question

import (
	"slices"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
)

// effect is the effect of a key on a page.
type effect uint8

const (
	ignored effect = iota
	changed
	answered // the user is done with the question
)

// handle takes a key that neither scrolls nor leaves the page.
func (p *page) handle(k keys.Key, b *keys.Bindings) effect {
	p.problem = ""
	isDigit := len(k.Text) == 1 && k.Text[0] >= '0' && k.Text[0] <= '9'
	isToggle := k.Text == " " && p.isMulti()
	switch {
	case p.isTyping():
		return p.typeKey(k, b)
	case k.Text == "" || isDigit:
	case isToggle && p.selected().kind != doneRow:
		return p.choose()
	case p.hasField():
		p.openField()
		return p.typeKey(k, b)
	}
	return p.act(p.list.Handle(k, b))
}

// paste inserts a text into the field. It never answers a question, even if it has line breaks.
func (p *page) paste(e keys.Paste, b *keys.Bindings) effect {
	if !p.hasField() {
		return ignored
	}
	p.openField()
	p.text.Handle(e, b)
	p.noteText()
	return changed
}

// openField selects the row with the field.
func (p *page) openField() {
	if p.list != nil && !p.isTyping() {
		p.list.Select(len(p.rows) - 1)
		p.text.ToEnd()
	}
}

// typeKey takes a key for the field.
func (p *page) typeKey(k keys.Key, b *keys.Bindings) effect {
	if k.Text == "" {
		switch command, _ := b.Match(k.Chord, keys.BasicConfirm, keys.EditClear, keys.NavDialogUp, keys.NavDialogDown); command {
		case keys.BasicConfirm:
			return p.finishText()
		case keys.EditClear:
			if p.text.Len() == 0 {
				return ignored
			}
			p.text.Clear()
			p.noteText()
			return changed
		case keys.NavDialogUp, keys.NavDialogDown:
			if p.list != nil {
				return p.act(p.list.Handle(k, b))
			}
		}
	}
	if !p.text.Handle(k, b) {
		return ignored
	}
	p.noteText()
	return changed
}

// noteText makes the field the answer to a question with one answer, unless it is empty.
func (p *page) noteText() {
	if p.list != nil && !p.isMulti() && p.text.Len() > 0 {
		p.chosen = len(p.rows) - 1
	}
}

// finishText takes the text in the field as the answer. Only a question without other answers can be left without one.
func (p *page) finishText() effect {
	if p.list != nil && p.words() == "" {
		return ignored
	}
	p.noteText()
	return answered
}

func (p *page) act(a choice.Action) effect {
	switch a {
	case choice.Changed:
		return changed
	case choice.Chosen:
		return p.choose()
	}
	return ignored
}

// choose takes the selected row.
func (p *page) choose() effect {
	i := p.list.Selected()
	switch p.rows[i].kind {
	case textRow: // selected by its number
		return changed
	case allRow:
		p.pickAll()
		return changed
	case doneRow:
		if p.field.Closed && p.answer() == "" {
			p.problem = "Choose at least one."
			return changed
		}
		return answered
	}
	if p.isMulti() {
		p.isPicked[i] = !p.isPicked[i]
		return changed
	}
	p.chosen = i
	return answered
}

// pickAll picks all options, or none if all are.
func (p *page) pickAll() {
	hasAll := p.hasAll()
	for i := range p.isPicked {
		p.isPicked[i] = !hasAll
	}
}

func (p *page) hasAll() bool { return !slices.Contains(p.isPicked, false) }
