package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// acceptSequences makes a console obey control sequences, until end is called.
func acceptSequences(out *os.File) (end func()) {
	handle := windows.Handle(out.Fd())
	var mode uint32
	if windows.GetConsoleMode(handle, &mode) != nil {
		return func() {}
	}
	_ = windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING|windows.DISABLE_NEWLINE_AUTO_RETURN)
	return func() { _ = windows.SetConsoleMode(handle, mode) }
}
