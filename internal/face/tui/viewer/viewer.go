// Package viewer has the transcript viewer: a pager over the whole conversation, with everything expanded, that fills the
// screen.
//
// A [Viewer] knows its place by the item, the piece of the item and the row of the piece at the top of the screen (place.go),
// and lays out what is near (sheet.go). Nothing counts the rows of the conversation: the end is found from the end. A search
// goes through the pieces in steps (finder.go), which the owner runs when it has nothing else to do: see [Viewer.Step].
package viewer

import (
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/viewer/conversation"
	"pollux/internal/face/tui/viewer/rows"
)

// Options are settings of a viewer.
type Options struct {
	Names       kit.Names // of tools, nil if they are unknown
	HasLinks    bool      // the terminal opens links
	LineNumbers bool      // before lines of code in answers
	IsRaw       bool      // answers are shown without rendered Markdown
	DiffLayout  diff.Layout
}

// Viewer shows a conversation. Callers must not use it concurrently.
type Viewer struct {
	sheet  sheet
	height int         // rows of the conversation on the screen
	layout diff.Layout // of changes of files

	top     place // the first row on the screen
	follows bool  // the screen shows the end, and new rows as they come
	atEnd   bool  // the last row is on the screen
	anchor  anchor

	shown  []shownRow // the rows on the screen
	chosen target     // by the user, no target for the usual one
	notice string     // about the last key

	field    field.Field // of the search
	isTyping bool        // the user types the search
	origin   origin      // where the user was before
	search   *search     // nil for none
}

// origin is the place where a search began.
type origin struct {
	top     place
	follows bool
}

// New returns a viewer at the end of a conversation.
func New(source conversation.Source, o Options) *Viewer {
	v := &Viewer{follows: true, height: 23, layout: o.DiffLayout}
	v.sheet = sheet{
		conversation: conversation.New(source),
		look:         rows.Look{Width: 80, HasLinks: o.HasLinks, LineNumbers: o.LineNumbers, IsRaw: o.IsRaw, Names: o.Names},
	}
	v.sheet.clear()
	v.show(0)
	return v
}

// Refresh reads messages that the conversation has got or lost since the last call. Call it when a message may have come. It
// takes time in proportion to the number of messages, not to their length.
func (v *Viewer) Refresh() {
	n := v.sheet.conversation.Len()
	first := v.sheet.conversation.Refresh()
	if first == n && first == v.sheet.conversation.Len() {
		return
	}
	v.sheet.clear()
	v.chosen, v.anchor = target{}, anchor{}
	if v.search != nil {
		v.search.restart(v)
	}
	v.show(0)
}

// Outcome is the effect of a key on a viewer.
type Outcome interface{ outcome() }

// Ignored means that the viewer has no use for the key.
type Ignored struct{}

// Changed means that the viewer looks different, perhaps.
type Changed struct{}

// Closed means that the user wants to close the viewer.
type Closed struct{}

// Copied has a text for the clipboard. The viewer says that it was copied; if that fails, call [Viewer.Note].
type Copied struct{ Text string }

// EditorWanted has a text that the user wants to open in the editor.
type EditorWanted struct{ Text string }

func (Ignored) outcome()      {}
func (Changed) outcome()      {}
func (Closed) outcome()       {}
func (Copied) outcome()       {}
func (EditorWanted) outcome() {}

// Note shows a text in the last line until the next key.
func (v *Viewer) Note(text string) { v.notice = text }
