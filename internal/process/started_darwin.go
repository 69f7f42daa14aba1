package process

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Started returns an identifier that distinguishes the process with a number from all others that
// ever had or will have the number: the time of its start. It is "" if no such process runs.
func Started(pid int) string {
	const zombie = 5 // SZOMB of <sys/proc.h>
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid || info.Proc.P_stat == zombie {
		return ""
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)
}
