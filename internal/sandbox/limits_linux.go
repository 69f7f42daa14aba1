//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// sacrifice is the oom_score_adj of confined programs: where memory runs out, the kernel ends them before the user's other programs, such as Pollux.
const sacrifice = 500

// limit keeps a program that has started from taking the machine down, and all that it starts from now on: shells wait for it, see
// [process.Command.Gate]. Nothing is an error: a program that has ended needs no limits.
func (r *rules) limit(pid int) {
	if n, ok := readNumber("/proc/self/oom_score_adj"); ok && n < sacrifice {
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid), []byte(strconv.Itoa(sacrifice)), 0)
	}
	if r.profile.Memory > 0 {
		lower(pid, unix.RLIMIT_DATA, uint64(r.profile.Memory))
	}
	if r.profile.Processes <= 0 {
		return
	}
	// The kernel counts the processes of the user, who has no more than the machine has now.
	load, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(load))
	if err != nil || len(fields) < 4 {
		return
	}
	_, total, _ := strings.Cut(fields[3], "/")
	if now, err := strconv.Atoi(total); err == nil {
		lower(pid, unix.RLIMIT_NPROC, uint64(now+r.profile.Processes))
	}
}

// lower lowers a limit of a program to at most n.
func lower(pid, resource int, n uint64) {
	var limit unix.Rlimit
	if unix.Prlimit(pid, resource, nil, &limit) == nil {
		limit.Cur, limit.Max = min(limit.Cur, n), min(limit.Max, n)
		_ = unix.Prlimit(pid, resource, &limit, nil)
	}
}

func readNumber(file string) (int, bool) {
	b, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	return n, err == nil
}
