package tui

import (
	"image/color"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/colorprofile"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// look is how to draw: the abilities of the terminal as far as they are known, and the theme.
type look struct {
	theme        theme.Theme
	request      theme.Request // of the theme
	colors       colorprofile.Profile
	synchronizes bool
	noSync       bool   // POLLUX_NO_SYNC is set
	name         string // of the terminal
	term         string // TERM
	multiplexer  string // tmux, screen or zellij, "" for none

	asked      time.Time // when the terminal was asked
	hasReplied bool      // to all that it was asked
	answered   bool      // all replies are there, or are not waited for any more, so that finished lines can be drawn: their colors stay
	otherKeys  bool      // the terminal has modifyOtherKeys
	isKitty    bool      // it has kitty's keyboard protocol
	hasSixels  bool      // it shows images as sixels
	isAskable  bool      // it has kitty's protocol for the clipboard
	isFull     bool      // the screen keeps neither marks nor images
	isUnshaded bool      // the user wants no backgrounds of the input and of messages

	reportsColors bool          // the terminal reports changes of its colors
	queried       time.Time     // when the background was asked for the last time
	pollTime      time.Duration // between two questions, 0 for none
}

// replyWait is how long finished lines wait for the replies of the terminal, which decide on their colors.
const replyWait = 250 * time.Millisecond

func newLook(o Options) look {
	a := o.Terminal.Abilities(o.Getenv)
	l := look{term: a.Term, name: a.Emulator, multiplexer: a.Multiplexer, noSync: o.Getenv("POLLUX_NO_SYNC") != ""}
	l.request = theme.Request{
		HasNoColor: a.Colors == terminal.NoColors, AutoSwitch: true, InTmux: a.Multiplexer == "tmux", ColorFGBG: o.Getenv("COLORFGBG"),
	}
	switch a.Colors {
	case terminal.TrueColors:
		l.colors = colorprofile.TrueColor
	case terminal.Colors256:
		l.colors = colorprofile.ANSI256
	case terminal.Colors16:
		l.colors = colorprofile.ANSI
	default:
		l.colors = colorprofile.ASCII
	}
	l.choose()
	return l
}

// choose chooses the theme again, and returns warnings about it.
func (l *look) choose() (warnings []string) {
	l.theme, warnings = theme.Choose(l.request)
	if l.isUnshaded || l.request.Background == nil || l.colors < colorprofile.ANSI256 {
		l.theme.Colors.Input = nil
	}
	if l.isUnshaded {
		l.theme.Colors.Message = nil
	}
	if l.answered {
		l.request.Current = l.theme.Name
	}
	return warnings
}

// deadline returns the time at which replies are not waited for any more.
func (l *look) deadline() (time.Time, bool) { return l.asked.Add(replyWait), !l.answered }

// expire ends the wait for replies when its time is over.
func (l *look) expire(now time.Time) {
	if !l.answered && now.Sub(l.asked) >= replyWait {
		l.answered = true
	}
}

// isOneOf reports whether the terminal's name begins with one of these, without a multiplexer between.
func (l *look) isOneOf(names []string) bool {
	name := strings.ToLower(l.name)
	return l.multiplexer == "" && slices.ContainsFunc(names, func(known string) bool { return strings.HasPrefix(name, known) })
}

// opensLinks reports whether the terminal is known to open links of OSC 8. In others the URL stays beside the text.
func (l *look) opensLinks() bool { return l.isOneOf(linkOpeners[:]) }

// hasProgress reports whether the terminal is known to show progress. Others show a notification instead.
func (l *look) hasProgress() bool { return l.isOneOf(progressShowers[:]) }

// progressShowers are the beginnings of the names of terminals that show progress.
var progressShowers = [...]string{"windows terminal", "ghostty", "kitty", "iterm", "wezterm", "konsole", "vte", "conemu", "mintty", "rio"}

// hasMarks reports whether the terminal is known to jump to the marks of prompts, or to ignore them.
func (l *look) hasMarks() bool {
	return !l.isFull && (l.multiplexer == "tmux" || l.opensLinks())
}

// linkOpeners are the beginnings of the names of terminals that open links, as they or the environment tell them.
var linkOpeners = [...]string{"kitty", "iterm", "wezterm", "ghostty", "vscode", "foot", "alacritty", "konsole", "windows terminal", "vte", "gnome", "contour", "rio"}

// marksPastes reports whether the terminal is taken for one with bracketed paste. All current ones have it but these.
func (l *look) marksPastes() bool {
	switch {
	case l.multiplexer == "tmux":
		return true
	case l.term == "", l.term == "linux", strings.HasPrefix(l.term, "screen"), strings.HasPrefix(l.term, "vt"):
		return false
	}
	return true
}

// keepsRows reports whether the terminal leaves its rows as they are when its width changes.
func (l *look) keepsRows() bool {
	return l.term == "linux" || strings.HasPrefix(l.name, "XTerm") || strings.HasPrefix(l.name, "xterm")
}

// learn takes a reply of the terminal, or a report about its window.
func (l *loop) learn(e keys.Event) {
	k := &l.look
	switch e := e.(type) {
	case keys.BackgroundColor:
		k.request.Background = color.RGBA{R: e.R, G: e.G, B: e.B, A: 255}
		k.queried = time.Now()
		k.choose()
	case keys.ColorScheme:
		k.request.Scheme = theme.Light
		if e.IsDark {
			k.request.Scheme = theme.Dark
		}
		l.pace.control(terminal.BackgroundQuery)
		k.choose()
	case keys.KittyFlags:
		if !k.isKitty {
			k.isKitty, l.decoder.IsKitty = true, true
			l.reportsKeys.Store(true)
			l.composer.Guard.IsPasteMarked = true
			l.enter(terminal.KittyKeys)
		}
	case keys.ModifyOtherKeys:
		k.otherKeys = true
	case keys.ModeReport:
		switch e.Mode {
		case keys.ModeSynchronizedOutput:
			k.synchronizes = e.IsSupported && !k.noSync
		case keys.ModeColorScheme:
			if e.IsSupported && !k.reportsColors {
				k.reportsColors = true
				l.enter(terminal.ColorReports)
			}
		case keys.ModeClipboard:
			k.isAskable = e.IsSupported
		}
	case keys.Size:
		l.learnSize(e.Width, e.Height, time.Now())
		return
	case keys.ClipboardData:
		l.takeClipboard(e)
	case keys.TerminalName:
		k.name = e.Name
	case keys.DeviceAttributes:
		k.answered, k.hasReplied = true, true
		k.hasSixels = slices.Contains(e.Attributes, keys.AttributeSixel)
		if k.otherKeys && !k.isKitty {
			l.enter(terminal.OtherKeys)
			l.composer.Guard.IsPasteMarked = true
		}
	case keys.Focus:
		l.notices.SetFocus(e.IsFocused)
		l.composer.IsAway = !e.IsFocused
	}
	l.screen.SetAbilities(k.colors, k.synchronizes, k.keepsRows())
	l.pace.change()
}

// isGreek reports whether the user writes Greek.
func isGreek(getenv func(string) string) bool {
	for _, name := range [...]string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := getenv(name); value != "" {
			return strings.HasPrefix(value, "el")
		}
	}
	return false
}
