//go:build unix

package doctor

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// isWritable reports whether this process may write to a file, or create files in a directory.
// It does not create any.
func isWritable(path string, info fs.FileInfo) bool {
	if info.IsDir() {
		return unix.Access(path, unix.W_OK|unix.X_OK) == nil
	}
	return unix.Access(path, unix.W_OK) == nil
}

// freeSpace returns the number of bytes that an unprivileged user can still write to the file
// system of dir.
func freeSpace(dir string) (bytes uint64, known bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil || st.Blocks == 0 { // file systems without blocks have no limit
		return 0, false
	}
	return uint64(st.Bavail) * uint64(st.Bsize), true
}
