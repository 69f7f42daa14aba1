//go:build unix

package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// TestDeleteOldLogs checks that old logs are deleted, unless the process or a process of its group runs.
func TestDeleteOldLogs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	gone, running := strconv.Itoa(ended.Process.Pid), strconv.Itoa(os.Getpid())
	now := time.Now()
	const day = 24 * time.Hour
	write := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("output"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	exists := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	}
	write("background-"+gone+".log", 6*day)
	write("background-"+running+".log", 8*day)
	for _, other := range []string{"background-1x.log", "background-" + gone + ".json", "background-0.log", "background--5.log", "notes.log"} {
		write(other, 100*day)
	}
	DeleteOldLogs(dir, now)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 7 {
		t.Errorf("%d files are left: %v", len(entries), err)
	}
	write("background-"+gone+".log", 8*day)
	DeleteOldLogs(dir, now)
	if exists("background-"+gone+".log") || !exists("background-"+running+".log") {
		t.Error("the log of an ended process is left, or that of a running one is gone")
	}
	DeleteOldLogs(filepath.Join(dir, "missing"), now)
}
