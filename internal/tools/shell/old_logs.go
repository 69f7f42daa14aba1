//go:build unix

package shell

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxLogAge is the time after their last line after which logs are deleted.
const maxLogAge = 7 * 24 * time.Hour

// DeleteOldLogs deletes the logs of background commands in a directory to which nothing was written for a week. It keeps those of
// commands that run, or of which processes run.
func DeleteOldLogs(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		number, isLog := strings.CutSuffix(e.Name(), ".log")
		number, isOwn := strings.CutPrefix(number, notePrefix)
		pid, err := strconv.Atoi(number)
		if !isLog || !isOwn || err != nil || pid < 1 || isUsed(pid) {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > maxLogAge {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next start tries again
		}
	}
}

// isUsed reports whether there is a process or a process group with this number.
func isUsed(pid int) bool {
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || !errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH)
}
