package tuitest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const getTermios = unix.TCGETS

// unread returns the number of bytes of input that wait at a terminal.
func unread(fd int) int {
	n, _ := unix.IoctlGetInt(fd, unix.TIOCINQ)
	return n
}

// isBusy reports whether a thread of a process runs, or waits for a processor or a disk.
func isBusy(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid)) // the pattern is well-formed
	for _, file := range threads {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		// The state follows the name, which can have any character in it.
		if _, state, ok := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" ")); ok && bytes.IndexAny(state[:1], "RD") == 0 {
			return true
		}
	}
	return false
}
