package durable

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// obeyModes makes the modes of files count for the rest of the test, as for users other than root: its thread, which ends with it,
// gives up the capabilities that override them.
func obeyModes(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		t.Fatal(err)
	}
	data[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	if err := unix.Capset(&header, &data[0]); err != nil {
		t.Fatal(err)
	}
}
