//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"pollux/internal/sandbox/seccomp"
)

// change is a system call that changes attributes of a file: its mode, owner, times or extended attributes. Landlock does not restrict
// them, so Pollux makes these calls for the programs, for files that they may change.
type change struct {
	find func(*seccomp.Call) (file int, errno unix.Errno)
	// make makes the change to a file with a name.
	make func(c *seccomp.Call, name string) unix.Errno
}

// changes returns these calls.
func changes() map[uint32]change {
	return map[uint32]change{
		unix.SYS_FCHMOD:       {opened(0), setMode(1)},
		unix.SYS_FCHMODAT:     {at(0, 1, noFlags), setMode(2)},
		unix.SYS_FCHMODAT2:    {at(0, 1, 3), setMode(2)},
		unix.SYS_FCHOWN:       {opened(0), setOwner(1, 2)},
		unix.SYS_FCHOWNAT:     {at(0, 1, 4), setOwner(2, 3)},
		unix.SYS_UTIMENSAT:    {at(0, 1, 3), setTimes(2, nanoseconds)},
		unix.SYS_SETXATTR:     {here(0), setAttribute},
		unix.SYS_LSETXATTR:    {hereNoLink(0), setAttribute},
		unix.SYS_FSETXATTR:    {opened(0), setAttribute},
		unix.SYS_REMOVEXATTR:  {here(0), removeAttribute},
		unix.SYS_LREMOVEXATTR: {hereNoLink(0), removeAttribute},
		unix.SYS_FREMOVEXATTR: {opened(0), removeAttribute},
	}
}

// change makes a change, if the program may change the file.
func (r *rules) change(c *seccomp.Call, ch change) unix.Errno {
	if errno := becomeUser(c); errno != 0 {
		return errno
	}
	file, errno := ch.find(c)
	if errno != 0 {
		return errno
	}
	defer unix.Close(file)
	path, err := readFD(file)
	if err != nil || !c.IsWaiting() || !r.profile.mayAlter(path) {
		return unix.EPERM
	}
	return ch.make(c, "/proc/self/fd/"+strconv.Itoa(file))
}

// mayAlter reports whether programs may change the attributes of an open file. One without a path is their own.
func (p *Profile) mayAlter(path string) bool {
	if !filepath.IsAbs(path) || strings.HasPrefix(path, "/memfd:") || isBelow(path, terminalsDir) {
		return true
	}
	verdict, _ := p.Judge(path)
	return verdict == MayChange
}

// becomeUser makes this goroutine act as the user that the caller is, on a thread of its own that ends with the goroutine: a program of root's
// may have become another user.
func becomeUser(c *seccomp.Call) unix.Errno {
	if unix.Geteuid() != 0 { // then no program can become another user
		return 0
	}
	status := seccomp.Statuses(c.PID, "Uid", "Gid", "Groups")
	ids, groups := status[0], status[1]
	if len(ids) < 4 || len(groups) < 4 || !c.IsWaiting() {
		return unix.ESRCH
	}
	user, err := strconv.Atoi(ids[3])
	group, err2 := strconv.Atoi(groups[3])
	if err != nil || err2 != nil {
		return unix.ESRCH
	}
	if user == unix.Geteuid() {
		return 0
	}
	var more []uint32
	for _, g := range status[2] {
		n, _ := strconv.Atoi(g) // a number
		more = append(more, uint32(n))
	}
	runtime.LockOSThread() // and never unlock it
	var first uintptr
	if len(more) > 0 {
		first = uintptr(unsafe.Pointer(&more[0]))
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, uintptr(len(more)), first, 0); errno != 0 {
		return errno
	}
	for _, set := range [...]struct {
		call uintptr
		id   int
	}{{unix.SYS_SETFSGID, group}, {unix.SYS_SETFSUID, user}} { // the group while it still may
		_, _, _ = unix.RawSyscall(set.call, uintptr(set.id), 0, 0)
		if now, _, _ := unix.RawSyscall(set.call, uintptr(set.id), 0, 0); int(now) != set.id { // it returns the previous one
			return unix.EPERM
		}
	}
	return 0
}

const noFlags = -1 // in place of the number of an argument with flags

// opened finds a file that the caller has open.
func opened(fd int) func(*seccomp.Call) (int, unix.Errno) {
	return func(c *seccomp.Call) (int, unix.Errno) {
		file, err := c.File(int(int32(c.Args[fd])))
		if err != nil {
			return -1, unix.EBADF
		}
		return file, 0
	}
}

// here finds a file by its path.
func here(path int) func(*seccomp.Call) (int, unix.Errno) {
	return func(c *seccomp.Call) (int, unix.Errno) { return locateAt(c, unix.AT_FDCWD, c.Args[path], 0) }
}

// hereNoLink finds a file by its path, or a link itself.
func hereNoLink(path int) func(*seccomp.Call) (int, unix.Errno) {
	return func(c *seccomp.Call) (int, unix.Errno) {
		return locateAt(c, unix.AT_FDCWD, c.Args[path], unix.AT_SYMLINK_NOFOLLOW)
	}
}

// at finds a file by a directory that the caller has open and a path. Without a path, it is the file that is open.
func at(dir, path, flags int) func(*seccomp.Call) (int, unix.Errno) {
	return func(c *seccomp.Call) (int, unix.Errno) {
		how := uint64(0)
		if flags != noFlags {
			how = c.Args[flags]
		}
		fd := int(int32(c.Args[dir]))
		if c.Args[path] == 0 && fd != unix.AT_FDCWD {
			return opened(dir)(c)
		}
		return locateAt(c, fd, c.Args[path], how)
	}
}

func locateAt(c *seccomp.Call, dir int, path, flags uint64) (int, unix.Errno) {
	text, errno := c.Text(path)
	if errno != 0 {
		return -1, errno
	}
	if text == "" && flags&unix.AT_EMPTY_PATH != 0 {
		text = "."
		if dir != unix.AT_FDCWD {
			file, err := c.File(dir)
			if err != nil {
				return -1, unix.EBADF
			}
			return file, 0
		}
	}
	how := uint64(0)
	if flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how = unix.O_NOFOLLOW
	}
	return locate(c, dir, text, how)
}

func setMode(mode int) func(*seccomp.Call, string) unix.Errno {
	return func(c *seccomp.Call, name string) unix.Errno {
		return result(unix.Fchmodat(unix.AT_FDCWD, name, uint32(c.Args[mode]), 0))
	}
}

func setOwner(user, group int) func(*seccomp.Call, string) unix.Errno {
	return func(c *seccomp.Call, name string) unix.Errno {
		return result(unix.Fchownat(unix.AT_FDCWD, name, int(int32(c.Args[user])), int(int32(c.Args[group])), 0))
	}
}

// The units in which calls have times, by the size of a time and of its parts.
type unit struct{ size, factor int64 }

var (
	seconds      = unit{8, 0}
	microseconds = unit{16, 1000}
	nanoseconds  = unit{16, 1}
)

func setTimes(times int, u unit) func(*seccomp.Call, string) unix.Errno {
	return func(c *seccomp.Call, name string) unix.Errno {
		if c.Args[times] == 0 {
			now := unix.Timespec{Nsec: unix.UTIME_NOW}
			return result(unix.UtimesNanoAt(unix.AT_FDCWD, name, []unix.Timespec{now, now}, 0))
		}
		b, err := c.Memory(c.Args[times], int(2*u.size))
		if err != nil {
			return unix.EFAULT
		}
		var list []unix.Timespec
		for i := range int64(2) {
			part := func(n int64) int64 { return int64(binary.NativeEndian.Uint64(b[i*u.size+8*n:])) }
			t := unix.Timespec{Sec: part(0)}
			if u.factor != 0 {
				t.Nsec = part(1) * u.factor
			}
			if u == microseconds && (part(1) < 0 || part(1) >= 1e6) {
				return unix.EINVAL
			}
			list = append(list, t)
		}
		return result(unix.UtimesNanoAt(unix.AT_FDCWD, name, list, 0))
	}
}

func setAttribute(c *seccomp.Call, name string) unix.Errno {
	attribute, errno := c.Text(c.Args[1])
	if errno != 0 {
		return errno
	}
	if !mayHave(attribute) {
		return unix.EPERM
	}
	const most = 1 << 16 // XATTR_SIZE_MAX
	if c.Args[3] > most {
		return unix.E2BIG
	}
	value := make([]byte, 0)
	if c.Args[3] > 0 {
		var err error
		if value, err = c.Memory(c.Args[2], int(c.Args[3])); err != nil {
			return unix.EFAULT
		}
	}
	return result(unix.Setxattr(name, attribute, value, int(int32(c.Args[4]))))
}

func removeAttribute(c *seccomp.Call, name string) unix.Errno {
	attribute, errno := c.Text(c.Args[1])
	if errno != 0 {
		return errno
	}
	if !mayHave(attribute) {
		return unix.EPERM
	}
	return result(unix.Removexattr(name, attribute))
}

// mayHave reports whether programs set an extended attribute. Others need capabilities that Pollux may have and the programs do not.
func mayHave(attribute string) bool {
	return strings.HasPrefix(attribute, "user.") || strings.HasPrefix(attribute, "system.posix_acl_") || attribute == "security.capability"
}

// result returns the error number of a call, 0 for none.
func result(err error) unix.Errno {
	if err == nil {
		return 0
	}
	return errnoOf(err)
}
