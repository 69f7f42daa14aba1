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
	const saveCursor = "\x1b7" // a terminal that does not show the other screen moves it there when it leaves that screen
	sequence := "\x1b\\" + saveCursor
	for _, m := range slices.Backward([]Mode{
		ShownCursor, OtherScreen, KeepTitle, BracketedPaste, FocusReports, ColorReports, KittyKeys, OtherKeys, Mouse, BusyProgress,
	}) {
		sequence += m.Leave
	}
	if in, ok := t.In.(*os.File); ok && t.InTTY {
		resetInput(int(in.Fd()))
	}
	_, err := io.WriteString(t.out, sequence+"\r")
	return err
}
