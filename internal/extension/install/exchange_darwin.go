package install

import "golang.org/x/sys/unix"

// exchange gives each of two directories the name of the other, in one step. The error is that of
// file systems that cannot.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
