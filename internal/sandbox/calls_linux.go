//go:build amd64 || arm64

package sandbox

import (
	"golang.org/x/sys/unix"

	"pollux/internal/sandbox/seccomp"
)

// refused are the system calls that no program needs for development, or that get past the other rules, by the error that
// they fail with. Programs have an answer to these errors: older kernels give them, too.
var refused = []struct {
	errno unix.Errno
	calls []uint32
}{
	// Other ways to open files and connections.
	{unix.ENOSYS, []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_OPEN_BY_HANDLE_AT}},
	// Namespaces and mounts. The flags of clone3 cannot be looked at; the C library uses clone without it.
	{unix.ENOSYS, []uint32{unix.SYS_CLONE3}},
	{unix.EPERM, []uint32{
		unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE_ATTR,
	}},
	// Signals by a descriptor, such as that of a directory in /proc: see protect.
	{unix.ENOSYS, []uint32{unix.SYS_PIDFD_SEND_SIGNAL}},
	// Newer ways to change attributes of files, see changes.
	{unix.ENOSYS, []uint32{unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR}},
	// The user's keys in the kernel.
	{unix.ENOSYS, []uint32{unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY}},
	// POSIX message queues, which belong to a user; Landlock refuses to open one.
	{unix.EACCES, []uint32{unix.SYS_MQ_UNLINK}},
	// The machine, and large parts of the kernel that attacks begin with.
	{unix.EPERM, []uint32{
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT, unix.SYS_KEXEC_LOAD,
		unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SWAPON,
		unix.SYS_SWAPOFF, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG,
		unix.SYS_VHANGUP, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	}},
}

// protect returns the rules that keep a program from signalling this process, by its number or that of the thread that starts the program: Landlock
// takes that thread for a part of the program, and a signal to it is one to the whole process.
func protect(process, thread int) (rules []seccomp.Rule) {
	fail := seccomp.Fail(unix.EPERM)
	for _, number := range []uint32{uint32(process), uint32(thread)} {
		for _, call := range []uint32{
			unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO, unix.SYS_PIDFD_OPEN,
		} {
			rules = append(rules, seccomp.Rule{Call: call, Mask: whole, Value: number, Action: fail})
		}
		owned := &seccomp.Argument{Arg: 2, Value: number} // which gets the signals of a file
		rules = append(rules, seccomp.Rule{Call: unix.SYS_FCNTL, Arg: 1, Mask: whole, Value: unix.F_SETOWN, Also: owned, Action: fail})
	}
	// Ways to do the same with a number in memory, which a filter cannot look at.
	return append(
		rules,
		seccomp.Rule{Call: unix.SYS_FCNTL, Arg: 1, Mask: whole, Value: unix.F_SETOWN_EX, Action: fail},
		seccomp.Rule{Call: unix.SYS_IOCTL, Arg: 1, Mask: whole, Value: setSignalled, Action: fail},
		seccomp.Rule{Call: unix.SYS_IOCTL, Arg: 1, Mask: whole, Value: unix.SIOCSPGRP, Action: fail},
	)
}

// setSignalled is FIOSETOWN.
const setSignalled = 0x8901

// firstWithSignals is the version of Landlock that keeps programs from signalling others.
const firstWithSignals = 6

// setExtendedFlags is FS_IOC_FSSETXATTR.
const setExtendedFlags = 0x401c5820

// whole is the mask of all bits.
const whole = 0xffffffff

// filter returns the rules for system calls. version is that of Landlock; a are the tables of the calls that Pollux answers; nil if it answers none.
func filter(version int, a *answers) (rules []seccomp.Rule) {
	for _, r := range refused {
		for _, call := range r.calls {
			rules = append(rules, seccomp.Rule{Call: call, Action: seccomp.Fail(r.errno)})
		}
	}
	deny := func(call uint32, arg int, mask, value uint32, errno unix.Errno) {
		rules = append(rules, seccomp.Rule{Call: call, Arg: arg, Mask: mask, Value: value, Action: seccomp.Fail(errno)})
	}
	for _, call := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
		deny(call, 0, unix.CLONE_NEWUSER, unix.CLONE_NEWUSER, unix.EPERM)
	}
	// Input typed into the terminal, which is that of a person.
	deny(unix.SYS_IOCTL, 1, whole, unix.TIOCSTI, unix.EPERM)
	deny(unix.SYS_IOCTL, 1, whole, unix.TIOCLINUX, unix.EPERM)
	if version < 3 { // Landlock does not know that a file is cut off
		rules = append(rules,
			seccomp.Rule{Call: unix.SYS_TRUNCATE, Action: seccomp.Fail(unix.EPERM)},
			seccomp.Rule{Call: unix.SYS_OPENAT2, Action: seccomp.Fail(unix.ENOSYS)},
		)
		const flags = unix.O_TRUNC | unix.O_ACCMODE
		deny(unix.SYS_OPENAT, 2, flags, unix.O_TRUNC|unix.O_RDONLY, unix.EPERM)
		for _, call := range oldOpen {
			deny(call, 1, flags, unix.O_TRUNC|unix.O_RDONLY, unix.EPERM)
		}
	}
	if version < firstWithSignals {
		for _, group := range []int{-1, -unix.Getpgrp()} { // -1 is all processes of the user
			deny(unix.SYS_KILL, 0, whole, uint32(group), unix.EPERM)
		}
	}
	// The process at the other end of a local socket, which may be Pollux.
	deny(unix.SYS_GETSOCKOPT, 2, whole, unix.SO_PEERPIDFD, unix.ENOPROTOOPT)
	// Flags of a file, which Landlock does not know.
	deny(unix.SYS_IOCTL, 1, whole, unix.FS_IOC_SETFLAGS, unix.EOPNOTSUPP)
	deny(unix.SYS_IOCTL, 1, whole, setExtendedFlags, unix.EOPNOTSUPP)
	if a != nil {
		rules = append(rules, asked(a)...)
	}
	for _, call := range oldCalls {
		rules = append(rules, seccomp.Rule{Call: call, Action: seccomp.Fail(unix.EPERM)})
	}
	return rules
}
