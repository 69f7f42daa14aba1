//go:build unix

package aside

import (
	"os"

	"golang.org/x/sys/unix"
)

// isOwn reports whether a directory is no link, belongs to the user, and is closed to others.
func isOwn(dir string) bool {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && int(st.Uid) == os.Getuid() && st.Mode&0o077 == 0
}

// isSafe reports whether only the user, its group and root can put something else in the place of a directory in dir that belongs to the user.
func isSafe(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	return info.Mode().Perm()&0o002 == 0 || info.Mode()&os.ModeSticky != 0
}
