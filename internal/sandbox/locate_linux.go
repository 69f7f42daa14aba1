//go:build amd64 || arm64

package sandbox

import (
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"pollux/internal/sandbox/seccomp"
)

// locate opens the file that a path means for a caller, without access to its content. dir is the caller's descriptor of the directory that a relative
// path begins in, or AT_FDCWD; flags may be O_NOFOLLOW.
func locate(c *seccomp.Call, dir int, path string, flags uint64) (file int, errno unix.Errno) {
	base, rest := dir, path
	if filepath.IsAbs(path) {
		base, rest = rootOf(c, path)
	}
	switch {
	case path == "":
		return -1, unix.ENOENT
	case base == absolute:
		return open(unix.AT_FDCWD, rest, flags)
	case base == unix.AT_FDCWD:
		cwd, errno := open(unix.AT_FDCWD, "/proc/"+strconv.Itoa(c.PID)+"/cwd", openMagic)
		if errno != 0 {
			return -1, errno
		}
		base = cwd
	default:
		copied, err := c.File(base)
		if err != nil {
			return -1, errnoOf(err)
		}
		base = copied
	}
	if rest == "" {
		return base, 0
	}
	defer unix.Close(base)
	if !c.IsWaiting() {
		return -1, unix.ESRCH
	}
	return open(base, rest, flags)
}

// absolute is the base of a path that begins at the root, which is the same for the caller as for Pollux.
const absolute = -1 << 20

// rootOf returns where an absolute path begins: paths by which a process names its own files mean others here.
func rootOf(c *seccomp.Call, path string) (base int, rest string) {
	path = filepath.Clean(path)
	for i, name := range []string{"/dev/stdin", "/dev/stdout", "/dev/stderr"} {
		if path == name {
			return i, ""
		}
	}
	own := ""
	var prefixes []string
	if strings.HasPrefix(path, "/proc/") {
		prefixes = []string{"/proc/self/", "/proc/thread-self/", "/proc/" + strconv.Itoa(c.PID) + "/", "/proc/" + strconv.Itoa(c.Process()) + "/"}
	}
	for _, prefix := range prefixes {
		if after, ok := strings.CutPrefix(path+"/", prefix); ok {
			own = after
		}
	}
	if after, ok := strings.CutPrefix(path+"/", "/dev/fd/"); ok {
		own = "fd/" + after
	}
	name, rest, _ := strings.Cut(strings.TrimSuffix(own, "/"), "/")
	switch name {
	case "cwd":
		return unix.AT_FDCWD, rest
	case "root":
		return absolute, "/" + rest
	case "fd":
		number, rest, _ := strings.Cut(rest, "/")
		if fd, err := strconv.Atoi(number); err == nil && fd >= 0 {
			return fd, rest
		}
	}
	return absolute, path
}

// openMagic is a flag of open: links of /proc to files of processes are followed.
const openMagic = 1 << 62

// open opens a file without access to its content.
func open(dir int, path string, flags uint64) (file int, errno unix.Errno) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | flags&^openMagic, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	if flags&openMagic != 0 {
		how.Resolve = 0
	}
	file, err := unix.Openat2(dir, path, &how)
	if err != nil {
		return -1, errnoOf(err)
	}
	return file, 0
}
