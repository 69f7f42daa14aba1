package process

import (
	"bytes"
	"os"
)

// Started returns an identifier that distinguishes the process with a number from all others that
// ever had or will have the number: the start of the system and of the process. It is "" if no such
// process runs, or if the system does not show it.
func Started(pid int) string {
	q, ok := readProcess(pid)
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if !ok || err != nil || q.state == 'Z' {
		return ""
	}
	return string(bytes.TrimSpace(boot)) + " " + q.start
}
