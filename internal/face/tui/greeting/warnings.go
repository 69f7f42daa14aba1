package greeting

import (
	"strings"

	"github.com/charmbracelet/colorprofile"
)

// Warning is a warning about a missing ability of the terminal.
type Warning struct {
	ID      string // in the file with counts
	Text    string
	IsMinor bool // shown in [MostMinor] sessions
}

// MostMinor is the number of sessions that show a minor warning.
const MostMinor = 3

// Warnings returns the warnings about a terminal. hasNoColor means that the user wants no colors. term is the value of
// TERM, multiplexer the program between Pollux and the terminal, "" for none.
func Warnings(hasNoColor bool, colors colorprofile.Profile, term, multiplexer string) (list []Warning) {
	isLowInTmux := multiplexer == "tmux" && strings.HasPrefix(term, "screen") && !strings.Contains(term, "256color")
	switch {
	case hasNoColor:
	case isLowInTmux:
		list = append(list, Warning{ID: "pollux-tmux-term", Text: "tmux shows few colors, because TERM is " + term +
			".\nAdd this line to ~/.tmux.conf: set -g default-terminal tmux-256color"})
	case colors < colorprofile.ANSI256:
		list = append(list, Warning{ID: "256-color", Text: "The terminal shows fewer than 256 colors: TERM is " + term +
			".\nIf it can show more, set TERM to xterm-256color."})
	case colors < colorprofile.TrueColor:
		list = append(list, Warning{ID: "true-color", IsMinor: true, Text: "Colors are approximate: the terminal announces 256 of them.\n" +
			"If it can show more, set COLORTERM to truecolor."})
	}
	switch multiplexer {
	case "screen":
		list = append(list, Warning{ID: "pollux-screen", IsMinor: true, Text: "GNU screen passes on no notifications, links or Shift+Enter.\n" +
			"To start a new line, type \\ and press Enter."})
	}
	return list
}
