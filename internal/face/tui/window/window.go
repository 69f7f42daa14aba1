// Package window has the sequences with which a program addresses the window of its terminal: the title, notifications,
// the progress in the task bar, the clipboard, marks of prompts, and links.
//
// The functions return bytes to write to the terminal, outside of any other sequence. They clean all texts. The mode
// [terminal.KeepTitle] puts the title of the window aside and restores it.
package window

import (
	"strings"

	"pollux/internal/terminal"
)

// Terminal is the terminal that sequences are for. The zero value is an unknown one.
type Terminal struct {
	Name        string // of the program, such as [terminal.Abilities.Emulator] or its answer to XTVERSION; "" if unknown
	Multiplexer string // tmux, screen or zellij, "" for none
}

const (
	esc = "\x1b"
	st  = esc + `\` // ends strings
	bel = "\a"      // ends OSC sequences, also inside of a string of tmux or screen
)

// Bell is the sequence that rings the bell of a terminal.
const Bell = bel

// osc returns an operating system command.
func osc(text string) string { return esc + "]" + text + bel }

// through returns a sequence in the form in which the multiplexer passes it on to the terminal around it. tmux does so
// only if its option allow-passthrough is on.
func (t Terminal) through(sequence string) string {
	switch t.Multiplexer {
	case "tmux":
		return esc + "Ptmux;" + strings.ReplaceAll(sequence, esc, esc+esc) + st
	case "screen":
		const most = 240 // bytes of a string that every version of screen accepts
		var b strings.Builder
		for sequence != "" {
			part := sequence[:min(len(sequence), most)]
			if n := terminal.PartialRune([]byte(part)); n < len(part) && len(part) < len(sequence) {
				part = part[:len(part)-n]
			}
			b.WriteString(esc + "P" + part + st)
			sequence = sequence[len(part):]
		}
		return b.String()
	}
	return sequence
}

// line returns foreign text on one clean line of at most so many characters.
func line(text string, most int) string {
	text = terminal.Title(terminal.Cut(text, 8*most+64))
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return strings.TrimRight(string(runes[:most-1]), " ") + "…"
}
