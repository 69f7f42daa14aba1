//go:build unix

package terminal

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// markName returns the name of the mark of a terminal: its device, and the session of processes that it belongs to, because the next terminal
// can get the same device. It returns "" for none.
func markName(tty *os.File) string {
	var stat unix.Stat_t
	session, err := unix.Getsid(0)
	if err != nil || unix.Fstat(int(tty.Fd()), &stat) != nil {
		return ""
	}
	return fmt.Sprintf("%x-%d", stat.Rdev, session)
}
