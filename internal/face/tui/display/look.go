package display

import (
	"image/color"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/picture"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// Look is how to draw: the abilities of the terminal as far as they are known, and the theme.
type Look struct {
	Theme   theme.Theme
	Request theme.Request // of the theme. [Look.Choose] applies a change.
	// IsUnshaded is set if the user wants no backgrounds of the input and of messages. [Look.Choose] applies a change.
	IsUnshaded bool

	Name        string // of the terminal
	Term        string // TERM
	Multiplexer string // tmux, screen or zellij, "" for none. It never changes.
	Colors      colorprofile.Profile
	IsKitty     bool // the terminal has kitty's keyboard protocol
	IsAskable   bool // it has kitty's protocol for the clipboard
	// IsKnown is set once all replies are there, or are not waited for any more, so that finished lines can be drawn: their colors stay.
	IsKnown bool

	hasReplied   bool // to all that it was asked
	synchronizes bool
	noSync       bool      // POLLUX_NO_SYNC is set
	otherKeys    bool      // the terminal has modifyOtherKeys
	hasSixels    bool      // it shows images as sixels
	isFull       bool      // the screen keeps neither marks nor images
	asked        time.Time // when the terminal was asked

	// PollTime is the time between two questions about the background, 0 for none.
	PollTime      time.Duration
	reportsColors bool      // the terminal reports changes of its colors
	queried       time.Time // when the background was asked for the last time
}

// ReplyWait is how long finished lines wait for the replies of the terminal, which decide on their colors.
const ReplyWait = 250 * time.Millisecond

// NewLook returns the look of a terminal before it has told its abilities, as far as the environment describes it.
func NewLook(t *terminal.Terminal, getenv func(string) string) Look {
	a := t.Abilities(getenv)
	l := Look{Term: a.Term, Name: a.Emulator, Multiplexer: a.Multiplexer, noSync: getenv("POLLUX_NO_SYNC") != ""}
	l.Request = theme.Request{
		HasNoColor: a.Colors == terminal.NoColors, AutoSwitch: true, InTmux: a.Multiplexer == "tmux", ColorFGBG: getenv("COLORFGBG"),
	}
	switch a.Colors {
	case terminal.TrueColors:
		l.Colors = colorprofile.TrueColor
	case terminal.Colors256:
		l.Colors = colorprofile.ANSI256
	case terminal.Colors16:
		l.Colors = colorprofile.ANSI
	default:
		l.Colors = colorprofile.ASCII
	}
	l.Choose()
	return l
}

// Choose chooses the theme again, and returns warnings about it.
func (l *Look) Choose() (warnings []string) {
	l.Theme, warnings = theme.Choose(l.Request)
	if l.IsUnshaded || l.Request.Background == nil || l.Colors < colorprofile.ANSI256 {
		l.Theme.Colors.Input = nil
	}
	if l.IsUnshaded {
		l.Theme.Colors.Message = nil
	}
	if l.IsKnown {
		l.Request.Current = l.Theme.Name
	}
	return warnings
}

// deadline returns the time at which replies are not waited for any more.
func (l *Look) deadline() (time.Time, bool) { return l.asked.Add(ReplyWait), !l.IsKnown }

// expire ends the wait for replies when its time is over.
func (l *Look) expire(now time.Time) {
	if !l.IsKnown && now.Sub(l.asked) >= ReplyWait {
		l.IsKnown = true
	}
}

// isOneOf reports whether the terminal's name begins with one of these, without a multiplexer between.
func (l *Look) isOneOf(names []string) bool {
	name := strings.ToLower(l.Name)
	return l.Multiplexer == "" && slices.ContainsFunc(names, func(known string) bool { return strings.HasPrefix(name, known) })
}

// OpensLinks reports whether the terminal is known to open links of OSC 8. In others the URL stays beside the text.
func (l *Look) OpensLinks() bool { return l.isOneOf(linkOpeners[:]) }

// HasProgress reports whether the terminal is known to show progress. Others show a notification instead.
func (l *Look) HasProgress() bool { return l.isOneOf(progressShowers[:]) }

// progressShowers are the beginnings of the names of terminals that show progress.
var progressShowers = [...]string{"windows terminal", "ghostty", "kitty", "iterm", "wezterm", "konsole", "vte", "conemu", "mintty", "rio"}

// HasMarks reports whether the terminal is known to jump to the marks of prompts, or to ignore them.
func (l *Look) HasMarks() bool {
	return !l.isFull && (l.Multiplexer == "tmux" || l.OpensLinks())
}

// linkOpeners are the beginnings of the names of terminals that open links, as they or the environment tell them.
var linkOpeners = [...]string{"kitty", "iterm", "wezterm", "ghostty", "vscode", "foot", "alacritty", "konsole", "windows terminal", "vte", "gnome", "contour", "rio"}

// MarksPastes reports whether the terminal has bracketed paste, or reports Enter apart from line ends. All current ones are taken for such, but a few
// that have to confirm it.
func (l *Look) MarksPastes() bool {
	switch {
	case l.IsKitty, l.otherKeys && l.hasReplied, l.Multiplexer == "tmux":
		return true
	case l.Term == "", l.Term == "linux", strings.HasPrefix(l.Term, "screen"), strings.HasPrefix(l.Term, "vt"):
		return false
	}
	return true
}

// keepsRows reports whether the terminal leaves its rows as they are when its width changes.
func (l *Look) keepsRows() bool {
	return l.Term == "linux" || strings.HasPrefix(l.Name, "XTerm") || strings.HasPrefix(l.Name, "xterm")
}

// Protocol returns the way in which the terminal takes images. Multiplexers do not keep them in their place.
func (l *Look) Protocol() picture.Protocol {
	switch {
	case l.isFull:
		return picture.None
	case l.isOneOf([]string{"kitty", "ghostty", "warp"}):
		return picture.Kitty
	case l.isOneOf([]string{"iterm", "wezterm", "mintty"}):
		return picture.ITerm
	case l.hasSixels && l.Multiplexer == "":
		return picture.Sixel
	}
	return picture.None
}

// pollDue returns when the background of the terminal is asked for again; false for never: because the user does not want
// that, the terminal reports changes itself, or it has not answered at the start.
func (l *Look) pollDue() (time.Time, bool) {
	return l.queried.Add(l.PollTime), l.PollTime > 0 && l.Request.AutoSwitch && l.Request.Background != nil && !l.reportsColors && !l.queried.IsZero()
}

// Learn takes a reply of the terminal, or a report about its window.
func (d *Display) Learn(e keys.Event) {
	l := &d.Look
	switch e := e.(type) {
	case keys.BackgroundColor:
		l.Request.Background = color.RGBA{R: e.R, G: e.G, B: e.B, A: 255}
		l.queried = time.Now()
		l.Choose()
	case keys.ColorScheme:
		l.Request.Scheme = theme.Light
		if e.IsDark {
			l.Request.Scheme = theme.Dark
		}
		d.Control(terminal.BackgroundQuery)
		l.Choose()
	case keys.KittyFlags:
		if !l.IsKitty {
			l.IsKitty, d.decoder.IsKitty = true, true
			d.Enter(terminal.KittyKeys)
		}
	case keys.ModifyOtherKeys:
		l.otherKeys = true
	case keys.ModeReport:
		d.learnMode(e)
	case keys.Size:
		d.learnSize(e.Width, e.Height, time.Now())
		return
	case keys.TerminalName:
		l.Name = e.Name
	case keys.DeviceAttributes:
		l.IsKnown, l.hasReplied = true, true
		l.hasSixels = slices.Contains(e.Attributes, keys.AttributeSixel)
		if l.otherKeys && !l.IsKitty {
			d.Enter(terminal.OtherKeys)
		}
	}
	d.screen.SetAbilities(l.Colors, l.synchronizes, l.keepsRows())
	d.Change()
}

// learnMode takes a report about a mode that the terminal may have.
func (d *Display) learnMode(e keys.ModeReport) {
	l := &d.Look
	switch e.Mode {
	case keys.ModeSynchronizedOutput:
		l.synchronizes = e.IsSupported && !l.noSync
	case keys.ModeColorScheme:
		if e.IsSupported && !l.reportsColors {
			l.reportsColors = true
			d.Enter(terminal.ColorReports)
		}
	case keys.ModeClipboard:
		l.IsAskable = e.IsSupported
	}
}

// Expire does the work whose time has come: it ends the wait for replies, and asks for the background again.
func (d *Display) Expire(now time.Time) {
	d.Look.expire(now)
	if due, ok := d.Look.pollDue(); ok && !now.Before(due) {
		d.Look.queried = now
		d.Control(terminal.BackgroundQuery)
	}
}
