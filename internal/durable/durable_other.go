//go:build !unix

package durable

import (
	"io/fs"
	"os"
)

func mayWrite(_ string, info fs.FileInfo) error {
	if info.Mode()&0o200 == 0 {
		return fs.ErrPermission
	}
	return nil
}

// keepOwner has nothing to do: the directory decides who owns a new file.
func keepOwner(*os.File, fs.FileInfo) {}

// syncDir has nothing to do: the rename itself is written through.
func syncDir(string) error { return nil }
