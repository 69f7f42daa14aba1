package terminal

import "golang.org/x/sys/unix"

// lineLimit is the length of the longest line, in bytes without the line end, that the system
// passes on while it edits lines. It discards the rest of a longer one.
const lineLimit = 4095

// LineLimit returns the number of bytes from which a line that was read from In may have been
// cut, without a sign of it: the system edits input lines in a buffer of this size. It returns 0
// if lines are not cut, or if that is not known.
func (t *Terminal) LineLimit() int {
	f, ok := t.In.(interface{ Fd() uintptr })
	if !t.InTTY || !ok {
		return 0
	}
	modes, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	if err != nil || modes.Lflag&unix.ICANON == 0 {
		return 0
	}
	return lineLimit
}

const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
)
