//go:build !unix

package doctor

import "io/fs"

// isWritable reports whether the mode of a file or directory allows writing to it.
func isWritable(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o200 != 0 }

// freeSpace always returns false: the free space is unknown on this system.
func freeSpace(string) (bytes uint64, known bool) { return 0, false }
