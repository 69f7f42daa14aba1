package landlock

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	list = unix.LANDLOCK_ACCESS_FS_READ_DIR
	read = list | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	// write is the access of a kernel with version 1; later versions know more kinds.
	write = read | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	nodes = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	// files is the part that a rule for something else than a directory can have.
	files = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// Version returns the version of Landlock in this kernel, 0 if there is none or it is switched off.
func Version() int {
	v, _ := version()
	return v
}

func version() (int, unix.Errno) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(v), 0
}

// Available returns why there can be no rules on this machine; nil if there can.
func Available() error { return check(version()) }

func check(v int, errno unix.Errno) error {
	switch {
	case errno == unix.EOPNOTSUPP:
		return errors.New("the kernel has switched Landlock off (its parameter lsm= lacks it)")
	case errno != 0 && errno != unix.ENOSYS:
		return fmt.Errorf("it may not use Landlock here (%w): a container, or SystemCallFilter of systemd, can block it", errno)
	case v < 2:
		return errors.New("it needs Linux 5.19 or later, with Landlock enabled")
	}
	return nil
}

// Rules is a set of rules. It may be used from several goroutines at once.
type Rules struct {
	file *os.File // closed when nothing needs the rules any more
	fs   uint64   // the kinds of access that are denied without a rule
}

// New returns a set of rules that allows nothing, of a version that the kernel has. It also keeps programs from signalling
// processes outside, and from the abstract sockets of such, from version 6 on.
func New(v int) (*Rules, error) {
	if err := check(v, 0); err != nil {
		return nil, err
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: write | nodes | unix.LANDLOCK_ACCESS_FS_REFER}
	if v >= 3 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if v >= 5 {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if v >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return nil, fmt.Errorf("create Landlock rules: %w", errno)
	}
	return &Rules{os.NewFile(fd, "landlock"), attr.Handled_access_fs}, nil
}

// Allow adds a rule for a path. A link, and a path that does not exist or cannot be opened, gets none: the target of a
// link has a path of its own. Nor does one with a link on the way, which was none when the path was resolved.
func (r *Rules) Allow(path string, a Access) error {
	const flags = unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err == unix.ENOSYS || err == unix.EPERM { // some containers know no openat2
		fd, err = unix.Open(path, flags, 0)
	}
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	bits := r.bits(a)
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
	case unix.S_IFLNK:
		return nil
	default:
		bits &= files
	}
	if bits == 0 {
		return nil
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: bits, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, r.file.Fd(), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return &os.PathError{Op: "allow", Path: path, Err: errno}
	}
	return nil
}

func (r *Rules) bits(a Access) (bits uint64) {
	if a&List != 0 {
		bits |= list
	}
	if a&Read != 0 {
		bits |= read
	}
	if a&Write != 0 {
		bits |= write | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if a&Device != 0 {
		bits |= unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
			unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	return bits & r.fs
}

// Restrict takes everything from the calling thread that no rule allows. The thread must have given up new privileges
// (PR_SET_NO_NEW_PRIVS), and be locked to its goroutine.
func (r *Rules) Restrict() error {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, r.file.Fd(), 0, 0); errno != 0 {
		return fmt.Errorf("apply Landlock rules: %w", errno)
	}
	return nil
}
