package process

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAwaitsIn checks how the line about a system call is read.
func TestAwaitsIn(t *testing.T) {
	t.Parallel()
	files := map[string]string{"0": "/dev/pts/3", "9": "/dev/tty", "4": "pipe:[7]"}
	line := func(call int, argument string) string {
		return fmt.Sprintf("%d %s 0x7f 0x1000 0x0 0x0 0x0 0x7ffd 0x7f9b\n", call, argument)
	}
	for _, c := range []struct {
		line string
		want Awaiting
	}{
		{line(unix.SYS_READ, "0x0"), AwaitsInput},
		{line(unix.SYS_READ, "0x9"), AwaitsInput},
		{line(unix.SYS_READV, "0x0"), AwaitsInput},
		{line(unix.SYS_READ, "0x4"), AwaitsNothing},
		{line(unix.SYS_READ, "0x5"), AwaitsNothing},
		{line(unix.SYS_READ, "x"), AwaitsUnknown},
		{line(unix.SYS_WAIT4, "0x0"), AwaitsNothing},
		{line(unix.SYS_CLOCK_NANOSLEEP, "0x0"), AwaitsNothing},
		{line(unix.SYS_PPOLL, "0x0"), AwaitsUnknown},
		{"running\n", AwaitsNothing},
		{"-1 0x7ffd 0x7f9b\n", AwaitsUnknown},
		{"", AwaitsUnknown},
	} {
		if got := awaitsIn(c.line, func(fd string) string { return files[fd] }); got != c.want {
			t.Errorf("%q: %v, not %v", c.line, got, c.want)
		}
	}
}
