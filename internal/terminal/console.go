package terminal

import (
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"pollux/internal/crash"
)

// ErrNoConsole is the error of [Terminal.OpenConsole] if input or output is not a terminal.
var ErrNoConsole = errors.New("input and output are not a terminal")

// Console is a terminal in raw mode: it passes on each key at once and shows nothing by itself, and the bytes that are
// written to it reach it unchanged. [Terminal.Restore] closes it, whatever ends the process.
type Console struct {
	in, out *os.File
	close   func() // once

	mu      sync.Mutex
	modes   []Mode // in the order in which they were entered
	parting string // see SetParting
}

// Mode is a mode of a terminal, by the control sequences that enter and leave it.
type Mode struct{ Enter, Leave string }

// Modes of terminals. A terminal ignores those that it does not know.
var (
	// BracketedPaste marks the beginning and the end of pasted text.
	BracketedPaste = Mode{"\x1b[?2004h", "\x1b[?2004l"}
	// FocusReports reports when the window gets and loses the focus.
	FocusReports = Mode{"\x1b[?1004h", "\x1b[?1004l"}
	// KittyKeys reports keys without ambiguity, in the protocol of kitty.
	KittyKeys = Mode{"\x1b[>1u", "\x1b[<u"}
	// OtherKeys reports modified keys as xterm does: modifyOtherKeys.
	OtherKeys = Mode{"\x1b[>4;2m", "\x1b[>4;0m"}
	// Mouse reports clicks, drags and the wheel, in the SGR encoding.
	Mouse = Mode{"\x1b[?1000h\x1b[?1002h\x1b[?1006h", "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l"}
	// ColorReports reports changes between a dark and a light color scheme.
	ColorReports = Mode{"\x1b[?2031h", "\x1b[?2031l"}
	// OtherScreen is the screen without scrollback that full-screen programs use.
	OtherScreen = Mode{"\x1b[?1049h", "\x1b[?1049l"}
	// KeepTitle puts the title of the window aside. A terminal that cannot gets an empty one.
	KeepTitle = Mode{"\x1b[22;0t", "\x1b]0;\x07\x1b[23;0t"}
	// BusyProgress shows in the task bar or the tab that work is in progress.
	BusyProgress = Mode{"\x1b]9;4;3\x07", "\x1b]9;4;0\x07"}
	// ShownCursor shows the cursor and ends styles and a frame in progress when it is left.
	ShownCursor = Mode{"", "\x1b[?2026l\x1b[m\x1b[?7h\x1b[?25h"}
)

// Queries are the questions to a terminal about its abilities: the kitty key protocol, modifyOtherKeys, synchronized frames,
// kitty's protocol for the clipboard, the color of the background, its name, and last its class, which every terminal answers.
const Queries = "\x1b[?u\x1b[?4m\x1b[?2026$p\x1b[?5522$p\x1b[?2031$p" + BackgroundQuery + "\x1b[>q\x1b[c"

// BackgroundQuery asks a terminal for its background color.
const BackgroundQuery = "\x1b]11;?\x1b\\"

// SizeQuery asks a terminal for its size in cells.
const SizeQuery = "\x1b[18t"

// ClearOther clears the screen of [OtherScreen], and puts the cursor into its first row.
const ClearOther = "\x1b[H\x1b[2J"

// ShowCursor shows the cursor.
const ShowCursor = "\x1b[?25h"

// closeWait is how long a terminal that takes no output holds up [Console.Close].
const closeWait = 500 * time.Millisecond

// OpenConsole puts the terminal into raw mode, until Close.
func (t *Terminal) OpenConsole() (*Console, error) {
	in, ok := t.In.(*os.File)
	if !ok || !t.InTTY || !t.OutTTY || t.out == nil {
		return nil, ErrNoConsole
	}
	_, _ = t.Out.SetStatus(""), t.Err.SetStatus("") // no status is worth an error
	c := &Console{in: in, out: t.out}
	var undo func()
	var err error
	t.changes.do(func() { undo, err = makeRaw(in, t.out) })
	if err != nil {
		return nil, err
	}
	unmark := t.mark()
	c.close = t.changes.add(func() {
		c.leaveAll()
		undo()
		unmark()
	})
	return c, nil
}

// makeRaw puts a terminal into raw mode, and returns the function that undoes this.
func makeRaw(in, out *os.File) (undo func(), err error) {
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return nil, err
	}
	endSequences := acceptSequences(out)
	return func() {
		endSequences()
		_ = term.Restore(int(in.Fd()), state) // an error cannot be handled
	}, nil
}

// Close leaves the modes that were entered, the last one first, and raw mode. A terminal that takes no output holds it up
// for half a second at most.
func (c *Console) Close() { c.close() }

// Write implements [io.Writer]. It changes nothing.
func (c *Console) Write(p []byte) (int, error) { return c.out.Write(p) }

// Size returns the number of columns and rows, 80 and 24 if they are unknown.
func (c *Console) Size() (width, height int) {
	width, height, err := term.GetSize(int(c.out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// Enter enters a mode, which Close leaves.
func (c *Console) Enter(m Mode) error {
	_, err := io.WriteString(c.out, c.Begin(m))
	return err
}

// Begin returns the sequence that enters a mode, which Close leaves. The caller writes it.
func (c *Console) Begin(m Mode) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.modes = append(c.modes, m) // before the terminal is in the mode: the process may end at any time
	return m.Enter
}

// Exit leaves a mode that was entered.
func (c *Console) Exit(m Mode) error {
	_, err := io.WriteString(c.out, c.End(m))
	return err
}

// End returns the sequence that leaves a mode, the last time that it was entered. The caller writes it.
func (c *Console) End(m Mode) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.modes) - 1; i >= 0; i-- {
		if c.modes[i] == m {
			c.modes = slices.Delete(c.modes, i, i+1)
			break
		}
	}
	return m.Leave
}

// SetParting sets a sequence that leads from the screen as it is to where other output belongs. Close writes it when all modes are
// left: a process may end while it draws.
func (c *Console) SetParting(sequence string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parting = sequence
}

// leaveAll leaves all modes.
func (c *Console) leaveAll() {
	c.mu.Lock()
	var b []byte
	for i := len(c.modes) - 1; i >= 0; i-- {
		b = append(b, c.modes[i].Leave...)
	}
	b = append(b, c.parting...)
	c.modes, c.parting = nil, ""
	c.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer crash.Recover()
		_, _ = c.out.Write(b) // an error cannot be handled
	}()
	select {
	case <-done:
	case <-time.After(closeWait):
	}
}
