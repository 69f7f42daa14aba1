// Package full draws on the whole screen of a terminal, the one that programs such as editors use: the conversation in the upper
// part, which scrolls, and below it the parts that [inline.Frame] has.
//
// A [Screen] takes the place of an [inline.Screen]: finished lines that are printed go to its backlog, not to the scrollback of
// the terminal. The backlog keeps the latest lines in a compact form, and finds their rows only where they are on the screen, so
// that neither a key nor a chunk of an answer costs more in a long conversation.
package full

import (
	"slices"

	"github.com/charmbracelet/colorprofile"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// Options describes a terminal.
type Options struct {
	Width, Height int // in cells; sizes below 1 count as 1
	Colors        colorprofile.Profile
	Theme         func() theme.Theme // in use
}

// Screen is the state of the screen. Callers must not use a Screen concurrently.
type Screen struct {
	options      Options
	synchronizes bool

	backlog backlog
	cells   *inline.Screen // nil if the content of the terminal is unknown
	note    string         // of a frozen screen
	frame   inline.Frame   // as it was drawn last
	room    int            // rows of the conversation in it
	cursor  int            // row of the cursor in it
	hasNews bool           // its last row of the conversation says that there are new lines
}

// New returns a screen without lines.
func New(o Options) *Screen {
	s := &Screen{options: o}
	s.Resize(o.Width, o.Height)
	return s
}

// Width returns the number of columns.
func (s *Screen) Width() int { return s.options.Width }

// Height returns the number of rows.
func (s *Screen) Height() int { return s.options.Height }

// Resize notes that the terminal has another size.
func (s *Screen) Resize(width, height int) {
	s.options.Width, s.options.Height = max(width, 1), max(height, 1)
	s.cells = nil
}

// SetAbilities changes the abilities that a terminal reports late.
func (s *Screen) SetAbilities(colors colorprofile.Profile, synchronizes, _ bool) {
	s.options.Colors, s.synchronizes = colors, synchronizes
	if s.cells != nil {
		s.cells.SetAbilities(colors, synchronizes, true)
	}
}

// Print adds finished lines to the conversation.
func (s *Screen) Print(lines ...styled.Line) { s.backlog.print(lines) }

// Clear makes the next frame remove the conversation from the screen.
func (s *Screen) Clear() { s.backlog.drop() }

// IsRewrapped returns false: a frame addresses its rows from the top, whatever the terminal did with the rows before.
func (s *Screen) IsRewrapped() bool { return false }

// IsInDoubt returns false, for the same reason.
func (s *Screen) IsInDoubt() bool { return false }

// Shown does nothing, as no frame is in doubt.
func (s *Screen) Shown(int) {}

// Below returns "": other output does not belong on this screen.
func (s *Screen) Below() string { return "" }

// Erase notes that another program, or another part of this one, draws on the terminal. The next frame draws the whole screen.
func (s *Screen) Erase() []byte {
	s.cells = nil
	return nil
}

// Frame returns the bytes that show the conversation and f, nil if nothing changes. A frozen screen shows the last frame.
func (s *Screen) Frame(f inline.Frame) []byte {
	if s.IsFrozen() {
		f = s.frame
	}
	s.frame = f
	height := s.options.Height
	open, below := f.Lines[:f.Open], f.Lines[f.Open:]
	below = below[max(len(below)-height, 0):]
	s.room = height - len(below)
	lines := s.backlog.view(s.options.Width, s.room, open)
	s.addNote(lines)
	s.cursor = s.room + f.Cursor.Row - (len(f.Lines) - len(below))
	var begin []byte
	if s.cells == nil {
		begin = []byte(terminal.ClearOther + terminal.ShowCursor)
		// The frame fills the screen: it has no row below it.
		s.cells = inline.New(inline.Options{
			Width: s.options.Width, Height: height + 1, Colors: s.options.Colors, Synchronizes: s.synchronizes, KeepsRows: true,
		})
	}
	return append(begin, s.cells.Frame(inline.Frame{
		Lines: slices.Concat(lines, below), Cursor: inline.Position{Row: s.cursor, Column: f.Cursor.Column}, HidesCursor: f.HidesCursor,
	})...)
}

// addNote puts a message into the last row of the conversation: how to leave a frozen screen, or that there are new lines.
func (s *Screen) addNote(lines []styled.Line) {
	t, n := s.options.Theme(), s.backlog.unseen()
	s.hasNews = false
	text, style := s.note, t.Warning()
	if len(lines) == 0 || text == "" && n == 0 {
		return
	}
	if text == "" {
		s.hasNews = true
		text, style = "↓ "+wording.Count(n, "new line"), t.Accent()
	}
	lines[len(lines)-1] = styled.Of(text, style).Cut(s.options.Width)
}

// Scroll moves the conversation by rows, up if n is negative.
func (s *Screen) Scroll(n int) { s.backlog.scroll(n) }

// Page returns the number of rows of a page.
func (s *Screen) Page() int { return max(s.room-1, 1) }

// ToStart shows the beginning of the conversation, as far as it is kept.
func (s *Screen) ToStart() { s.backlog.goTo(place{line: s.backlog.first}) }

// ToEnd shows the end of the conversation, and follows it.
func (s *Screen) ToEnd() { s.backlog.isBack = false }

// Freeze keeps the screen as it is, but for scrolling. It shows a note.
func (s *Screen) Freeze(note string) {
	s.note = note
	s.backlog.freeze(true)
}

// Thaw ends Freeze.
func (s *Screen) Thaw() {
	s.note = ""
	s.backlog.freeze(false)
}

// IsFrozen reports whether the screen is kept as it is.
func (s *Screen) IsFrozen() bool { return s.note != "" }

// HasRow reports whether a row of the screen belongs to the conversation.
func (s *Screen) HasRow(row int) bool { return row < s.room }

// FromCursor returns how many rows a row of the screen is below the cursor.
func (s *Screen) FromCursor(row int) int { return row - s.cursor }

// Press takes a press of the mouse on the conversation: on the message about new lines it shows them, else a selection begins.
func (s *Screen) Press(row, column int) {
	if s.hasNews && row == s.room-1 {
		s.ToEnd()
		return
	}
	s.backlog.press(row, column)
}

// Drag extends the selection to a cell.
func (s *Screen) Drag(row, column int) { s.backlog.drag(row, column) }

// Release ends the selection, and reports whether it has a text.
func (s *Screen) Release() bool { return s.backlog.release() }

// Selected returns the selected text, "" for none. Rows of one line are joined.
func (s *Screen) Selected() string { return s.backlog.selected() }

// Deselect removes the selection.
func (s *Screen) Deselect() { s.backlog.marked = selection{} }

// Tail returns the last lines, which take at most so many rows, for the main screen.
func (s *Screen) Tail(rows int) (lines []styled.Line) {
	b := &s.backlog
	b.setWidth(s.options.Width)
	top := b.move(place{line: b.end()}, -rows)
	if top.start > 0 {
		top = place{line: top.line + 1}
	}
	for n := top.line; n < b.end(); n++ {
		lines = append(lines, b.whole(n)...)
	}
	return lines
}
