package completion

import (
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// maxRows is the number of suggestions that a list shows at once.
const maxRows = 8

// List shows the suggestions of a result, of which one is selected. The zero value is closed.
type List struct {
	result     Result // with clean texts
	isLoading  bool
	hasMoved   bool // the user has selected a suggestion
	isExpanded bool // the selected suggestion is shown whole
	isCut      bool // the selected suggestion did not fit when it was last shown
	selected   int
	top        int // the first suggestion that is shown
	column     int // width of the widest label
	hasDetails bool
}

// Show shows a result, and closes the list if it has no suggestions. The first suggestion is selected.
func (l *List) Show(r Result) {
	*l = List{result: r}
	l.result.Suggestions = make([]Suggestion, len(r.Suggestions))
	for i, s := range r.Suggestions {
		s = s.clean()
		l.result.Suggestions[i] = s
		l.column = max(l.column, terminal.Width(s.Label)+terminal.Width(s.suffix()))
		l.hasDetails = l.hasDetails || s.Detail != ""
	}
}

// Limits of the texts of a suggestion, in bytes.
const (
	maxLabel  = 4096
	maxDetail = 400
	maxShort  = 100 // of a suffix or title
)

// clean returns the suggestion with texts that are safe to show.
func (s Suggestion) clean() Suggestion {
	if label := styled.Text(terminal.Cut(s.Label, maxLabel)); label != s.Label {
		s.Label, s.MatchAt = label, nil
	}
	s.Detail = styled.Text(terminal.Cut(s.Detail, maxDetail))
	s.Suffix = styled.Text(terminal.Cut(s.Suffix, maxShort))
	s.Group = styled.Text(terminal.Cut(s.Group, maxShort))
	return s
}

// suffix returns the suffix as shown.
func (s Suggestion) suffix() string {
	if s.Suffix == "" {
		return ""
	}
	return " [" + s.Suffix + "]"
}

// ShowLoading shows that suggestions are to come.
func (l *List) ShowLoading() { *l = List{isLoading: true} }

// Close closes the list.
func (l *List) Close() { *l = List{} }

// IsOpen reports whether the list shows anything.
func (l *List) IsOpen() bool { return l.isLoading || len(l.result.Suggestions) > 0 }

// Selected returns the selected suggestion, whose Insert is to replace a range of the text; false if there is none.
func (l *List) Selected() (Suggestion, bool) {
	if len(l.result.Suggestions) == 0 {
		return Suggestion{}, false
	}
	return l.result.Suggestions[l.selected], true
}

// Result returns the result that the list shows.
func (l *List) Result() Result { return l.result }

// Action is the effect of a key.
type Action uint8

// Actions.
const (
	Ignored   Action = iota // the list has no use for the key
	Moved                   // the list looks different now
	Accepted                // insert the selected suggestion
	Submitted               // insert the selected suggestion, then send the text
	Sent                    // send the text as it is: it is complete
	Closed                  // the user wants no suggestion; the list is closed
)

// Handle takes a key.
func (l *List) Handle(k keys.Key, b *keys.Bindings) Action {
	if !l.IsOpen() {
		return Ignored
	}
	command, _ := b.Match(k.Chord, keys.BasicCancel, keys.SuggestAccept, keys.SuggestFocusPrevious, keys.SuggestFocusNext,
		keys.SuggestExpand, keys.SuggestCollapse)
	switch command {
	case keys.BasicCancel:
		l.Close()
		return Closed
	case keys.SuggestAccept:
		_, isEnter := b.Match(k.Chord, keys.InputSubmit)
		return l.accept(isEnter)
	case keys.SuggestFocusPrevious:
		return l.move(-1)
	case keys.SuggestFocusNext:
		return l.move(1)
	case keys.SuggestExpand:
		return l.expand(true)
	case keys.SuggestCollapse:
		return l.expand(false)
	}
	return Ignored
}

func (l *List) accept(isEnter bool) Action {
	s, ok := l.Selected()
	switch {
	case !ok:
		return Ignored
	case isEnter && l.result.IsComplete && !l.hasMoved:
		return Sent
	case isEnter && s.Runs:
		return Submitted
	}
	return Accepted
}

// move selects the next suggestion in a direction. The first one follows the last one.
func (l *List) move(step int) Action {
	n := len(l.result.Suggestions)
	if n == 0 {
		return Ignored
	}
	l.selected, l.hasMoved, l.isExpanded = (l.selected+step+n)%n, true, false
	return Moved
}

// expand shows the selected suggestion whole, or cut again. It ignores the key if that changes nothing, so that it
// moves the cursor.
func (l *List) expand(on bool) Action {
	if on == l.isExpanded || on && !l.isCut {
		return Ignored
	}
	l.isExpanded = on
	return Moved
}
