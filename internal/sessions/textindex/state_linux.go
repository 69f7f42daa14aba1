package textindex

import (
	"io/fs"
	"syscall"
)

// change returns when a file was changed last, in nanoseconds since 1970, and its number.
func change(info fs.FileInfo) (changed int64, number uint64) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano(), s.Ino
	}
	return 0, 0
}
