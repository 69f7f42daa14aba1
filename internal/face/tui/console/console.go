// Package console shows the pseudo-terminals of running commands, and gives one of them the keyboard.
//
// A [Console] has a [Screen] for each command: an emulator takes the output of the command, so that nothing of it reaches
// the real terminal but cells. The parts are called from the goroutines of commands and from the loop of the face; the
// channel of [Console.Changed] wakes the loop, however much a command prints.
package console

import (
	"slices"
	"sync"
	"time"

	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/process"
	"pollux/internal/tools/shell"
)

// Console has the screens of running commands. It implements [shell.Console].
type Console struct {
	changed chan struct{}

	mu          sync.Mutex
	size        process.TerminalSize
	list        []*Screen  // the newest last
	finished    []finished // the latest last
	focused     *Screen    // has the keyboard, nil for none
	isChosen    bool       // the person has given it the keyboard by its process
	wasUsed     bool       // the person has typed into a command
	hidesColors bool
	tabbed      tab
}

// tab is a Tab that was passed to a command, which may have no use for it.
type tab struct {
	at     time.Time // zero for none
	screen *Screen
	output int64 // bytes before it
}

// tabWait is how long a command has to react to a Tab before it loses the keyboard.
const tabWait = 150 * time.Millisecond

// New returns a console without commands.
func New() *Console {
	return &Console{changed: make(chan struct{}, 1), size: process.TerminalSize{Columns: 80, Rows: 24}}
}

// Open implements [shell.Console].
func (c *Console) Open(command string) shell.Screen {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := newScreen(c, command, c.size)
	c.list = append(c.list, s)
	return s
}

// Changed has a value when a screen has changed since the last one was taken.
func (c *Console) Changed() <-chan struct{} { return c.changed }

func (c *Console) change() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// SetColors shows the colors of commands, or leaves them out.
func (c *Console) SetColors(isOn bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hidesColors = !isOn
}

// Resize sets the size of all terminals. The area in which a screen is drawn has the same size.
func (c *Console) Resize(columns, rows int) {
	size := process.TerminalSize{Columns: max(columns, 1), Rows: max(rows, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if size == c.size {
		return
	}
	c.size = size
	for _, s := range c.list {
		s.resize(size)
	}
}

// remove takes a screen out that was closed, with these last rows.
func (c *Console) remove(s *Screen, rows []styled.Line) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := s.input.running(); p != nil {
		c.keep(finished{p.PID(), rows})
	}
	c.list = slices.DeleteFunc(c.list, func(other *Screen) bool { return other == s })
	if c.focused == s {
		c.focused = nil
	}
	c.change()
}

// hide takes the keyboard from a command that goes to the background, unless the person has chosen it among the background commands, where it
// is listed from its start.
func (c *Console) hide(s *Screen) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.focused == s && !c.isChosen {
		c.focused = nil
	}
	c.change()
}

// newest returns the screen of the command in the foreground that has started last, nil for none.
func (c *Console) newest() *Screen {
	for _, s := range slices.Backward(c.list) {
		if s.isInFront() {
			return s
		}
	}
	return nil
}

// HasFocus reports whether a command has the keyboard.
func (c *Console) HasFocus() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.focused != nil
}

// Focus gives the keyboard to the command that has started last. It returns false if there is none.
func (c *Console) Focus() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.focused = c.newest(); c.focused == nil {
		return false
	}
	c.isChosen, c.wasUsed, c.tabbed = false, true, tab{}
	return true
}

// FocusOn gives the keyboard to the command with this process. It returns false if it has no screen.
func (c *Console) FocusOn(pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.screenOf(pid)
	if s == nil || !s.isRunning() {
		return false
	}
	c.focused, c.isChosen, c.tabbed = s, true, tab{}
	return true
}

// screenOf returns the screen of a process, nil for none. The caller holds c.mu.
func (c *Console) screenOf(pid int) *Screen {
	if i := slices.IndexFunc(c.list, func(s *Screen) bool { return s.hasPID(pid) }); i >= 0 {
		return c.list[i]
	}
	return nil
}

// Unfocus takes the keyboard back. It reports whether the command that had it runs in the background.
func (c *Console) Unfocus() (isHidden bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.focused
	c.focused = nil
	return s != nil && !s.isInFront()
}

// IsEmpty reports whether no command has a screen.
func (c *Console) IsEmpty() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.list) == 0
}

// Type gives a key or a paste to the command that has the keyboard. It returns an error if the command does not read.
func (c *Console) Type(e keys.Event) error {
	c.mu.Lock()
	s := c.focused
	if k, ok := e.(keys.Key); ok && s != nil {
		c.tabbed = tab{}
		if k.Chord == (keys.Chord{Code: keys.Tab}) {
			c.tabbed = tab{time.Now(), s, s.written()}
		}
	}
	c.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.press(e)
}

// Tabbed returns the outcome of a Tab that a command has got, once it is known: the command loses the keyboard if it has
// not printed anything.
func (c *Console) Tabbed(now time.Time) (isUsed, isKnown bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tabbed
	if t.at.IsZero() || now.Sub(t.at) < tabWait {
		return false, false
	}
	c.tabbed = tab{}
	if isUsed = t.screen.written() > t.output; !isUsed && c.focused == t.screen {
		c.focused = nil
	}
	return isUsed, true
}

// View returns the head and the screen of the command that has the keyboard, in at most height rows, with the position of
// its cursor. It returns false if none has it.
func (c *Console) View(height int, head func(command string, began time.Time) styled.Line) (lines []styled.Line, cursor inline.Position, hasCursor, ok bool) {
	c.mu.Lock()
	s, isPlain := c.focused, c.hidesColors
	c.mu.Unlock()
	if s == nil {
		return nil, cursor, false, false
	}
	lines, cursor, hasCursor = s.rows(height-1, isPlain)
	lines = append([]styled.Line{head(s.command, s.began)}, lines...)
	cursor.Row++
	return lines, cursor, hasCursor, true
}

// Tail returns the last rows of the command with this process, at most so many, false if it has no screen.
func (c *Console) Tail(pid, most int) ([]styled.Line, bool) {
	c.mu.Lock()
	s, isPlain := c.screenOf(pid), c.hidesColors
	c.mu.Unlock()
	if s == nil {
		return nil, false
	}
	lines, _, _ := s.rows(most, isPlain)
	return lines, true
}
