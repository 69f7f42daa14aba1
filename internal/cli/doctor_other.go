//go:build !unix

package cli

import "io/fs"

// mayWrite reports whether a file can be written, or files be made in a directory,
// as far as its mode tells.
func mayWrite(_ string, info fs.FileInfo) bool { return info.Mode().Perm()&0o200 != 0 }

func freeSpace(string) (bytes uint64, known bool) { return 0, false }
