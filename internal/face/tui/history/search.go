package history

import (
	"strings"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/keys"
)

// Search is a search in the history: the user types a part of an input, and chooses one of the inputs with this part.
type Search struct {
	query    field.Field
	searched []rune   // the query of found
	all      []*entry // the newest first, each text once
	found    []match
	selected int

	top        int // the first one that is shown
	width      int // of the list, when it was drawn last
	isExpanded bool

	// WidenKey is the key with which the user adds the inputs of other projects, "" if there are none to add.
	WidenKey string
	scope    scope
}

// scope says where the inputs of a search are from.
type scope uint8

const (
	thisProject scope = iota
	loading           // the user waits for the inputs of other projects
	allProjects
)

// Past is an input of another project, with a label that says where and when it was entered.
type Past struct{ Text, Label string }

// Widen adds inputs of other projects, the newest first, behind those of this one. Texts that are there already are
// left out.
func (s *Search) Widen(past []Past) {
	seen := map[string]bool{}
	for _, e := range s.all {
		seen[e.text] = true
	}
	for _, p := range past {
		if !seen[p.Text] && strings.TrimSpace(p.Text) != "" {
			seen[p.Text] = true
			s.all = append(s.all, &entry{text: p.Text, label: p.Label})
		}
	}
	s.scope = allProjects
	selected, top, isExpanded, wasFound := s.selected, s.top, s.isExpanded, len(s.found) > 0
	s.find(s.all)
	if wasFound { // the inputs before have kept their places
		s.selected, s.top, s.isExpanded = selected, top, isExpanded
	}
}

// Search begins a search for a text.
func (in *Inputs) Search(query string) *Search {
	in.fill()
	s := &Search{}
	seen := map[string]bool{}
	for i := len(in.entries) - 1; i >= 0; i-- {
		if e := in.entries[i]; !seen[e.text] {
			seen[e.text] = true
			s.all = append(s.all, e)
		}
	}
	s.query.Insert(query)
	s.find(s.all)
	return s
}

// Action is the effect of an event on a [Search].
type Action uint8

// Actions.
const (
	Ignored   Action = iota // the search has no use for the event
	Changed                 // the search may look different
	Accepted                // the user wants the selected input, to edit it
	Submitted               // the user wants to send the selected input
	Canceled                // the user wants none
	Widening                // the user wants the inputs of other projects, too: the caller calls [Search.Widen]
)

// Query returns the field in which the user types.
func (s *Search) Query() *field.Field { return &s.query }

// Handle takes a key or a paste, with the meaning of an Enter key.
func (s *Search) Handle(e keys.Event, meaning keys.EnterMeaning, b *keys.Bindings) Action {
	k, isKey := e.(keys.Key)
	if !isKey {
		return s.edit(e, b)
	}
	if meaning != keys.Literal { // a line end of text that the terminal pastes
		s.query.Insert(" ")
		s.refresh()
		return Changed
	}
	command, _ := b.Match(k.Chord, keys.HistorySearchSubmit, keys.HistorySearchAccept, keys.BasicCancel, keys.HistorySearchStart,
		keys.SuggestFocusPrevious, keys.SuggestFocusNext, keys.SuggestExpand, keys.SuggestCollapse)
	switch command {
	case keys.HistorySearchSubmit:
		return s.choose(Submitted)
	case keys.HistorySearchAccept:
		return s.choose(Accepted)
	case keys.BasicCancel:
		return Canceled
	case keys.HistorySearchStart, keys.SuggestFocusNext:
		if command == keys.HistorySearchStart && s.WidenKey != "" && s.scope == thisProject {
			s.scope = loading
			return Widening
		}
		s.move(1)
	case keys.SuggestFocusPrevious:
		s.move(-1)
	case keys.SuggestExpand, keys.SuggestCollapse:
		if isExpand := command == keys.SuggestExpand; isExpand != s.isExpanded && (s.isExpanded || s.isLong()) {
			s.isExpanded = isExpand
			return Changed
		}
		return s.edit(e, b)
	default:
		return s.edit(e, b)
	}
	return Changed
}

// edit gives an event to the query.
func (s *Search) edit(e keys.Event, b *keys.Bindings) Action {
	if !s.query.Handle(e, b) {
		return Ignored
	}
	s.refresh()
	return Changed
}

// choose returns an action for the selected input, if there is one.
func (s *Search) choose(a Action) Action {
	if len(s.found) == 0 {
		return Changed
	}
	return a
}

// move selects another input. The first one follows the last one.
func (s *Search) move(step int) {
	if n := len(s.found); n > 0 {
		s.selected = (s.selected + step + n) % n
		s.isExpanded = false
	}
}

// Write replaces the text of a buffer by the selected input. It returns false if there is none.
func (s *Search) Write(b *buffer.Buffer) bool {
	if len(s.found) == 0 {
		return false
	}
	s.found[s.selected].write(b)
	b.ToEnd()
	return true
}

// refresh finds the inputs for the query, if it has changed.
func (s *Search) refresh() {
	query, before := string(folded(s.query.Value())), string(s.searched)
	switch {
	case query == before:
	case strings.Contains(query, before): // all others have no match for the query either
		candidates := make([]*entry, len(s.found))
		for i, m := range s.found {
			candidates[i] = m.entry
		}
		s.find(candidates)
	default:
		s.find(s.all)
	}
}

// find finds the query in inputs.
func (s *Search) find(candidates []*entry) {
	s.searched = folded(s.query.Value())
	s.found, s.selected, s.top, s.isExpanded = nil, 0, 0, false
	for _, e := range candidates {
		if start, end, ok := find(e.text, s.searched); ok {
			s.found = append(s.found, match{e, start, end})
		}
	}
}
