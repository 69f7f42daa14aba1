// Package question draws a [kit.Question] with options, and turns keys into its answer.
//
// A key counts only if it arrived after the question was on the screen: see [Dialog.Shown]. One that was typed before was
// meant for something else, and the caller keeps it for the draft.
package question

import (
	"slices"
	"time"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/keys"
	"pollux/tool"
)

// Dialog is a question on the screen.
type Dialog struct {
	question *kit.Question
	shown    time.Time // zero until the question is on the screen
	list     *choice.List
	text     *field.Field // for the selected option, nil while the user chooses
	body     body
	explains bool // shows the reasons for the question and its options
}

// New returns the dialog of a question with options.
func New(q *kit.Question) *Dialog {
	items := make([]choice.Item, len(q.Options))
	first := 0
	for i, o := range q.Options {
		items[i] = choice.Item{Label: o.Label, Detail: o.Description}
		if o.IsDefault {
			first = i
		}
	}
	d := &Dialog{question: q, list: choice.New(items)}
	d.list.Select(first)
	return d
}

// Question returns the question.
func (d *Dialog) Question() *kit.Question { return d.question }

// Shown notes that the question is on the screen since a time. Keys that arrived before are ignored.
func (d *Dialog) Shown(at time.Time) {
	if d.shown.IsZero() {
		d.shown = at
	}
}

// Outcome is the effect of a key.
type Outcome interface{ outcome() }

// Ignored means that the dialog has no use for the key.
type Ignored struct{}

// Changed means that the dialog looks different, perhaps.
type Changed struct{}

// Answered has the answer.
type Answered struct{ Answer tool.Answer }

// EditorNeeded asks the caller to open the user's editor for the first block of the question. [kit.Option.Answer] takes the
// edited text.
type EditorNeeded struct{ Option *kit.Option }

func (Ignored) outcome()      {}
func (Changed) outcome()      {}
func (Answered) outcome()     {}
func (EditorNeeded) outcome() {}

// Handle takes a key or a paste.
func (d *Dialog) Handle(e keys.Event, b *keys.Bindings) Outcome {
	at, ok := arrival(e)
	if !ok || d.shown.IsZero() || at.Before(d.shown) {
		return Ignored{}
	}
	if d.text != nil {
		return d.handleText(e, b)
	}
	k, isKey := e.(keys.Key)
	if !isKey {
		return Ignored{}
	}
	if d.body.scroll(k, b) {
		return Changed{}
	}
	if k.Text == "?" {
		d.explains = !d.explains
		return Changed{}
	}
	if i := slices.IndexFunc(d.question.Options, func(o kit.Option) bool { return o.Key != "" && o.Key == k.Text }); i >= 0 {
		d.list.Select(i)
		return d.choose()
	}
	return d.act(d.list.Handle(k, b))
}

// arrival returns the time at which a key or a paste arrived.
func arrival(e keys.Event) (time.Time, bool) {
	switch e := e.(type) {
	case keys.Key:
		return e.At, true
	case keys.Paste:
		return e.At, true
	}
	return time.Time{}, false
}

// IsWaiting reports whether the dialog waits [choice.NumberWait] for another digit, and then for [Dialog.Expire].
func (d *Dialog) IsWaiting() bool { return d.text == nil && d.list.IsWaiting() }

// Expire ends the wait for another digit.
func (d *Dialog) Expire() Outcome { return d.act(d.list.Expire()) }

func (d *Dialog) act(a choice.Action) Outcome {
	switch a {
	case choice.Changed:
		return Changed{}
	case choice.Chosen:
		return d.choose()
	case choice.Canceled:
		return Answered{tool.Answer{Outcome: tool.Cancel}}
	}
	return Ignored{}
}

// choose takes the selected option.
func (d *Dialog) choose() Outcome {
	o := d.option()
	switch {
	case o.NeedsEditor:
		return EditorNeeded{o}
	case o.TextPrompt != "":
		d.text = &field.Field{}
		return Changed{}
	}
	return Answered{o.Answer("")}
}

func (d *Dialog) option() *kit.Option { return &d.question.Options[d.list.Selected()] }

// handleText takes a key for the text of the selected option. Esc goes back to the options.
func (d *Dialog) handleText(e keys.Event, b *keys.Bindings) Outcome {
	if k, ok := e.(keys.Key); ok {
		switch command, _ := b.Match(k.Chord, keys.BasicConfirm, keys.BasicCancel); command {
		case keys.BasicCancel:
			d.text = nil
			return Changed{}
		case keys.BasicConfirm:
			text := d.text.Value()
			if o := d.option(); text != "" || !o.NeedsText {
				return Answered{o.Answer(text)}
			}
			return Changed{}
		}
	}
	if d.text.Handle(e, b) {
		return Changed{}
	}
	return Ignored{}
}
