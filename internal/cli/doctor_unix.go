//go:build unix

package cli

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// mayWrite reports whether a file can be written, or files be made in a directory.
// Nothing is made.
func mayWrite(path string, info fs.FileInfo) bool {
	if info.IsDir() {
		return unix.Access(path, unix.W_OK|unix.X_OK) == nil
	}
	return unix.Access(path, unix.W_OK) == nil
}

// freeSpace returns how many bytes an ordinary user can still write where a
// directory is.
func freeSpace(dir string) (bytes uint64, known bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Blocks == 0 { // file systems without blocks have no limit
		return 0, false
	}
	return uint64(st.Bavail) * uint64(st.Bsize), true
}
