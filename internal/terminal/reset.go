package terminal

import (
	"errors"
	"io"
	"os"
	"slices"
)

// ErrNoTerminal is the error of [Terminal.Reset] if the output is not a terminal.
var ErrNoTerminal = errors.New("the output is not a terminal")

// Reset leaves all modes in which a program that was killed may have left the terminal: those that a [Console] enters, and raw mode.
func (t *Terminal) Reset() error {
	if !t.OutTTY || t.out == nil {
		return ErrNoTerminal
	}
	const saveCursor = "\x1b7"   // a terminal that does not show the other screen moves it there when it leaves that screen
	const plainKeys = "\x1b[=0u" // in kitty's protocol, which the other screen has for itself
	sequence := "\x1b\\" + saveCursor + plainKeys
	for _, m := range slices.Backward([]Mode{
		ShownCursor, KeepTitle, BracketedPaste, FocusReports, ColorReports, KittyKeys, OtherKeys, Mouse, BusyProgress, OtherScreen,
	}) {
		sequence += m.Leave
	}
	if in, ok := t.In.(*os.File); ok && t.InTTY {
		resetInput(int(in.Fd()))
	}
	const eraseBelow = "\r\x1b[K\x1b[C\x1b[J\r" // the rows that the program drew
	_, err := io.WriteString(t.out, sequence+eraseBelow)
	return err
}
