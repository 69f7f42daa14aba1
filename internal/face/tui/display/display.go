// Package display is the terminal of a session: its modes and abilities, its size, its input and the frames on it.
//
// A [Display] draws on one of three screens: in the main screen below the finished lines (package inline), on a screen of its own that
// scrolls in Pollux (package full), or for a while on the other screen, which [Display.OpenOther] opens. It decides when a frame may be drawn: not
// while the terminal takes the last one, not more often than people see, not while its size changes, and not while another program has the terminal.
//
// All methods belong to one goroutine, which also receives from [Display.Chunks] and [Display.Written].
package display

import (
	"slices"
	"time"

	"github.com/charmbracelet/colorprofile"

	"pollux/internal/face/tui/full"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// Options configures a [Display].
type Options struct {
	Terminal *terminal.Terminal
	// Getenv returns variables of the environment, which describe the terminal.
	Getenv func(name string) string
	// FullScreen draws on a screen of its own instead of in the main screen.
	FullScreen bool
	// GOOS is the operating system, as in [runtime.GOOS].
	GOOS string
}

// Display is a terminal in use. [Display.Open] begins that.
type Display struct {
	Look Look

	options Options
	console *terminal.Console
	reader  *reader
	decoder keys.Decoder
	modes   []terminal.Mode // in use, in the order in which they were entered
	output  *inline.Output
	screen  surface
	full    *full.Screen // the screen, if it is a full one; else nil
	other   *other       // the other screen, nil while it is closed
	pace    pace
	sizing  sizing
	holder  holder
}

// New returns a display that is not open.
func New(o Options) *Display {
	return &Display{
		options: o, Look: NewLook(o.Terminal, o.Getenv),
		decoder: keys.Decoder{IsMac: o.GOOS == "darwin", IsGreek: isGreek(o.Getenv)},
	}
}

// Open takes the terminal, and asks it about its abilities: the replies come with the keys.
func (d *Display) Open() error {
	console, err := openConsole(d.options.Terminal)
	if err != nil {
		return err
	}
	d.console = console
	width, height := console.Size()
	d.screen = d.mainScreen()
	if d.options.FullScreen {
		d.full = full.New(full.Options{Width: width, Height: height, Colors: d.Look.Colors, Theme: func() theme.Theme { return d.Look.Theme }})
		d.screen, d.Look.isFull = d.full, true
	}
	d.output = inline.NewOutput(console)
	d.reader = newReader(d.options.Terminal)
	for _, m := range [...]terminal.Mode{terminal.ShownCursor, terminal.KeepTitle, terminal.BracketedPaste, terminal.FocusReports} {
		d.Enter(m)
	}
	if d.full != nil {
		d.Enter(terminal.OtherScreen)
		d.Enter(terminal.Mouse)
	}
	d.Control(terminal.Queries)
	if d.Look.Multiplexer == "tmux" {
		d.Control(terminal.SizeQuery)
	}
	d.Look.asked = time.Now()
	return nil
}

// openConsole takes the terminal. Only frames of package inline and modes are written to it.
func openConsole(t *terminal.Terminal) (*terminal.Console, error) { return t.OpenConsole() }

// mainScreen returns the main screen of the terminal, with nothing on it.
func (d *Display) mainScreen() *inline.Screen {
	width, height := d.console.Size()
	return inline.New(inline.Options{Width: width, Height: height, Colors: d.Look.Colors})
}

// Print prints lines below the cursor of a terminal that no display has open.
func Print(t *terminal.Terminal, colors colorprofile.Profile, lines []styled.Line) error {
	console, err := openConsole(t)
	if err != nil {
		return err
	}
	defer console.Close()
	width, height := console.Size()
	screen := inline.New(inline.Options{Width: width, Height: height, Colors: colors})
	screen.Print(lines...)
	_, err = console.Write(screen.Erase())
	return err
}

// surface is the screen on which the parts are drawn.
type surface interface {
	Width() int
	Height() int
	Resize(width, height int)
	SetAbilities(colors colorprofile.Profile, synchronizes, keepsRows bool)
	Print(lines ...styled.Line)
	Frame(f inline.Frame) []byte
	IsRewrapped() bool
	IsInDoubt() bool
	Shown(width int)
	Clear()
	Erase() []byte
	Below() string
}

// Width returns the number of columns.
func (d *Display) Width() int { return d.screen.Width() }

// Height returns the number of rows.
func (d *Display) Height() int { return d.screen.Height() }

// CellSize returns the size of a cell in pixels, 0 if it is unknown.
func (d *Display) CellSize() (width, height int) { return d.console.CellSize() }

// Full returns the screen that scrolls in Pollux, nil without one.
func (d *Display) Full() *full.Screen { return d.full }

// Enter enters a mode of the terminal with the next frame.
func (d *Display) Enter(m terminal.Mode) {
	d.modes = append(d.modes, m)
	d.Control(d.console.Begin(m))
}

// Leave leaves a mode of the terminal with the next frame, the last time that it was entered.
func (d *Display) Leave(m terminal.Mode) {
	for i := len(d.modes) - 1; i >= 0; i-- {
		if d.modes[i] == m {
			d.modes = slices.Delete(d.modes, i, i+1)
			break
		}
	}
	d.Control(d.console.End(m))
}

// IsIn reports whether the terminal is in a mode.
func (d *Display) IsIn(m terminal.Mode) bool { return slices.Contains(d.modes, m) }

// Deadline returns the time at which something is to happen without an event, false for never.
func (d *Display) Deadline() (first time.Time, ok bool) {
	sooner := func(t time.Time, isDue bool) {
		if isDue && (!ok || t.Before(first)) {
			first, ok = t, true
		}
	}
	sooner(d.decoder.Deadline())
	if !d.IsLent() {
		sooner(d.pace.next(d.output.IsBusy()))
		sooner(d.Look.deadline())
		sooner(d.Look.pollDue())
	}
	return first, ok
}
