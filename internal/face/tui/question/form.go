package question

import (
	"pollux/internal/face/tui/keys"
)

// form is the dialog of a question that consists of several ones. Behind them is a review of the answers.
type form struct {
	opened
	pages  []*page
	at     int // the page that is shown, len(pages) for the review
	review body
}

func newForm(shared opened) *form {
	f := &form{opened: shared}
	for i := range shared.question.Form {
		field := &shared.question.Form[i]
		f.pages = append(f.pages, newPage(field, shared.body(textOf(field))))
	}
	f.review = f.body(f.reviewLines)
	return f
}

// hasReview reports whether the user reviews the answers: there are several.
func (f *form) hasReview() bool { return len(f.pages) > 1 }

// page returns the page that is shown, nil for the review.
func (f *form) page() *page {
	if f.at == len(f.pages) {
		return nil
	}
	return f.pages[f.at]
}

// Handle implements [Dialog].
func (f *form) Handle(e keys.Event, b *keys.Bindings) Outcome {
	if !f.takes(e) {
		return Ignored{}
	}
	p := f.page()
	switch e := e.(type) {
	case keys.Paste:
		if p != nil {
			return f.act(p.paste(e, b))
		}
	case keys.Key:
		return f.handleKey(p, e, b)
	}
	return Ignored{}
}

func (f *form) handleKey(p *page, k keys.Key, b *keys.Bindings) Outcome {
	shown := &f.review
	if p != nil {
		shown = &p.body
	}
	if shown.scroll(k, b) {
		return Changed{}
	}
	leaving := []keys.Command{keys.BasicCancel, keys.NavDialogNext, keys.NavDialogPrevious}
	if p == nil || !p.isTyping() || p.text.Len() == 0 {
		leaving = append(leaving, keys.CursorLeft, keys.CursorRight)
	}
	command, _ := b.Match(k.Chord, leaving...)
	switch command {
	case keys.BasicCancel:
		return refused()
	case keys.NavDialogNext, keys.CursorRight:
		return f.turn(1)
	case keys.NavDialogPrevious, keys.CursorLeft:
		return f.turn(-1)
	}
	if p != nil {
		return f.act(p.handle(k, b))
	}
	if command, _ := b.Match(k.Chord, keys.BasicConfirm); command != "" {
		return f.send()
	}
	return Ignored{}
}

// turn shows the page before this one or behind it.
func (f *form) turn(step int) Outcome {
	to := f.at + step
	if !f.hasReview() || to < 0 || to > len(f.pages) {
		return Ignored{}
	}
	if p := f.page(); p != nil && p.list != nil {
		p.list.Select(p.list.Selected()) // ends the wait for another digit
	}
	f.at = to
	if f.page() == nil {
		f.review = f.body(f.reviewLines)
	}
	return Changed{}
}

func (f *form) act(e effect) Outcome {
	switch e {
	case changed:
		return Changed{}
	case answered:
		if f.hasReview() {
			return f.turn(1)
		}
		return f.send()
	}
	return Ignored{}
}

// send answers with all that the user has chosen and written.
func (f *form) send() Outcome {
	answers := make([]string, len(f.pages))
	for i, p := range f.pages {
		answers[i] = p.answer()
	}
	return Answered{f.question.Reply(answers)}
}

// Written implements [Dialog].
func (f *form) Written() string {
	var texts []string
	for _, p := range f.pages {
		if !p.text.IsSecret {
			texts = append(texts, p.text.Value())
		}
	}
	return joined(texts)
}

// IsWaiting implements [Dialog].
func (f *form) IsWaiting() bool {
	p := f.page()
	return p != nil && p.list != nil && p.list.IsWaiting()
}

// Expire implements [Dialog].
func (f *form) Expire() Outcome {
	if !f.IsWaiting() {
		return Ignored{}
	}
	p := f.page()
	return f.act(p.act(p.list.Expire()))
}
