//go:build linux

package seat

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"
)

// cpuTicks returns the user and system time of a process in ticks, of which a second has 100.
func cpuTicks(pid int) (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	var user, system float64
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	return user + system, err
}

// ticks returns the CPU time of the program.
func (s *seat) ticks() (n float64) {
	s.try(func() (err error) { n, err = cpuTicks(s.program.PID()); return err })
	return n
}

// memory returns a figure of the program's memory in megabytes: VmRSS, RssAnon, VmHWM (the most resident memory so far) ...
func (s *seat) memory(figure string) (megabytes float64) {
	s.try(func() (err error) { megabytes, err = memory(s.program.PID(), figure); return err })
	return megabytes
}

func memory(pid int, figure string) (megabytes float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(status), figure+":")
	if !ok { // a zombie has no memory
		return 0, fmt.Errorf("the kernel does not tell %s of process %d", figure, pid)
	}
	_, err = fmt.Sscan(rest, &megabytes)
	return megabytes / 1024, err
}

// PeakMemory returns the most memory that a process has, in megabytes, when it ends: the resident memory, and the part of it that is
// not of files. The kernel's own figure for an ended process includes that of its parent.
func PeakMemory(pid int) (resident, anonymous float64) {
	for {
		r, err := memory(pid, "VmHWM")
		a, errAnonymous := memory(pid, "RssAnon")
		if err != nil || errAnonymous != nil {
			return resident, anonymous
		}
		resident, anonymous = r, max(anonymous, a)
		time.Sleep(2 * time.Millisecond)
	}
}
