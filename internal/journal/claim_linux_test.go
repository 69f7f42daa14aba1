package journal

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// NFS gives a lock only to a file that is open for writing: without one, a session could be deleted while a process writes to it.
func TestClaimForWriting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "session-x.jsonl")
	must(t, os.WriteFile(path, nil, 0o600))
	release, err := Claim(path)
	must(t, err)
	defer release()
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	for _, e := range entries {
		if at, _ := os.Readlink("/proc/self/fd/" + e.Name()); at != path {
			continue
		}
		info, err := os.ReadFile("/proc/self/fdinfo/" + e.Name())
		must(t, err)
		_, rest, _ := strings.Cut(string(info), "flags:")
		flags, err := strconv.ParseUint(strings.Fields(rest)[0], 8, 64)
		must(t, err)
		if flags&uint64(os.O_RDWR) == 0 {
			t.Errorf("the file is open for reading only: flags %o", flags)
		}
		return
	}
	t.Error("the file is not open")
}

// A file that cannot be written to, as on a disk that can only be read, can still be claimed.
func TestClaimReadOnly(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("NOT TESTED: root may write to all files")
	}
	path := filepath.Join(t.TempDir(), "session-x.jsonl")
	must(t, os.WriteFile(path, nil, 0o400))
	release, err := Claim(path)
	must(t, err)
	release()
}
