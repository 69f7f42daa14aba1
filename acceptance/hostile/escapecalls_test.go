//go:build linux

package hostile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// marker is in the memory of the process outside, for attempts to read.
var marker = [8]byte{'m', 'a', 'r', 'k'}

func address(p *[8]byte) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }

// number makes a system call and returns its result.
func number(n uintptr, args ...uintptr) (int, error) {
	var a [6]uintptr
	copy(a[:], args)
	r, _, errno := unix.Syscall6(n, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}

// call makes a system call.
func call(n uintptr, args ...uintptr) error {
	_, err := number(n, args...)
	return err
}

// kept keeps texts for system calls from the garbage collector.
var kept []*byte

func text(s string) uintptr {
	b, _ := unix.BytePtrFromString(s) // it has no zero byte
	kept = append(kept, b)
	return uintptr(unsafe.Pointer(b))
}

func outside() int {
	n, _ := strconv.Atoi(os.Getenv("PID")) // the test has set it
	return n
}

func env(name string) string { return os.Getenv(name) }

// out is a file outside of the workspace.
func out(name string) string { return filepath.Join(env("OUT"), name) }

// syscalls returns an attempt that makes a system call.
func syscalls(n uintptr, args ...uintptr) func() error {
	return func() error { return call(n, args...) }
}

// opened tries something with a file that is open for reading.
func opened(name func() string, try func(fd int) error) func() error {
	return func() error {
		fd, err := unix.Open(name(), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return try(fd)
	}
}

func note() string { return out("note") }
func key() string  { return env("KEY") }

// pidfd tries something with a descriptor of the process outside.
func pidfd(try func(fd int) error) func() error {
	return func() error {
		fd, err := unix.PidfdOpen(outside(), 0)
		if err != nil {
			return err
		}
		return try(fd)
	}
}

// nothing is memory for arguments that a call fills or reads.
var nothing [4096]byte

func some() uintptr { return uintptr(unsafe.Pointer(&nothing[0])) }

func iovec() (local []unix.Iovec, remote []unix.RemoteIovec) {
	return []unix.Iovec{{Base: &nothing[0], Len: 4}}, []unix.RemoteIovec{{Base: uintptr(readFacts().Memory), Len: 4}}
}

func exchange(mine, theirs string) error {
	return unix.Renameat2(unix.AT_FDCWD, mine, unix.AT_FDCWD, theirs, unix.RENAME_EXCHANGE)
}

// race exchanges two names a few thousand times while it tries something, and returns nil if done is true.
func race(a, b string, try func(), done func() bool) error {
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for range 3000 {
			_ = exchange(a, b)
		}
	}()
	for {
		try()
		select {
		case <-stop:
			if done() {
				return nil
			}
			return errors.New("it was not reached")
		default:
		}
	}
}

func raceDirs(target string) {
	_ = os.Mkdir("inside", 0o755)
	_ = os.WriteFile("inside/note", nil, 0o644)
	_ = os.Symlink(target, "link")
}

func dialUnix(name string) error {
	c, err := net.Dial("unix", name)
	if err == nil {
		_ = c.Close()
	}
	return err
}

func root() string { return env("ROOT") }

// sendTo sends a message to a local socket, by a socket or by one of a pair.
func sendTo(name string, fds []int, control []byte) error {
	if err := unix.Sendmsg(fds[0], []byte("x"), control, &unix.SockaddrUnix{Name: name}, unix.MSG_DONTWAIT); err != nil {
		return err
	}
	if len(fds) > 1 {
		if n, _, err := unix.Recvfrom(fds[1], make([]byte, 1), unix.MSG_DONTWAIT); err == nil && n == 1 {
			return errors.New("the other socket of the pair has got it")
		}
	}
	return nil
}

func datagrams() []int {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		fmt.Println(err)
	}
	return []int{fd}
}

func pair() []int {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		fmt.Println(err)
	}
	return fds[:]
}

var far = &unix.SockaddrInet4{Port: 9, Addr: [4]byte{192, 0, 2, 1}}

// pending takes a connection that is being made for a success.
func pending(err error) error {
	if errors.Is(err, unix.EINPROGRESS) {
		return nil
	}
	return err
}

// openPTY makes a pseudo-terminal, and returns the path of its other end.
func openPTY() (*os.File, string, error) {
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, "", err
	}
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSPTLCK, 0)
	}
	return f, "/dev/pts/" + strconv.Itoa(n), err
}

// sockets are the kinds of sockets by which messages reach other machines.
var sockets = map[string][3]int{
	"udp": {unix.AF_INET, unix.SOCK_DGRAM, 0}, "udp6": {unix.AF_INET6, unix.SOCK_DGRAM, 0}, "ping": {unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP},
	"raw": {unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_RAW}, "packet": {unix.AF_PACKET, unix.SOCK_RAW, 0}, "sctp": {unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP},
	"mptcp": {unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP}, "vsock": {unix.AF_VSOCK, unix.SOCK_STREAM, 0}, "bluetooth": {unix.AF_BLUETOOTH, unix.SOCK_STREAM, 3},
	"xdp": {unix.AF_XDP, unix.SOCK_RAW, 0}, "can": {unix.AF_CAN, unix.SOCK_RAW, 1}, "rds": {unix.AF_RDS, unix.SOCK_SEQPACKET, 0}, "tipc": {unix.AF_TIPC, unix.SOCK_STREAM, 0},
	"alg": {unix.AF_ALG, unix.SOCK_SEQPACKET, 0},
}

func socket(domain, kind, protocol int) error {
	_, err := unix.Socket(domain, kind, protocol)
	return err
}

// calls are the attempts that need system calls. Init fills it, because an attempt may use the table's program.
var calls map[string]func() error

func init() {
	calls = map[string]func() error{
		// Files.
		"race a link": func() error {
			raceDirs(env("OUT"))
			return race("inside", "link", func() { _ = os.WriteFile("inside/raced", nil, 0o644) }, func() bool { _, err := os.Lstat(out("raced")); return err == nil })
		},
		"race a mode": func() error {
			raceDirs(env("OUT"))
			return race("inside", "link", func() { _ = unix.Chmod("inside/note", 0o707) }, func() bool {
				info, err := os.Stat(note())
				return err == nil && info.Mode().Perm() == 0o707
			})
		},
		"exchange a file": func() error {
			_ = os.WriteFile("mine", nil, 0o644)
			return exchange("mine", note())
		},
		"exchange a directory": func() error {
			_ = os.Mkdir("mine", 0o755)
			return exchange("mine", out("other"))
		},
		"whiteout": func() error {
			return unix.Renameat2(unix.AT_FDCWD, note(), unix.AT_FDCWD, out("other/moved"), unix.RENAME_WHITEOUT)
		},
		"nameless file": func() error {
			fd, err := unix.Open(env("OUT"), unix.O_TMPFILE|unix.O_RDWR, 0o644)
			if err != nil {
				return err
			}
			return unix.Linkat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), unix.AT_FDCWD, out("linked"), unix.AT_SYMLINK_FOLLOW)
		},
		"open by handle": func() error {
			handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, key(), 0)
			if err != nil {
				return err
			}
			dir, err := unix.Open(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
			if err != nil {
				return err
			}
			_, err = unix.OpenByHandleAt(dir, handle, unix.O_RDONLY)
			return err
		},
		"map a key": opened(key, func(fd int) error {
			_, err := unix.Mmap(fd, 0, 1, unix.PROT_READ, unix.MAP_PRIVATE)
			return err
		}),
		"sendfile": opened(key, func(fd int) error {
			var p [2]int
			if err := unix.Pipe(p[:]); err != nil {
				return err
			}
			_, err := unix.Sendfile(p[1], fd, nil, 4)
			return err
		}),
		"openat2": func() error {
			_, err := unix.Openat2(unix.AT_FDCWD, key(), &unix.OpenHow{Flags: unix.O_RDONLY})
			return err
		},
		"O_PATH": func() error {
			fd, err := unix.Open(key(), unix.O_PATH, 0)
			if err != nil {
				return err
			}
			_, err = os.ReadFile("/proc/self/fd/" + strconv.Itoa(fd))
			return err
		},
		"setxattr":    func() error { return unix.Setxattr(note(), "user.x", []byte("x"), 0) },
		"fsetxattr":   opened(note, func(fd int) error { return unix.Fsetxattr(fd, "user.x", []byte("x"), 0) }),
		"removexattr": func() error { return unix.Removexattr(note(), "user.old") },
		"set an access list": func() error {
			list := binary.LittleEndian.AppendUint32(nil, 2)
			for _, e := range [][3]uint32{{1, 6, ^uint32(0)}, {2, 4, 12345}, {4, 0, ^uint32(0)}, {16, 4, ^uint32(0)}, {32, 0, ^uint32(0)}} { // a user may read
				list = binary.LittleEndian.AppendUint16(list, uint16(e[0]))
				list = binary.LittleEndian.AppendUint16(list, uint16(e[1]))
				list = binary.LittleEndian.AppendUint32(list, e[2])
			}
			return unix.Setxattr(key(), "system.posix_acl_access", list, 0)
		},
		"setcap": func() error {
			return unix.Setxattr(out("program"), "security.capability", capability(unix.CAP_SETUID), 0)
		},
		"fchmod":     opened(note, func(fd int) error { return unix.Fchmod(fd, 0o777) }),
		"fchmodat2":  func() error { return call(unix.SYS_FCHMODAT2, cwd(), text(note()), 0o777, 0) },
		"fchownat":   func() error { return unix.Fchownat(unix.AT_FDCWD, note(), os.Getuid(), os.Getgid(), 0) },
		"futimens":   opened(note, func(fd int) error { return unix.Futimes(fd, []unix.Timeval{{Sec: 1}, {Sec: 1}}) }),
		"file flags": opened(note, setFlags),

		// Processes.
		"tgkill": func() error { return unix.Tgkill(outside(), outside(), 0) },
		"rt_sigqueueinfo": func() error {
			return call(unix.SYS_RT_SIGQUEUEINFO, uintptr(outside()), uintptr(unix.SIGURG), queued())
		},
		"rt_tgsigqueueinfo": func() error {
			return call(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(outside()), uintptr(outside()), uintptr(unix.SIGURG), queued())
		},
		"pidfd_send_signal": pidfd(func(fd int) error { return unix.PidfdSendSignal(fd, 0, nil, 0) }),
		"SIGIO":             sigio,
		"ptrace attach":     traced(unix.PtraceAttach),
		"ptrace seize":      traced(unix.PtraceSeize),
		"process_vm_readv": func() error {
			local, remote := iovec()
			_, err := unix.ProcessVMReadv(outside(), local, remote, 0)
			return err
		},
		"process_vm_writev": func() error {
			local, remote := iovec()
			_, err := unix.ProcessVMWritev(outside(), local, remote, 0)
			return err
		},
		"pidfd_getfd": pidfd(func(fd int) error { _, err := unix.PidfdGetfd(fd, 9, 0); return err }),
		"kcmp":        func() error { return call(unix.SYS_KCMP, uintptr(outside()), uintptr(outside()), 1, 0, 0) },
		"process_madvise": pidfd(func(fd int) error {
			_, remote := iovec()
			remote[0].Base &^= 4095
			remote[0].Len = 4096
			return call(unix.SYS_PROCESS_MADVISE, uintptr(fd), uintptr(unsafe.Pointer(&remote[0])), 1, unix.MADV_COLD, 0)
		}),
		"get_robust_list": func() error { return call(unix.SYS_GET_ROBUST_LIST, uintptr(outside()), some(), some()+8) },
		"migrate_pages": func() error {
			nothing[0] = 1
			return call(unix.SYS_MIGRATE_PAGES, uintptr(outside()), 2, some(), some())
		},
		"move_pages": func() error { return call(unix.SYS_MOVE_PAGES, uintptr(outside()), 0, 0, 0, 0, 0) },
		"sched_setattr": func() error {
			return unix.SchedSetAttr(outside(), &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH}, 0)
		},
		"sched_setparam":     func() error { return call(unix.SYS_SCHED_SETPARAM, uintptr(outside()), some()+64) },
		"setpriority of all": func() error { return unix.Setpriority(unix.PRIO_PGRP, must(unix.Getpgid(outside())), 1) },
		"shared memory":      func() error { _, err := unix.SysvShmAttach(readFacts().Shm, 0, unix.SHM_RDONLY); return err },
		"shared memory by its key": func() error {
			id, err := unix.SysvShmGet(outside(), 0, 0)
			if err != nil {
				return err
			}
			_, err = unix.SysvShmAttach(id, 0, 0)
			return err
		},
		"change shared memory": func() error {
			var d unix.SysvShmDesc
			if _, err := unix.SysvShmCtl(readFacts().Shm, unix.IPC_STAT, &d); err != nil {
				return err
			}
			_, err := unix.SysvShmCtl(readFacts().Shm, unix.IPC_SET, &d)
			return err
		},
		"semaphore": func() error { return call(unix.SYS_SEMCTL, uintptr(readFacts().Sem), 0, 16, 1) },
		"message queue": func() error {
			nothing[0] = 1
			return call(unix.SYS_MSGSND, uintptr(readFacts().Queue), some(), 4, unix.IPC_NOWAIT)
		},
		"POSIX message queue":          func() error { return call(unix.SYS_MQ_OPEN, text("pollux-escape-"+env("PID")), unix.O_RDWR, 0, 0) },
		"remove a POSIX message queue": func() error { return call(unix.SYS_MQ_UNLINK, text("pollux-escape-"+env("PID")+"-2")) },
		"TIOCSTI": func() error {
			f, err := os.Open("/dev/tty")
			if err != nil {
				return call(unix.SYS_IOCTL, 0, unix.TIOCSTI, text("x"))
			}
			return call(unix.SYS_IOCTL, f.Fd(), unix.TIOCSTI, text("x"))
		},
		"TIOCLINUX": syscalls(unix.SYS_IOCTL, 0, unix.TIOCLINUX, text("\x02")),

		// Privileges.
		"run a setuid program from memory": func() error {
			fd, err := unix.MemfdCreate("x", 0)
			if err != nil {
				return err
			}
			b, err := os.ReadFile("/bin/bash")
			if err != nil {
				return err
			}
			if _, err := unix.Write(fd, b); err != nil {
				return err
			}
			if err := unix.Fchown(fd, 0, 0); err != nil {
				return err
			}
			if err := unix.Fchmod(fd, 0o4755); err != nil {
				return err
			}
			return unix.Exec("/proc/self/fd/"+strconv.Itoa(fd), []string{"bash", "-p", "-c", `grep NoNewPrivs:.0 /proc/self/status`}, os.Environ())
		},
		"capset": func() error {
			header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
			var data [2]unix.CapUserData
			if err := unix.Capget(&header, &data[0]); err != nil {
				return err
			}
			data[0].Effective |= 1 << unix.CAP_SYS_ADMIN
			data[0].Permitted |= 1 << unix.CAP_SYS_ADMIN
			return unix.Capset(&header, &data[0])
		},
		"PR_SET_NO_NEW_PRIVS off":   func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) },
		"setns":                     pidfd(func(fd int) error { return unix.Setns(fd, unix.CLONE_NEWUTS) }),
		"clone with CLONE_NEWUSER":  cloned,
		"clone3 with CLONE_NEWUSER": cloned3,
		"unshare CLONE_NEWNS":       func() error { runtime.LockOSThread(); return unix.Unshare(unix.CLONE_NEWNS) },
		"open_tree":                 func() error { return call(unix.SYS_OPEN_TREE, 0, text("/"), 1) },
		"open_tree_attr":            func() error { return call(unix.SYS_OPEN_TREE_ATTR, 0, text("/"), 1, 0, 0) },
		"fsopen":                    func() error { return call(unix.SYS_FSOPEN, text("tmpfs"), 0) },
		"fspick":                    func() error { return call(unix.SYS_FSPICK, 0, text("/"), 0) },
		"move_mount":                syscalls(unix.SYS_MOVE_MOUNT, 0, text("x"), 0, text("y"), 0),
		"fsmount":                   syscalls(unix.SYS_FSMOUNT, 0),
		"mount_setattr":             syscalls(unix.SYS_MOUNT_SETATTR, 0, text("/"), 0, 0, 0),
		"pivot_root":                syscalls(unix.SYS_PIVOT_ROOT, text("."), text(".")),
		"umount2":                   syscalls(unix.SYS_UMOUNT2, text("/nothing"), 0),

		// The kernel.
		"io_uring": func() error { return call(unix.SYS_IO_URING_SETUP, 1, some()+128) },
		"add_key": func() error {
			return call(unix.SYS_ADD_KEY, text("user"), text("x"), text("x"), 1, unixKey(unix.KEY_SPEC_THREAD_KEYRING))
		},
		"keyctl": func() error {
			return call(unix.SYS_KEYCTL, unix.KEYCTL_GET_KEYRING_ID, unixKey(unix.KEY_SPEC_USER_KEYRING), 1)
		},
		"request_key":     syscalls(unix.SYS_REQUEST_KEY, text("user"), text("x"), 0, 0),
		"bpf":             func() error { return call(unix.SYS_BPF, 0, bpfMap(), 72) },
		"perf_event_open": func() error { return call(unix.SYS_PERF_EVENT_OPEN, event(), 0, ^uintptr(0), ^uintptr(0), 0) },
		"userfaultfd":     syscalls(unix.SYS_USERFAULTFD, 0),
		"fanotify_init":   syscalls(unix.SYS_FANOTIFY_INIT, 0, 0),
		"kexec_load":      syscalls(unix.SYS_KEXEC_LOAD, 0, 0, 0, 0xffff),
		"finit_module":    syscalls(unix.SYS_FINIT_MODULE, ^uintptr(0), text(""), 0),
		"delete_module":   syscalls(unix.SYS_DELETE_MODULE, text("pollux_none"), 0),
		"reboot":          syscalls(unix.SYS_REBOOT, 0, 0, 0, 0),
		"swapon":          syscalls(unix.SYS_SWAPON, text("/nothing"), 0),
		"swapoff":         syscalls(unix.SYS_SWAPOFF, text("/nothing")),
		"settimeofday":    syscalls(unix.SYS_SETTIMEOFDAY, 1, 0),
		"clock_settime":   syscalls(unix.SYS_CLOCK_SETTIME, unix.CLOCK_REALTIME, 1),
		"adjtimex":        func() error { _, err := unix.Adjtimex(&unix.Timex{Modes: unix.ADJ_STATUS, Status: -1}); return err },
		"sethostname": func() error {
			name, err := os.Hostname()
			if err != nil {
				return err
			}
			return unix.Sethostname([]byte(name))
		},
		"setdomainname": func() error {
			var u unix.Utsname
			if err := unix.Uname(&u); err != nil {
				return err
			}
			return unix.Setdomainname([]byte(unix.ByteSliceToString(u.Domainname[:])))
		},
		"iopl":          func() error { return callOld(172, 3) },
		"ioperm":        func() error { return callOld(173, 0, 1, 1) },
		"quotactl":      syscalls(unix.SYS_QUOTACTL, 0, 0, 0, 0),
		"acct":          syscalls(unix.SYS_ACCT, 0),
		"syslog":        syscalls(unix.SYS_SYSLOG, 3, some(), 16),
		"vhangup":       syscalls(unix.SYS_VHANGUP),
		"create_module": func() error { return callOld(174, text("x"), 4096) },
		"the x32 interface": func() error {
			if runtime.GOARCH != "amd64" {
				return unix.ENOSYS
			}
			return call(0x40000000 + 39)
		},

		// Sockets.
		"connect":                             func() error { return dialUnix(filepath.Join(root(), "run", env("ITEM"))) },
		"connect to the agent":                func() error { return dialUnix(filepath.Join(root(), "tmp/ssh-a/agent")) },
		"connect by a relative path":          func() error { return dialUnix("../../run/bus") },
		"connect by a link":                   func() error { _ = os.Symlink(root()+"/run/bus", "l"); return dialUnix("l") },
		"connect by /proc/self/cwd":           func() error { return dialUnix("/proc/self/cwd/../../run/bus") },
		"connect by /proc/self/root":          func() error { return dialUnix("/proc/self/root" + root() + "/run/bus") },
		"connect by a directory's descriptor": byDescriptor,
		"connect after a rename of its directory": func() error {
			_ = os.Rename(root()+"/tmp/ssh-b", root()+"/tmp/harmless")
			return dialUnix(root() + "/tmp/harmless/agent")
		},
		"connect by a hard link":            func() error { _ = os.Link(root()+"/tmp/ssh-c/agent", "hard"); return dialUnix("hard") },
		"connect while a link is exchanged": raceSocket,
		"connect to an abstract socket":     func() error { return dialUnix(readFacts().Abstract) },
		"connect by packets": func() error {
			c, err := net.Dial("unixpacket", root()+"/run/packets")
			if err == nil {
				_ = c.Close()
			}
			return err
		},
		"send a datagram":                     func() error { return sendTo(root()+"/run/datagrams", datagrams(), nil) },
		"send an abstract datagram":           func() error { return sendTo(readFacts().Abstract+"-datagrams", datagrams(), nil) },
		"send a datagram by a pair":           func() error { return sendTo(root()+"/run/datagrams", pair(), nil) },
		"send an abstract datagram by a pair": func() error { return sendTo(readFacts().Abstract+"-datagrams", pair(), nil) },
		"pass a descriptor by a pair":         func() error { return sendTo(root()+"/run/datagrams", pair(), unix.UnixRights(0)) },
		"vsock":                               func() error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) },
		"dial": func() error {
			to, err := net.ResolveTCPAddr("tcp", env("ITEM"))
			if err != nil {
				return err
			}
			fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
			if err != nil {
				return err
			}
			return pending(unix.Connect(fd, &unix.SockaddrInet6{Port: to.Port, Addr: [16]byte(to.IP.To16())}))
		},
		"socket": func() error { k := sockets[env("ITEM")]; return socket(k[0], k[1], k[2]) },
		"connect by a message (MSG_FASTOPEN)": func() error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
			if err != nil {
				return err
			}
			return pending(unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, far))
		},
		"connect by TCP_FASTOPEN_CONNECT": func() error {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
			if err != nil {
				return err
			}
			if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_FASTOPEN_CONNECT, 1); err != nil {
				return err
			}
			return pending(unix.Connect(fd, far))
		},
	}
}

func must(n int, _ error) int { return n }

func cwd() uintptr { n := unix.AT_FDCWD; return uintptr(n) }

// callOld makes a call that only amd64 has.
func callOld(n uintptr, args ...uintptr) error {
	if runtime.GOARCH != "amd64" {
		return unix.ENOSYS
	}
	return call(n, args...)
}

func unixKey(id int) uintptr { return uintptr(id) }

// setFlags sets the flags of a file that it has.
func setFlags(fd int) error {
	flags, err := unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err
	}
	return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, flags)
}

// queued is a signal's information.
func queued() uintptr {
	binary.NativeEndian.PutUint32(nothing[256:], uint32(unix.SIGURG))
	code := int32(-1) // SI_QUEUE
	binary.NativeEndian.PutUint32(nothing[256+8:], uint32(code))
	return some() + 256
}

// event is the simplest event to count.
func event() uintptr {
	a := (*unix.PerfEventAttr)(unsafe.Pointer(&nothing[1024]))
	a.Type, a.Size, a.Config = unix.PERF_TYPE_SOFTWARE, uint32(unsafe.Sizeof(*a)), unix.PERF_COUNT_SW_CPU_CLOCK
	return uintptr(unsafe.Pointer(a))
}

// bpfMap is a map to create.
func bpfMap() uintptr {
	for i, v := range []uint32{unix.BPF_MAP_TYPE_ARRAY, 4, 4, 1} {
		binary.NativeEndian.PutUint32(nothing[2048+4*i:], v)
	}
	return some() + 2048
}

// traced attaches to the process outside, and lets it go on.
func traced(attach func(int) error) func() error {
	return func() error {
		runtime.LockOSThread()
		if err := attach(outside()); err != nil {
			return err
		}
		var status unix.WaitStatus
		_ = unix.PtraceInterrupt(outside())
		_, _ = unix.Wait4(outside(), &status, unix.WALL, nil)
		return unix.PtraceDetach(outside())
	}
}

// sigio has the kernel signal the process outside when a pipe can be read. That process then makes a file.
func sigio() error {
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETOWN, outside()); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETSIG, int(unix.SIGUSR1)); err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK); err != nil {
		return err
	}
	if _, err := unix.Write(p[1], []byte("x")); err != nil {
		return err
	}
	for range 200 {
		if _, err := os.Stat(root() + "/outside/signaled"); err == nil {
			return nil
		}
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 5e6}, nil)
	}
	return errors.New("the process outside got no signal")
}

// cloned makes a process in a new user namespace.
func cloned() error {
	p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}})
	if err != nil {
		return err
	}
	_, err = p.Wait()
	return err
}

// cloned3 makes a process in a new user namespace that ends at once.
func cloned3() error {
	var a [11]uint64
	a[0], a[4] = unix.CLONE_NEWUSER, uint64(unix.SIGCHLD)
	runtime.LockOSThread()
	pid, _, errno := syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&a)), 88, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	return nil
}

// byDescriptor connects by a path through a directory that is open.
func byDescriptor() error {
	fd, err := unix.Open(root()+"/run", unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	return dialUnix("/proc/self/fd/" + strconv.Itoa(fd) + "/bus")
}

// raceSocket connects to a socket of its own, whose directory is exchanged with a link to one outside.
func raceSocket() error {
	if err := os.Mkdir("mine", 0o755); err != nil {
		return err
	}
	l, err := net.Listen("unix", "mine/bus")
	if err != nil {
		return err
	}
	go func() {
		for {
			if c, err := l.Accept(); err == nil {
				_ = c.Close()
			}
		}
	}()
	_ = os.Symlink(root()+"/run", "link")
	return race("mine", "link", func() { _ = dialUnix("mine/bus") }, func() bool {
		b, _ := os.ReadFile(root() + "/outside/received")
		return strings.Contains(string(b), "/run/bus")
	})
}
