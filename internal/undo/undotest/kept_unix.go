//go:build unix

package undotest

import (
	"io/fs"
	"path/filepath"
	"syscall"
)

// Kept returns the number of bytes that the files below a directory take on the disk, without those that have names
// elsewhere, too.
func Kept(dir string) (bytes int64, err error) {
	type file struct{ links, found, bytes int64 }
	files := map[uint64]*file{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		st := info.Sys().(*syscall.Stat_t)
		if files[st.Ino] == nil {
			files[st.Ino] = &file{links: int64(st.Nlink), bytes: st.Blocks * 512}
		}
		files[st.Ino].found++
		return nil
	})
	for _, f := range files {
		if f.found == f.links {
			bytes += f.bytes
		}
	}
	return bytes, err
}
