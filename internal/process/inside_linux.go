package process

import (
	"os"
	"path/filepath"
	"strconv"
)

// Inside returns the processes of the user, without Pollux itself, whose working directory is the
// absolute path dir, which must not contain links, or below it. On systems other than Linux it
// returns none.
func Inside(dir string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		at, err := os.Readlink(filepath.Join("/proc", e.Name(), "cwd")) // fails for other users' processes
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(dir, at); err == nil && filepath.IsLocal(rel) {
			pids = append(pids, pid)
		}
	}
	return pids
}
