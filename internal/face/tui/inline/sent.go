package inline

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"pollux/internal/face/tui/styled"
)

// sentFrame is a frame that the terminal may show in another width than the one it was made for, because its window has changed meanwhile. In a narrower
// one, rows above the cursor take more rows, so that the cells of the frame get to other places. In a wider one, a frame that found its way
// between such rows goes too far up.
type sentFrame struct {
	rows   []row         // of the live area before the frame
	cursor Position      // before the frame
	above  []styled.Line // that were printed before the frame, the last one just above its live area
	lines  []styled.Line // that the frame prints
	bytes  []byte        // of the frame
	live   int           // where the bytes begin that draw all of the live area, below the lines; 0 if the frame only changes it
	width  int           // in which the terminal has shown it
}

// isSteady reports whether a frame keeps the places of all cells, so that the next one finds its way whatever the width.
func (s *Screen) isSteady(rows []row, cursor Position) bool {
	if len(s.printing) > 0 || len(rows) != len(s.rows) || cursor.Row != s.cursor.Row {
		return false
	}
	for i, r := range rows {
		if r.width != s.rows[i].width {
			return false
		}
	}
	return true
}

// IsRewrapped reports whether the terminal has wrapped the rows of the live area for another width since the last frame. A terminal that is asked
// for the width behind each frame gets [Screen.Erase] as the next one: whatever width it has by then, no more than the last printed lines are to
// be drawn again.
func (s *Screen) IsRewrapped() bool { return s.isRewrapped && len(s.rows) > 0 && !s.options.KeepsRows }

// IsInDoubt reports whether the last frame leads the next one astray if the terminal shows it in another width. [Screen.Shown] ends that.
func (s *Screen) IsInDoubt() bool { return s.inDoubt }

// Shown notes the width in which the terminal has shown the last frame. If the frame was not made for it, the next one draws all again that
// this one has drawn, and the lines above that it has drawn over.
func (s *Screen) Shown(width int) {
	wasInDoubt := s.inDoubt
	s.inDoubt = false
	if !wasInDoubt || width == s.options.Width || s.options.KeepsRows {
		return
	}
	strayed := s.last
	strayed.width = width
	s.strayed, s.isResized, s.isRewrapped = &strayed, true, true
}

// place returns the row of the cursor in a terminal of this size, counted from the first row that is to be drawn again, and the lines from
// there on to the live area. If they are in their place, or have left the screen, that is the first row of the live area.
func (f *sentFrame) place(width, height int) (int, []styled.Line) {
	at, highest := f.follow(f.bytes, f.cursor, f.rows, width)
	lines := f.lines
	areInPlace := len(f.rows) == 0 && f.cursor.Row == 0 // the frame began below all else
	if f.live > 0 && (areInPlace || at >= height) {
		at, highest = f.follow(f.bytes[f.live:], Position{}, nil, width)
		lines = nil
	}
	for n := len(f.above); highest < 0 && n > 0; n-- {
		rows := heightOf(f.above[n-1], f.width)
		at, highest = at+rows, highest+rows
		lines = slices.Insert(slices.Clone(lines), 0, f.above[n-1])
	}
	return at, lines
}

// follow returns the row of the cursor behind bytes of the frame, and the highest one in their course, both counted from the first one of the
// rows before. Since then, the terminal may have got another width: of two rows, the lower one is returned, so that no line is drawn over.
func (f *sentFrame) follow(bytes []byte, cursor Position, rows []row, width int) (row, highest int) {
	from := func(width int) Position { return Position{reflowedRow(rows, cursor, width), cursor.Column % width} }
	row, highest = follow(bytes, from(f.width), f.width)
	now, _ := follow(bytes, from(width), width)
	return min(row, now), highest
}

// maxAbove is the number of lines above the live area that are kept, which is more than a frame can draw over.
const maxAbove = 32

// keepAbove keeps the last of the lines that this frame prints. It keeps none from before a picture.
func (s *Screen) keepAbove() {
	if len(s.leaving)+len(s.printing) == 0 {
		return
	}
	s.above = append(append(s.above, s.leaving...), s.printing...)
	for i, line := range slices.Backward(s.above) {
		if len(line) == 1 && line[0].Object != nil && line[0].Object.Rows > 0 {
			s.above = s.above[i+1:]
			break
		}
	}
	if n := len(s.above) - maxAbove; n > 0 {
		s.above = slices.Clone(s.above[n:])
	}
}

// follow returns the row of the cursor after a terminal of width columns has shown bytes of a [painter], and the highest one before.
func follow(bytes []byte, at Position, width int) (row, highest int) {
	p := ansi.GetParser()
	defer ansi.PutParser(p)
	highest = at.Row
	var saved Position
	var state byte
	for len(bytes) > 0 {
		sequence, cells, n, next := ansi.DecodeSequence(bytes, state, p)
		bytes, state = bytes[n:], next
		switch {
		case cells > 0:
			if at.Column+cells > width {
				at = Position{at.Row + 1, 0}
			}
			at.Column += cells
		case string(sequence) == "\n":
			at.Row++
		case string(sequence) == "\r":
			at.Column = 0
		case string(sequence) == saveCursor:
			saved = at
		case string(sequence) == restoreCursor:
			at = saved
		case ansi.HasCsiPrefix(sequence):
			at = moved(at, p, width)
			highest = min(highest, at.Row)
		}
	}
	return at.Row, highest
}

// moved returns the position of the cursor after the control sequence that a parser has read.
func moved(at Position, p *ansi.Parser, width int) Position {
	count, _ := p.Param(0, 1)
	switch ansi.Cmd(p.Command()).Final() {
	case 'A':
		return Position{at.Row - count, min(at.Column, width-1)}
	case 'C':
		return Position{at.Row, min(at.Column+count, width-1)}
	case 'G':
		return Position{at.Row, min(count, width) - 1}
	}
	return at
}

// heightOf returns the number of rows that a printed line takes in a terminal of width columns.
func heightOf(line styled.Line, width int) int {
	if len(line) == 1 && line[0].Object != nil {
		return line[0].Object.Rows
	}
	return row{cells: cellsOf(line)}.height(width)
}
