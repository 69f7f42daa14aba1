package console

import (
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"pollux/internal/crash"
	"pollux/internal/face/tui/emulator"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/process"
	"pollux/internal/shellcmd"
)

// Screen is the pseudo-terminal of a command, as a person sees it.
type Screen struct {
	console      *Console
	command      string
	began        time.Time
	isRedirected bool // the output of the command goes elsewhere

	input input

	mu           sync.Mutex
	size         process.TerminalSize
	emulator     *vt.Emulator
	writer       emulator.Writer // to it
	bytes        int64           // of output
	last         time.Time       // of the last output, zero for none
	looked       look
	hidesCursor  bool
	hasAppArrows bool // the program wants the arrow keys of applications
	marksPastes  bool // and pastes between marks
	isHidden     bool // the command runs in the background
	isAwaited    bool // and the next output belongs on the screen, which shows the command
	isClosed     bool
}

func newScreen(c *Console, command string, size process.TerminalSize) *Screen {
	s := &Screen{console: c, command: command, began: time.Now(), size: size}
	if script, err := shellcmd.Parse(command); err == nil {
		s.isRedirected = slices.ContainsFunc(script.Redirections, func(r shellcmd.Redirection) bool {
			return strings.HasPrefix(r.Op, ">") || strings.HasPrefix(r.Op, "&>")
		})
	}
	s.reset()
	return s
}

// reset makes a new emulator, whose replies go to the program.
func (s *Screen) reset() {
	e := vt.NewEmulator(s.size.Columns, s.size.Rows)
	e.SetScrollbackSize(s.scrollback())
	s.hidesCursor, s.hasAppArrows, s.marksPastes = false, false, false
	e.SetCallbacks(vt.Callbacks{
		CursorVisibility: func(isVisible bool) { s.hidesCursor = !isVisible },
		EnableMode:       func(m ansi.Mode) { s.setMode(m, true) },
		DisableMode:      func(m ansi.Mode) { s.setMode(m, false) },
	})
	s.emulator, s.writer = e, emulator.Writer{Emulator: e}
	go func() {
		defer crash.Recover()
		var reply [256]byte
		for {
			n, err := e.Read(reply[:])
			_ = s.input.send(reply[:n]) // a program that does not read loses replies
			if err != nil {
				return
			}
		}
	}()
}

// scrollback returns the number of rows that the emulator keeps above its screen.
func (s *Screen) scrollback() int { return max(1, keptRows-s.size.Rows) }

func (s *Screen) setMode(m ansi.Mode, isOn bool) {
	switch m {
	case ansi.ModeCursorKeys:
		s.hasAppArrows = isOn
	case ansi.ModeBracketedPaste:
		s.marksPastes = isOn
	}
}

// Write implements [io.Writer]. It never fails.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isClosed {
		s.bytes += int64(len(p))
		s.last = time.Now()
		s.draw(func(*vt.Emulator) { _, _ = s.writer.Write(skip(p, s.size.Rows+s.scrollback())) })
		if !s.isHidden || s.isAwaited {
			s.isAwaited = false
			s.console.change()
		}
	}
	return len(p), nil
}

// draw calls f with the emulator. If output of the program makes the emulator fail, the screen begins again.
func (s *Screen) draw(f func(e *vt.Emulator)) {
	defer func() {
		if recover() != nil {
			s.closeEmulator()
			s.reset()
		}
	}()
	f(s.emulator)
}

func (s *Screen) closeEmulator() {
	if replies, ok := s.emulator.InputPipe().(io.Closer); ok {
		_ = replies.Close() // it does not fail
	}
}

// Size implements [shell.Screen].
func (s *Screen) Size() process.TerminalSize {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size
}

// Started implements [shell.Screen].
func (s *Screen) Started(p *process.Process) {
	s.input.connect(p)
	_ = p.Resize(s.Size()) // it may be another one by now; the program may have ended
	s.console.change()
}

// Hide implements [shell.Screen].
func (s *Screen) Hide() {
	s.mu.Lock()
	s.isHidden = true
	s.mu.Unlock()
	s.console.hide(s)
}

// Close implements [shell.Screen].
func (s *Screen) Close() {
	s.mu.Lock()
	wasClosed := s.isClosed
	s.isClosed = true
	var last []styled.Line
	if !wasClosed {
		last = s.tail()
		s.closeEmulator()
	}
	s.mu.Unlock()
	if !wasClosed {
		s.console.remove(s, last)
	}
}

func (s *Screen) resize(size process.TerminalSize) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size = size
	s.draw(func(e *vt.Emulator) {
		emulator.Resize(e, size.Columns, size.Rows)
		e.SetScrollbackSize(s.scrollback())
	})
	if p := s.input.running(); p != nil {
		_ = p.Resize(size) // the program may have ended
	}
}

// isInFront reports whether the command runs, and not in the background.
func (s *Screen) isInFront() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.input.running() != nil && !s.isClosed && !s.isHidden
}

func (s *Screen) isRunning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.input.running() != nil && !s.isClosed
}

func (s *Screen) hasPID(pid int) bool {
	p := s.input.running()
	return p != nil && p.PID() == pid
}

func (s *Screen) written() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

// press encodes a key or a paste as the program wants it, and types it.
func (s *Screen) press(e keys.Event) error {
	s.mu.Lock()
	var b []byte
	switch e := e.(type) {
	case keys.Key:
		b = encode(e, s.hasAppArrows)
	case keys.Paste:
		b = encodePaste(e.Text, s.marksPastes)
	}
	s.mu.Unlock()
	return s.input.send(b)
}

// rows returns the rows down to the last one that is in use, at most so many, with the position of the cursor.
func (s *Screen) rows(most int, isPlain bool) (lines []styled.Line, cursor inline.Position, hasCursor bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isAwaited = true
	at := s.emulator.CursorPosition()
	end := at.Y + 1
	if s.emulator.IsAltScreen() {
		end = s.size.Rows
	}
	for y := s.size.Rows - 1; y >= end; y-- {
		if len(s.row(s.emulator.CellAt, y, true)) > 0 {
			end = y + 1
			break
		}
	}
	start := max(0, end-max(most, 1))
	if start > at.Y { // the cursor matters most
		start, end = at.Y, at.Y+max(most, 1)
	}
	for y := start; y < end; y++ {
		lines = append(lines, s.row(s.emulator.CellAt, y, isPlain))
	}
	return lines, inline.Position{Row: at.Y - start, Column: at.X}, !s.hidesCursor
}

// tail returns the last rows that were printed, scrolled out of the screen or not.
func (s *Screen) tail() (lines []styled.Line) {
	above := s.emulator.ScrollbackLen()
	for y := range above {
		lines = append(lines, s.row(s.emulator.ScrollbackCellAt, y, false))
	}
	for y := range s.size.Rows {
		lines = append(lines, s.row(s.emulator.CellAt, y, false))
	}
	for len(lines) > 0 && len(lines[len(lines)-1]) == 0 {
		lines = lines[:len(lines)-1]
	}
	return lines[max(0, len(lines)-keptRows):]
}

// row returns a row of cells without the blanks at its end.
func (s *Screen) row(cellAt func(x, y int) *uv.Cell, y int, isPlain bool) (line styled.Line) {
	used := 0 // spans up to the last that is not blank
	for x := 0; x < s.size.Columns; {
		cell := cellAt(x, y)
		if cell == nil || cell.Width == 0 {
			cell = &uv.EmptyCell
		}
		text, style := styled.Text(cell.Content), cell.Style
		style.Attrs &^= uv.AttrConceal | uv.AttrBlink | uv.AttrRapidBlink // output is there to be read
		if text == "" {
			text = strings.Repeat(" ", max(cell.Width, 1))
		}
		if isPlain {
			style = styled.Style{Attrs: style.Attrs}
		}
		if n := len(line); n > 0 && line[n-1].Style.Equal(&style) {
			line[n-1].Text += text
		} else {
			line = append(line, styled.Span{Text: text, Style: style})
		}
		if text != " " || !style.IsZero() {
			used = len(line)
		}
		x += max(cell.Width, 1)
	}
	line = line[:used]
	if used > 0 && line[used-1].Style.IsZero() {
		line[used-1].Text = strings.TrimRight(line[used-1].Text, " ")
	}
	return line
}
