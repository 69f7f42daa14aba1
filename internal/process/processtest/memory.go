package processtest

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
)

// PeakMemory returns the most memory that a running process has had, in KiB, or 0 on other systems than Linux. The kernel's figure of a
// process that has ended is none: it includes the memory of the process that started it.
func PeakMemory(t testing.TB, pid int) (kib int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Error(err)
		return 0
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(peak, &kib); err != nil {
		t.Errorf("the kernel does not tell the memory of process %d: %v", pid, err)
	}
	return kib
}
