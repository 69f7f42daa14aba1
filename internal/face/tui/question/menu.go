package question

import (
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/keys"
)

// menu is the dialog of a question with options.
type menu struct {
	opened
	list     *choice.List
	text     *field.Field         // for the selected option, nil while the user chooses
	texts    map[int]*field.Field // of options by their index, also of those that were left again
	body     body
	explains bool // shows the reasons for the question and its options
}

func newMenu(shared opened) *menu {
	q := shared.question
	items := make([]choice.Item, len(q.Options))
	first := 0
	for i, o := range q.Options {
		items[i] = choice.Item{Label: o.Label, Detail: o.Description, Number: o.Number}
		if o.IsDefault {
			first = i
		}
	}
	m := &menu{opened: shared, list: choice.New(items), texts: map[int]*field.Field{}, body: shared.body(blocksOf(q, shared.layout))}
	m.list.Select(first)
	return m
}

// Handle implements [Dialog].
func (m *menu) Handle(e keys.Event, b *keys.Bindings) Outcome {
	if !m.takes(e) {
		return Ignored{}
	}
	if m.text != nil {
		return m.handleText(e, b)
	}
	k, isKey := e.(keys.Key)
	if !isKey {
		return Ignored{}
	}
	if m.body.scroll(k, b) {
		return Changed{}
	}
	if k.Text == "?" {
		m.explains = !m.explains
		return Changed{}
	}
	return m.act(m.list.Handle(k, b))
}

// Written implements [Dialog].
func (m *menu) Written() string {
	var texts []string
	for i := range m.question.Options {
		if text := m.texts[i]; text != nil {
			texts = append(texts, text.Value())
		}
	}
	return joined(texts)
}

// IsWaiting implements [Dialog].
func (m *menu) IsWaiting() bool { return m.text == nil && m.list.IsWaiting() }

// Expire implements [Dialog].
func (m *menu) Expire() Outcome { return m.act(m.list.Expire()) }

func (m *menu) act(a choice.Action) Outcome {
	switch a {
	case choice.Changed:
		return Changed{}
	case choice.Chosen:
		return m.choose()
	case choice.Canceled:
		return refused()
	}
	return Ignored{}
}

// choose takes the selected option.
func (m *menu) choose() Outcome {
	o := m.option()
	switch {
	case o.NeedsEditor:
		return EditorNeeded{o}
	case o.TextPrompt != "":
		i := m.list.Selected()
		if m.texts[i] == nil {
			m.texts[i] = &field.Field{}
		}
		m.text = m.texts[i]
		return Changed{}
	}
	return Answered{o.Answer("")}
}

func (m *menu) option() *kit.Option { return &m.question.Options[m.list.Selected()] }

// handleText takes a key for the text of the selected option. Esc goes back to the options, and choosing the option again to the text.
func (m *menu) handleText(e keys.Event, b *keys.Bindings) Outcome {
	if k, ok := e.(keys.Key); ok {
		switch command, _ := b.Match(k.Chord, keys.BasicConfirm, keys.BasicCancel); command {
		case keys.BasicCancel:
			m.text = nil
			return Changed{}
		case keys.BasicConfirm:
			text := m.text.Value()
			if o := m.option(); text != "" || !o.NeedsText {
				return Answered{o.Answer(text)}
			}
			return Changed{}
		}
	}
	if m.text.Handle(e, b) {
		return Changed{}
	}
	return Ignored{}
}
