package inline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/window"
)

// painter writes the bytes of one frame.
type painter struct {
	bytes   []byte
	cursor  Position // Column is width behind a full row, where terminals differ about the place
	highest int      // the highest row of the cursor in this frame
	width   int
	colors  colorprofile.Profile
	style   styled.Style // that the terminal writes with
	link    string
	span    *styled.Span // the span of the style, nil if none
}

// paint changes the rows of the live area, of which the first ones are finished lines. It leaves no style behind.
//
// A terminal that becomes lower drops rows below its cursor, perhaps in the middle of the frame. The next frame paints the live area again, but not
// the finished lines: those below a row that the cursor has been in are written whole, whatever the terminal should show there.
func (p *painter) paint(from, to []row, finished int) {
	for i, r := range to {
		var old row
		if i < len(from) {
			old = from[i]
		} else if i > 0 {
			p.addRow(i)
		}
		if i < finished && i > p.highest && (len(old.cells) > 0 || old.fill != nil) {
			old = row{width: p.width + 1} // unlike any other
		}
		c, isChanged := diff(old, r)
		if !isChanged {
			continue
		}
		p.moveTo(Position{i, c.column})
		if c.erases == whole {
			p.eraseRow(r.fill)
		}
		for _, cell := range r.cells[c.first:c.end] {
			p.put(cell)
		}
		if c.erases == rest && r.width < p.width { // in a full row, the last cell would be erased
			p.moveTo(Position{i, r.width})
			p.eraseRow(r.fill)
		}
		p.plain()
	}
	if n := len(to); n < len(from) {
		p.moveTo(Position{n, 0})
		p.eraseBelow()
	}
}

// addRow begins the next row below the live area, at which the terminal may scroll.
func (p *painter) addRow(n int) {
	if p.cursor.Row != n-1 {
		p.moveTo(Position{n - 1, 0})
	}
	p.string("\r\n")
	p.cursor = Position{n, 0}
}

// eraseRow erases from the cursor to the end of the row, with the background of fill unless that is nil.
func (p *painter) eraseRow(fill *styled.Span) {
	if fill == nil {
		fill = &plain
	}
	p.setStyle(fill)
	p.string("\x1b[K")
}

// print writes a line of any width, and goes to the row below it.
func (p *painter) print(line styled.Line) {
	if len(line) == 1 && line[0].Object != nil {
		p.printObject(line[0].Object)
		return
	}
	cells := cellsOf(line)
	var fill *styled.Span
	if line.Width() == p.width {
		r := newRow(line, p.width)
		cells, fill = r.cells, r.fill
	}
	for _, c := range cells {
		p.setStyle(c.span)
		p.string(c.text)
	}
	if fill != nil {
		p.eraseRow(fill)
	}
	p.plain()
	p.string("\r\n")
}

// printObject writes a mark where the next line begins, or an object that takes rows: these are there before it is, so that
// it does not scroll the screen, and the cursor goes below them wherever the object leaves it.
func (p *painter) printObject(o *styled.Object) {
	if o.Rows == 0 {
		p.string(o.Control)
		return
	}
	for range o.Rows {
		p.string("\r\n")
	}
	p.control(o.Rows, 'A')
	p.string(saveCursor + o.Control + restoreCursor)
	p.down(o.Rows)
	p.string("\r")
}

const (
	saveCursor    = "\x1b7"
	restoreCursor = "\x1b8"
)

// put writes a cell at the cursor.
func (p *painter) put(c cell) {
	p.setStyle(c.span)
	p.string(c.text)
	p.cursor.Column += c.width
	if c.isUnsure && p.cursor.Column < p.width {
		p.column(p.cursor.Column)
	}
}

func (p *painter) setStyle(s *styled.Span) {
	if s == p.span {
		return
	}
	p.span = s
	style := s.Style
	if p.colors != colorprofile.TrueColor {
		style = uv.ConvertStyle(style, p.colors)
	}
	p.string(style.Diff(&p.style))
	p.style = style
	link := ""
	if s.Link != "" {
		link = window.Link(s.Link)
	}
	if link != p.link {
		p.string("\x1b]8;;" + link + "\x1b\\")
		p.link = link
	}
}

// plain ends style and link.
func (p *painter) plain() { p.setStyle(&plain) }

var plain styled.Span

// moveTo moves the cursor to an existing row.
func (p *painter) moveTo(to Position) {
	switch n := to.Row - p.cursor.Row; {
	case n > 0:
		p.down(n)
	case n < 0:
		p.control(-n, 'A')
	}
	if to.Column != p.cursor.Column {
		p.column(to.Column)
	}
	p.cursor, p.highest = to, min(p.highest, to.Row)
}

// down moves the cursor down by existing rows. If the terminal has become lower meanwhile, they may be below its last one: line feeds scroll
// then, so that all rows keep their distances.
func (p *painter) down(rows int) { p.string(strings.Repeat("\n", rows)) }

func (p *painter) column(n int) {
	if n == 0 {
		p.string("\r")
		return
	}
	p.control(n+1, 'G')
}

// control writes a control sequence with a number.
func (p *painter) control(n int, final byte) {
	p.string("\x1b[")
	if n != 1 {
		p.bytes = strconv.AppendInt(p.bytes, int64(n), 10)
	}
	p.bytes = append(p.bytes, final)
}

// eraseBelow erases from the cursor, in the first column, to the end of the screen. In the first column of the first row, tmux takes an
// erasure to the end for one of the whole screen, and puts the screen into its scrollback; so it erases from the second one.
func (p *painter) eraseBelow() { p.string("\x1b[K\x1b[C\x1b[J\r") }

// scrollAway moves all rows of a screen of this height into the scrollback, and the cursor into the first one.
func (p *painter) scrollAway(height int) {
	p.bytes = append(fmt.Appendf(p.bytes, "\x1b[%d;1H", height), strings.Repeat("\r\n", height)...)
	p.string("\x1b[H")
}

func (p *painter) showCursor(shows bool) {
	if shows {
		p.string("\x1b[?25h")
	} else {
		p.string("\x1b[?25l")
	}
}

func (p *painter) string(s string) { p.bytes = append(p.bytes, s...) }

// frame returns the bytes as one frame, nil if there are none.
func (p *painter) frame(isSynchronized bool) []byte {
	if len(p.bytes) == 0 || !isSynchronized {
		return p.bytes
	}
	b := make([]byte, 0, len(p.bytes)+2*len(beginFrame))
	b = append(b, beginFrame...)
	b = append(b, p.bytes...)
	return append(b, endFrame...)
}

const (
	beginFrame = "\x1b[?2026h"
	endFrame   = "\x1b[?2026l"
)
