//go:build amd64 || arm64

package seccomp

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// tracing is the restrictions on looking into other processes of the same user.
type tracing struct {
	scope     string // of Yama: see Documentation/admin-guide/LSM/Yama.rst in Linux; "" without Yama
	isDenied  bool   // by SELinux
	isCapable bool   // this process has CAP_SYS_PTRACE
}

// tracingOf reads the restrictions from the files of the kernel below root.
func tracingOf(root string) tracing {
	scope, _ := os.ReadFile(filepath.Join(root, "proc/sys/kernel/yama/ptrace_scope"))
	denied, _ := os.ReadFile(filepath.Join(root, "sys/fs/selinux/booleans/deny_ptrace")) // the value, and the one that waits
	return tracing{strings.TrimSpace(string(scope)), strings.HasPrefix(string(denied), "1"), hasTracing()}
}

// hasTracing reports whether this process has CAP_SYS_PTRACE.
func hasTracing() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&header, &data[0]) == nil && data[0].Effective&(1<<unix.CAP_SYS_PTRACE) != 0
}

// check returns why no program of this process can be looked into.
func (t tracing) check() error {
	switch {
	case t.isDenied:
		return errors.New("the SELinux boolean deny_ptrace is on")
	case t.scope == "3", t.scope == "2" && !t.isCapable:
		return errors.New("kernel.yama.ptrace_scope is " + t.scope)
	}
	return nil
}

// isForDescendants reports whether this process can look into its descendants only: not into daemons, of which another process
// becomes the parent.
func (t tracing) isForDescendants() bool { return t.scope == "1" && !t.isCapable }

// NeedsDescendants reports whether this process can answer system calls of its descendants only. A program whose parent has ended
// is one if this process adopts it.
func NeedsDescendants() bool { return tracingOf("/").isForDescendants() }
