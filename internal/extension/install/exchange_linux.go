package install

import "golang.org/x/sys/unix"

// exchange gives each of two directories the name of the other, in one step. The error is that of
// file systems that cannot.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
