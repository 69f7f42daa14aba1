//go:build amd64 || arm64

package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/sandbox"
)

// The test program is also the program that tries to escape.
func TestMain(m *testing.M) {
	if name := os.Getenv("ESCAPE"); name != "" {
		if err := escapes[name].try(os.Getenv("TARGET")); err != nil {
			fmt.Println("denied:", err)
			os.Exit(0)
		}
		fmt.Println("escaped")
		os.Exit(3)
	}
	code := m.Run()
	if id, err := unix.SysvShmGet(os.Getpid(), 0, 0); err == nil {
		_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	}
	os.Exit(code)
}

// escape is an attempt that must fail. target is the directory beside the workspace, which has a file "note" that can be read
// and not changed, and a directory "hidden" with a file "key".
type escape struct {
	try func(target string) error
	// works says that the attempt succeeds without a sandbox, which the test checks.
	works bool
}

// call makes a system call and returns its error.
func call(number uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func text(s string) uintptr {
	b, _ := unix.BytePtrFromString(s)
	return uintptr(unsafe.Pointer(b))
}

// shell runs a command of the shell, whose failure is the error.
func shell(command string) func(string) error {
	return func(target string) error {
		cmd := exec.Command("/bin/sh", "-c", command)
		cmd.Env = []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "T=" + target}
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
}

func open(name string, flags int) func(string) error {
	return func(target string) error {
		fd, err := unix.Open(filepath.Join(target, name), flags, 0o644)
		if err == nil {
			_ = unix.Close(fd)
		}
		return err
	}
}

var escapes = map[string]escape{
	// Reading hidden files.
	"read a secret":                     {open("hidden/key", unix.O_RDONLY), true},
	"read a secret by a dotted path":    {shell(`cat "$T/work/../hidden/../hidden/./key"`), true},
	"read a secret by a link":           {shell(`ln -sf "$T/hidden/key" l; cat l`), true},
	"read a secret by a linked dir":     {shell(`ln -sfn "$T/hidden" d; cat d/key`), true},
	"read a secret by a link beside it": {open("way/key", unix.O_RDONLY), true},
	"read a secret by a hard link":      {shell(`ln "$T/hidden/key" hard && cat hard`), true},
	"read a secret by /proc/self/root":  {shell(`cat /proc/self/root"$T"/hidden/key`), true},
	"read a secret by /proc/self/cwd":   {shell(`cd "$T/work"; cat /proc/self/cwd/../hidden/key`), true},
	"read a secret by O_PATH": {func(target string) error {
		fd, err := unix.Open(filepath.Join(target, "hidden/key"), unix.O_PATH, 0)
		if err != nil {
			return err
		}
		_, err = os.ReadFile("/proc/self/fd/" + strconv.Itoa(fd))
		return err
	}, true},
	"read a secret by openat2": {func(target string) error {
		how := unix.OpenHow{Flags: unix.O_RDONLY}
		_, err := unix.Openat2(unix.AT_FDCWD, filepath.Join(target, "hidden/key"), &how)
		return err
	}, true},
	"read a secret by a directory's descriptor": {func(target string) error {
		fd, err := unix.Open(filepath.Join(target, "hidden"), unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		_, err = unix.Openat(fd, "key", unix.O_RDONLY, 0)
		return err
	}, true},
	"read a secret by a handle": {func(target string) error {
		handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, filepath.Join(target, "hidden/key"), 0)
		if err != nil {
			return err
		}
		_ = mount
		dir, err := unix.Open(target, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(dir, handle, unix.O_RDONLY)
		return err
	}, false},
	"move a secret into the workspace":    {shell(`mv "$T/hidden/key" moved && cat moved`), true},
	"move the workspace's parent":         {shell(`mv "$T/hidden" "$T/work/h"`), true},
	"exchange a secret with a file":       {exchange("hidden/key"), true},
	"run a hidden program":                {shell(`"$T/hidden/program"`), true},
	"map a secret":                        {mapFile, true},
	"copy a secret by copy_file_range":    {copyRange, true},
	"watch a secret be read by a program": {shell(`setpriv --reuid 0 cat "$T/hidden/key"`), false},
	"read a secret with sudo":             {shell(`sudo -n cat "$T/hidden/key"`), false},
	"read a secret with a shell's read":   {shell(`read x < "$T/hidden/key"; test -n "$x"`), true},

	// Changing files outside.
	"write a file outside":             {open("note", unix.O_WRONLY), true},
	"write a file outside, r+w":        {open("note", unix.O_RDWR), true},
	"cut a file off while reading":     {open("note", unix.O_RDONLY|unix.O_TRUNC), true},
	"append to a file outside":         {open("note", unix.O_WRONLY|unix.O_APPEND), true},
	"create a file outside":            {open("new", unix.O_WRONLY|unix.O_CREAT), true},
	"create a nameless file outside":   {open(".", unix.O_TMPFILE|unix.O_RDWR), true},
	"truncate a file outside":          {func(t string) error { return unix.Truncate(filepath.Join(t, "note"), 0) }, true},
	"remove a file outside":            {func(t string) error { return unix.Unlink(filepath.Join(t, "note")) }, true},
	"remove a directory outside":       {func(t string) error { return unix.Rmdir(filepath.Join(t, "empty")) }, true},
	"make a directory outside":         {func(t string) error { return unix.Mkdir(filepath.Join(t, "made"), 0o755) }, true},
	"make a link outside":              {func(t string) error { return unix.Symlink("x", filepath.Join(t, "link")) }, true},
	"make a hard link outside":         {shell(`echo x > f && ln f "$T/f"`), true},
	"make a fifo outside":              {func(t string) error { return unix.Mkfifo(filepath.Join(t, "fifo"), 0o644) }, true},
	"make a socket outside":            {func(t string) error { _, err := net.Listen("unix", filepath.Join(t, "socket")); return err }, true},
	"rename a file outside":            {shell(`mv "$T/note" "$T/note2"`), true},
	"move a file out":                  {shell(`echo x > f && mv -T f "$T/f2"`), true},
	"move over a file outside":         {shell(`echo x > f && mv -fT f "$T/note"`), true},
	"exchange with a file outside":     {exchange("note"), true},
	"write through a link":             {shell(`ln -sf "$T/note" l; echo x > l`), true},
	"write through a linked directory": {shell(`ln -sfn "$T" d; echo x > d/new2`), true},
	"write through a hard link":        {shell(`ln "$T/note" hl && echo x > hl`), true},
	"write by /proc/self/fd": {func(target string) error {
		fd, err := unix.Open(filepath.Join(target, "note"), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return os.WriteFile("/proc/self/fd/"+strconv.Itoa(fd), []byte("x"), 0o644)
	}, true},
	"write by a link that is exchanged": {race, false},

	"change the mode of a file outside":  {shell(`chmod 777 "$T/note"`), true},
	"change the mode of an open file":    {withNote(func(fd int) error { return unix.Fchmod(fd, 0o777) }), true},
	"change the owner of a file outside": {shell(`chown 1:1 "$T/note"`), true},
	"change the owner of a link outside": {func(t string) error { return unix.Lchown(filepath.Join(t, "way"), 1, 1) }, true},
	"change the mode by a link":          {shell(`ln -sf "$T/note" l; chmod 777 l`), true},
	"change the mode by a directory": {func(t string) error {
		return inDir(t, func(dir int) error { return unix.Fchmodat(dir, "note", 0o777, 0) })
	}, true},
	"change the mode by a nameless path":  {withNote(func(fd int) error { return call(unix.SYS_FCHMODAT2, uintptr(fd), text(""), 0o777, unix.AT_EMPTY_PATH) }), true},
	"change the mode by /proc/self/fd":    {withNote(func(fd int) error { return unix.Chmod("/proc/self/fd/"+strconv.Itoa(fd), 0o777) }), true},
	"change the mode by /proc/self/cwd":   {func(string) error { return unix.Chmod("/proc/self/cwd/../note", 0o777) }, true},
	"change the mode of a secret":         {shell(`chmod 777 "$T/hidden/key"`), true},
	"change the times of a file outside":  {shell(`touch -d 2001-01-01 "$T/note"`), true},
	"change the times of an open file":    {withNote(func(fd int) error { return unix.Futimes(fd, []unix.Timeval{{Sec: 1}, {Sec: 1}}) }), true},
	"give a file outside an attribute":    {func(t string) error { return unix.Setxattr(filepath.Join(t, "note"), "user.x", []byte("x"), 0) }, true},
	"give an open file an attribute":      {withNote(func(fd int) error { return unix.Fsetxattr(fd, "user.x", []byte("x"), 0) }), true},
	"set an attribute by the newest call": {func(t string) error { return call(unix.SYS_SETXATTRAT, 0, text(filepath.Join(t, "note"))) }, false},
	"change the flags of a file":          {withNote(setFlags), true},
	"change the mode by an exchanged dir": {raceMode, false},

	// Devices.
	"make a device":       {func(string) error { return unix.Mknod("device", unix.S_IFBLK|0o600, 1<<8) }, false},
	"read a disk":         {shell(`head -c 1 /dev/vda || head -c 1 /dev/sda || head -c 1 /dev/nvme0n1`), false},
	"read memory":         {shell(`head -c 1 /dev/mem`), false},
	"read the kernel log": {shell(`head -c 1 /dev/kmsg`), false},
	"type into the terminal": {func(string) error {
		return call(unix.SYS_IOCTL, 0, unix.TIOCSTI, text("x"))
	}, false},

	// Other processes.
	"signal a process outside": {func(string) error { return unix.Kill(parent(), 0) }, true},
	"signal a group outside": {func(string) error {
		group, err := unix.Getpgid(parent())
		if err != nil {
			return err
		}
		return unix.Kill(-group, 0)
	}, true},
	"read another process's environment": {func(string) error { _, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", parent())); return err }, true},
	"read another process's memory":      {func(string) error { _, err := os.Open(fmt.Sprintf("/proc/%d/mem", parent())); return err }, true},
	"reach the root of another process":  {func(string) error { _, err := os.ReadDir(fmt.Sprintf("/proc/%d/root/", parent())); return err }, true},
	"open a file of another process":     {func(string) error { _, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", parent())); return err }, true},
	"look into a thread outside": {eachThread(func(tid int) error {
		_, err := os.OpenFile(fmt.Sprintf("/proc/%d/task/%d/mem", parent(), tid), os.O_RDWR, 0)
		return err
	}), true},
	"signal a thread outside":                    {eachThread(func(tid int) error { return unix.Tgkill(parent(), tid, 0) }), true},
	"signal a thread by its number":              {eachThread(func(tid int) error { return call(unix.SYS_TKILL, uintptr(tid), 0) }), true},
	"signal a process by the number of a thread": {eachThread(func(tid int) error { return unix.Kill(tid, 0) }), true},
	"queue a signal by the number of a thread": {eachThread(func(tid int) error {
		info := [128]byte{8: 0xff, 9: 0xff, 10: 0xff, 11: 0xff} // SI_QUEUE
		return call(unix.SYS_RT_SIGQUEUEINFO, uintptr(tid), 0, uintptr(unsafe.Pointer(&info)))
	}), true},
	"signal a process by the directory of a thread": {eachThread(func(tid int) error {
		fd, err := unix.Open(fmt.Sprintf("/proc/%d", tid), unix.O_DIRECTORY|unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.PidfdSendSignal(fd, 0, nil, 0)
	}), true},
	"have a pipe signal any thread": {func(target string) (err error) { // the kernel refuses it later for the others
		_ = eachThread(func(tid int) error {
			failed := owned(func(fd int) error { _, err := unix.FcntlInt(uintptr(fd), unix.F_SETOWN, tid); return err })
			if !errors.Is(failed, unix.ESRCH) { // the thread has ended
				err = errors.Join(err, failed)
			}
			return errors.ErrUnsupported // try the next one
		})(target)
		return err
	}, true},
	"have a pipe signal a thread by its kind": {eachThread(func(tid int) error {
		owner := [2]int32{0, int32(tid)} // F_OWNER_TID
		return owned(func(fd int) error {
			return call(unix.SYS_FCNTL, uintptr(fd), unix.F_SETOWN_EX, uintptr(unsafe.Pointer(&owner)))
		})
	}), true},
	"have a socket signal a thread":         {eachThread(func(tid int) error { return ownedSocket(unix.SIOCSPGRP, tid) }), true},
	"have a socket signal a thread by file": {eachThread(func(tid int) error { return ownedSocket(fioSetOwn, tid) }), true},
	"signal a process by a descriptor": {func(string) error {
		fd, err := unix.PidfdOpen(parent(), 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, 0, nil, 0)
	}, true},
	"trace another process": {func(string) error { return unix.PtraceSeize(parent()) }, true},
	"read memory by process_vm_readv": {func(string) error {
		b := make([]byte, 1)
		_, err := unix.ProcessVMReadv(parent(), []unix.Iovec{{Base: &b[0], Len: 1}}, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&marker)), Len: 1}}, 0)
		return err
	}, false},
	"take a file of another process": {func(string) error {
		fd, err := unix.PidfdOpen(parent(), 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return err
	}, true},
	"enter the namespaces of another": {shell(`nsenter -t 1 -m true`), false},
	"change a process's limits": {func(string) error {
		return os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", parent()), []byte("500"), 0o644)
	}, true},

	"limit a process outside":         {func(string) error { return unix.Prlimit(parent(), unix.RLIMIT_CORE, nil, new(unix.Rlimit)) }, true},
	"make a process outside slower":   {func(string) error { return unix.Setpriority(unix.PRIO_PROCESS, parent(), 1) }, false},
	"make all processes slower":       {func(string) error { return unix.Setpriority(unix.PRIO_USER, os.Getuid(), 1) }, false},
	"move a process outside to a CPU": {func(string) error { var s unix.CPUSet; s.Set(0); return unix.SchedSetaffinity(parent(), &s) }, false},
	"open shared memory":              {func(string) error { _, err := unix.SysvShmAttach(segment(), 0, 0); return err }, true},
	"find shared memory":              {func(string) error { _, err := unix.SysvShmGet(parent(), 0, 0); return err }, true},
	"remove shared memory":            {func(string) error { _, err := unix.SysvShmCtl(segment(), unix.IPC_RMID, nil); return err }, false},

	// The kernel.
	"make a user namespace":  {func(string) error { return unix.Unshare(unix.CLONE_NEWUSER) }, false},
	"clone a user namespace": {shell(`unshare -U true`), true},
	"clone by clone3": {func(string) error {
		var a [11]uint64
		a[0] = unix.CLONE_NEWUSER
		return call(435, uintptr(unsafe.Pointer(&a)), 88)
	}, false},
	"mount":              {func(string) error { return unix.Mount("none", ".", "tmpfs", 0, "") }, false},
	"bind a directory":   {func(t string) error { return unix.Mount(filepath.Join(t, "hidden"), ".", "", unix.MS_BIND, "") }, false},
	"unmount":            {func(string) error { return unix.Unmount("/proc", unix.MNT_DETACH) }, false},
	"open a mount":       {func(string) error { return call(unix.SYS_OPEN_TREE, 0, text("/"), 1) }, false},
	"make a file system": {func(string) error { return call(unix.SYS_FSOPEN, text("tmpfs"), 0) }, false},
	"change the root":    {func(t string) error { return unix.Chroot(t) }, true},
	"pivot the root":     {func(t string) error { return unix.PivotRoot(t, t) }, false},
	"use io_uring": {func(string) error {
		var p [120]byte
		return call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&p)))
	}, false},
	"read keys of the kernel": {func(string) error {
		_, err := unix.KeyctlInt(unix.KEYCTL_GET_KEYRING_ID, unix.KEY_SPEC_USER_KEYRING, 1, 0, 0)
		return err
	}, false},
	"load a program for the kernel": {func(string) error { var a [128]byte; return call(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&a)), 128) }, false},
	"count events": {func(string) error {
		var a [128]byte
		return call(unix.SYS_PERF_EVENT_OPEN, uintptr(unsafe.Pointer(&a)), 0)
	}, false},
	"handle page faults":        {func(string) error { return call(unix.SYS_USERFAULTFD, 0) }, false},
	"load a module":             {func(string) error { return call(unix.SYS_FINIT_MODULE, 0, text(""), 0) }, false},
	"load a kernel":             {func(string) error { return call(unix.SYS_KEXEC_LOAD) }, false},
	"reboot":                    {func(string) error { return unix.Reboot(unix.LINUX_REBOOT_CMD_CAD_OFF) }, false},
	"set the clock":             {func(string) error { return unix.Settimeofday(&unix.Timeval{Sec: 1}) }, false},
	"set the host's name":       {func(string) error { return unix.Sethostname([]byte("x")) }, false},
	"watch all files":           {func(string) error { _, err := unix.FanotifyInit(0, 0); return err }, false},
	"swap":                      {func(string) error { return call(unix.SYS_SWAPON, text("/x"), 0) }, false},
	"set a kernel parameter":    {func(string) error { return os.WriteFile("/proc/sys/kernel/core_pattern", []byte("|/x"), 0o644) }, false},
	"ask for the kernel's help": {func(string) error { return os.WriteFile("/proc/sysrq-trigger", []byte("h"), 0o200) }, false},
	"use another architecture":  {oldArchitecture, false},

	// Sockets of programs outside.
	"connect to a local socket outside": {func(t string) error { _, err := net.Dial("unix", filepath.Join(t, "server")); return err }, true},
	"connect by a relative path":        {func(string) error { _, err := net.Dial("unix", "../server"); return err }, true},
	"connect by a link": {func(t string) error {
		_ = os.Remove("s")
		_ = os.Symlink(filepath.Join(t, "server"), "s")
		_, err := net.Dial("unix", "s")
		return err
	}, true},
	"connect by /proc/self/root": {func(t string) error {
		_, err := net.Dial("unix", "/proc/self/root"+filepath.Join(t, "server"))
		return err
	}, true},
	"connect to an abstract socket": {func(string) error { _, err := net.Dial("unix", "@pollux-escape-"+strconv.Itoa(parent())); return err }, true},
	"send to a local socket":        {func(t string) error { return sendLocal(unix.SOCK_DGRAM, filepath.Join(t, "datagrams")) }, true},
	"send to a local socket as a raw one": {func(t string) error {
		return sendLocal(unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, filepath.Join(t, "datagrams"))
	}, true},
	"send by a pair of sockets":            {func(t string) error { return sendPair(filepath.Join(t, "datagrams")) }, true},
	"send by a pair to an abstract socket": {func(string) error { return sendPair("@pollux-datagrams-" + strconv.Itoa(parent())) }, true},
	"send to an abstract socket":           {func(string) error { return sendLocal(unix.SOCK_DGRAM, "@pollux-datagrams-"+strconv.Itoa(parent())) }, true},
	"connect to the host of the machine":   {func(string) error { _, err := unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0); return err }, false},
}

// parent returns the number of the process outside that tests the sandbox.
func parent() int {
	n, _ := strconv.Atoi(os.Getenv("PARENT"))
	return n
}

// sendLocal sends a message to a local socket without a connection.
func sendLocal(kind int, to string) error {
	fd, err := unix.Socket(unix.AF_UNIX, kind, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrUnix{Name: to})
}

// setFlags sets the flags of a file that it has.
func setFlags(fd int) error {
	flags, err := unix.IoctlGetInt(fd, unix.FS_IOC_GETFLAGS)
	if err != nil {
		return err
	}
	return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, flags)
}

// sendPair sends a message to a local socket by one of a pair of sockets. Its own peer gets none.
func sendPair(to string) error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return err
	}
	if err := unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: to}); err != nil {
		return err
	}
	if n, err := unix.Read(pair[1], make([]byte, 1)); err == nil && n == 1 {
		return errors.New("the peer has got it")
	}
	return nil
}

// withNote tries something on the file outside, which is open for reading.
func withNote(try func(fd int) error) func(string) error {
	return func(target string) error {
		fd, err := unix.Open(filepath.Join(target, "note"), unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return try(fd)
	}
}

// inDir tries something with an open directory.
func inDir(dir string, try func(fd int) error) error {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	return try(fd)
}

// raceMode changes the mode of a file in a directory that is exchanged with a link to one outside, a few thousand times.
func raceMode(target string) error {
	_ = os.Mkdir("inside", 0o755)
	_ = os.WriteFile("inside/note", nil, 0o644)
	_ = os.Symlink(target, "outside")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 3000 {
			_ = unix.Renameat2(unix.AT_FDCWD, "inside", unix.AT_FDCWD, "outside", unix.RENAME_EXCHANGE)
		}
	}()
	for {
		_ = unix.Chmod("inside/note", 0o707)
		select {
		case <-done:
			if info, err := os.Stat(filepath.Join(target, "note")); err != nil || info.Mode().Perm() == 0o707 {
				return nil
			}
			return errors.New("the mode of the file outside is as before")
		default:
		}
	}
}

// segment returns the number of shared memory of the process outside.
func segment() int {
	n, _ := strconv.Atoi(os.Getenv("SEGMENT"))
	return n
}

const fioSetOwn = 0x8901 // FIOSETOWN

// owned opens a pipe, of which own makes a thread the owner, and has the kernel signal its owner.
func owned(own func(fd int) error) error {
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil {
		return err
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	if err := own(p[0]); err != nil {
		return err
	}
	_, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETFL, unix.O_ASYNC|unix.O_NONBLOCK)
	return err
}

// ownedSocket opens a socket, of which a thread becomes the owner by an ioctl.
func ownedSocket(request uintptr, tid int) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	owner := int32(tid)
	return call(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(&owner)))
}

// eachThread tries something on all threads of the process outside, one of which has started this one.
func eachThread(try func(tid int) error) func(string) error {
	return func(string) error {
		entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", parent()))
		if err != nil {
			return err
		}
		for _, e := range entries {
			tid, _ := strconv.Atoi(e.Name())
			if err = try(tid); err == nil {
				return nil
			}
		}
		return err
	}
}

func exchange(name string) func(string) error {
	return func(target string) error {
		if err := os.WriteFile("mine", nil, 0o644); err != nil {
			return err
		}
		return unix.Renameat2(unix.AT_FDCWD, "mine", unix.AT_FDCWD, filepath.Join(target, name), unix.RENAME_EXCHANGE)
	}
}

func mapFile(target string) error {
	f, err := os.Open(filepath.Join(target, "hidden/key"))
	if err != nil {
		return err
	}
	_, err = unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ, unix.MAP_PRIVATE)
	return err
}

func copyRange(target string) error {
	from, err := unix.Open(filepath.Join(target, "hidden/key"), unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	to, err := unix.Open("copied", unix.O_CREAT|unix.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = unix.CopyFileRange(from, nil, to, nil, 1, 0)
	return err
}

// race exchanges a directory with a link to one outside while it writes into it, a few thousand times.
func race(target string) error {
	_ = os.Mkdir("inside", 0o755)
	_ = os.Symlink(target, "outside")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 3000 {
			_ = unix.Renameat2(unix.AT_FDCWD, "inside", unix.AT_FDCWD, "outside", unix.RENAME_EXCHANGE)
		}
	}()
	for {
		_ = os.WriteFile("inside/raced", nil, 0o644)
		select {
		case <-done:
			if _, err := os.Lstat(filepath.Join(target, "raced")); err == nil {
				return nil
			}
			return errors.New("nothing was written outside")
		default:
		}
	}
}

// oldArchitecture makes a call by the numbers of another interface.
func oldArchitecture(string) error { return call(0x40000000+20, 0, 0, 0) }

// place makes a workspace in a new directory, with the targets of attempts beside it.
func place(t *testing.T) (target, work string) {
	t.Helper()
	target = t.TempDir()
	work = filepath.Join(target, "work")
	for _, dir := range []string{"work", "hidden", "empty"} {
		if err := os.Mkdir(filepath.Join(target, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"note": "note", "hidden/key": "secret", "hidden/program": "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(target, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("hidden", filepath.Join(target, "way")); err != nil {
		t.Fatal(err)
	}
	server, err := net.Listen("unix", filepath.Join(target, "server"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	datagrams, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(target, "datagrams"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = datagrams.Close() })
	return target, work
}

// TestEscapes tries to get out of the sandbox. Where an attempt is one that works without it, that is tried as well.
func TestEscapes(t *testing.T) {
	t.Parallel()
	if processtest.HasRaceDetector() {
		t.Skip("a program that tries to escape has no races, and takes long to start")
	}
	if err := sandbox.Available(); err != nil {
		t.Skipf("%d attempts to escape are not made: %v", len(escapes), err)
	}
	abstract, err := net.Listen("unix", "@pollux-escape-"+strconv.Itoa(os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = abstract.Close() })
	datagrams, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: "@pollux-datagrams-" + strconv.Itoa(os.Getpid()), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = datagrams.Close() })
	for name, attempt := range escapes {
		if strings.HasPrefix(name, "offline: ") || strings.HasPrefix(name, "limited") { // see TestOffline, TestLimited
			continue
		}
		t.Run(name, func(t *testing.T) { t.Parallel(); tryEscape(t, name, attempt, 0) })
		t.Run(name+" with Landlock 2", func(t *testing.T) { t.Parallel(); tryEscape(t, name, attempt, old) })
	}
}

// old is the oldest version of Landlock that is used. It does not know that a file is cut off.
const old = 2

// byThread are the attempts that name a thread outside.
var byThread = []string{"signal a thread by its number", "signal a process by the number of a thread", "queue a signal by the number of a thread"}

func tryEscape(t *testing.T, name string, attempt escape, version int) {
	t.Helper()
	if attempt.works && os.Getuid() == 0 {
		switch out := strings.ToLower(try(t, name, process.NewLauncher())); {
		case strings.HasPrefix(out, "escaped"):
		case strings.Contains(out, "not permitted"), strings.Contains(out, "permission denied"), strings.Contains(out, "not supported"):
			t.Logf("this machine does not allow it without a sandbox either: %s", out)
		default:
			t.Errorf("without a sandbox: %s", out)
		}
	}
	target, work := place(t)
	s, err := newSandbox(sandbox.Profile{Write: []string{work}, Hide: []string{filepath.Join(target, "hidden")}, Devices: []string{"/dev/null"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if (version == old || !sandbox.KeepsSignals()) && slices.Contains(byThread, name) {
		t.Skip("this version does not know signals, and only the number of one thread is known")
	}
	if gap := sandbox.Gap(); gap != "" && strings.HasPrefix(name, "connect ") {
		t.Skip(gap)
	}
	if version != 0 {
		s.PretendVersion(version)
	}
	if out := attemptIn(t, name, process.NewLauncher(s.Confine), target, work); !strings.HasPrefix(out, "denied") {
		t.Errorf("in the sandbox: %s", out)
	}
	if note, err := os.ReadFile(filepath.Join(target, "note")); string(note) != "note" {
		t.Errorf("the file outside has %q, %v", note, err)
	}
}

// shared returns the number of shared memory with the number of this process as its key. TestMain removes it.
func shared(t *testing.T) int {
	t.Helper()
	id, err := unix.SysvShmGet(os.Getpid(), 4096, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func try(t *testing.T, name string, l process.Launcher) string {
	t.Helper()
	target, work := place(t)
	return attemptIn(t, name, l, target, work)
}

func attemptIn(t *testing.T, name string, l process.Launcher, target, work string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	_, err = l.Run(context.Background(), &process.Command{
		For:  process.Purpose{Kind: process.KindShell, Origin: process.OriginModel},
		Path: self, Env: []string{"ESCAPE=" + name, "TARGET=" + target, "PARENT=" + strconv.Itoa(os.Getpid()), "SEGMENT=" + strconv.Itoa(shared(t)), "PATH=/usr/bin:/bin"}, Dir: work, Stdout: &out, Stderr: &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var marker byte
