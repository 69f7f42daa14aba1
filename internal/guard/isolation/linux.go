//go:build linux

package isolation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"pollux/internal/process"
)

func probes() []probe {
	return []probe{
		{Landlock, landlock},
		{Seccomp, seccomp},
		{Namespaces, namespaces},
		{Bubblewrap, bubblewrap},
		{Docker, docker},
		{Podman, podman},
		{LXC, present("lxc")},
		{GVisor, present("runsc")},
	}
}

// landlock queries the kernel's version of the interface, which has no side effects.
func landlock(context.Context, *Options) Ability {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	switch errno {
	case 0:
		return Ability{State: Works, Version: strconv.Itoa(int(abi)), Detail: landlockScope(int(abi))}
	case unix.ENOSYS:
		return Ability{State: Missing, Detail: "not supported by this kernel (needs Linux 5.13)"}
	case unix.EOPNOTSUPP:
		return Ability{
			State: Broken, Detail: "not enabled at boot",
			Next: "add landlock to the kernel parameter lsm=",
		}
	}
	return Ability{State: Broken, Detail: "not permitted: " + errno.Error() + " (a container can block it)"}
}

// landlockScope describes what a version can confine.
func landlockScope(abi int) string {
	switch {
	case abi < 3:
		return "for files, except truncation"
	case abi < 4:
		return "for files"
	case abi < 6:
		return "for files and TCP ports"
	}
	return "for files, TCP ports and signals"
}

// seccomp checks whether filters can reject system calls and end processes.
func seccomp(context.Context, *Options) Ability {
	for _, action := range [...]uint32{unix.SECCOMP_RET_ERRNO, unix.SECCOMP_RET_KILL_PROCESS} {
		_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
		switch errno {
		case 0:
		case unix.ENOSYS, unix.EINVAL:
			return Ability{State: Missing, Detail: "not supported by this kernel"}
		default:
			return Ability{State: Broken, Detail: "not permitted: " + errno.Error()}
		}
	}
	return Ability{State: Works}
}

// limits lists kernel settings that prevent users from creating namespaces: the preventing
// value, and what to do about it.
var limits = [...]struct{ file, value, next string }{
	{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sudo sysctl kernel.unprivileged_userns_clone=1"},
	{"/proc/sys/user/max_user_namespaces", "0", "sudo sysctl user.max_user_namespaces=15000"},
	{
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
		"give the program an AppArmor profile that allows userns, or: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0",
	},
}

// namespaces starts a child in a new user namespace that then creates a mount namespace. That
// needs the privileges that AppArmor may withhold.
func namespaces(ctx context.Context, o *Options) Ability {
	nothing := o.Programs.Find("true")
	if nothing == "" {
		return Ability{State: Broken, Detail: `it could not be tried: there is no program "true"`}
	}
	_, err := o.Launcher.Ask(ctx, &process.Command{For: purpose, Path: nothing, Dir: "/", Sys: &syscall.SysProcAttr{
		Cloneflags:   syscall.CLONE_NEWUSER,
		Unshareflags: syscall.CLONE_NEWNS,
		UidMappings:  []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings:  []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}})
	if err == nil {
		return Ability{State: Works}
	}
	a := Ability{State: Broken, Detail: "not permitted by the kernel: " + errnoOf(err)}
	for _, l := range limits {
		if said, err := os.ReadFile(l.file); err == nil && strings.TrimSpace(string(said)) == l.value {
			a.Detail = fmt.Sprintf("%s is %s", l.file, l.value)
			a.Next = l.next
			break
		}
	}
	return a
}

// errnoOf returns the kernel's error without the name of the program.
func errnoOf(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

// bubblewrap is tried with the options of real use. If that fails, it is tried with minimal
// ones.
func bubblewrap(ctx context.Context, o *Options) Ability {
	a := Ability{State: Missing, Detail: "not installed", Next: "install the package bubblewrap"}
	if a.Program = o.Programs.Find("bwrap"); a.Program == "" {
		return a
	}
	nothing := o.Programs.Find("true")
	if nothing == "" {
		return Ability{State: Broken, Program: a.Program, Detail: `it could not be tried: there is no program "true"`}
	}
	said, err := o.ask(ctx, a.Program, "--version")
	if err == nil {
		a.Version = versionIn(said)
		_, err = o.ask(ctx, a.Program,
			"--unshare-all", "--new-session", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", nothing)
	}
	if err == nil {
		a.State, a.Detail, a.Next = Works, "", ""
		return a
	}
	a.State, a.Detail, a.Next = Broken, err.Error(), "needs user namespaces"
	if ctx.Err() != nil {
		a.Next = ""
		return a
	}
	if _, simple := o.ask(ctx, a.Program, "--ro-bind", "/", "/", nothing); simple == nil {
		a.Detail = "works, but without process and device namespaces: " + a.Detail
		a.Next = "inside a container, start the container with more privileges"
	}
	return a
}
