//go:build linux || darwin

package state

import (
	"io/fs"
	"syscall"
)

func (s *State) addSystem(info fs.FileInfo) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		s.Mode = uint16(info.Mode().Perm())
		return
	}
	s.Mode = uint16(st.Mode & 0o7777)
	s.Changed = changed(st)
	s.Device, s.Inode = uint64(st.Dev), st.Ino
	s.Owner, s.Group = st.Uid, st.Gid
}

// HasOtherNames reports whether the file at a path may have other names: it may be changed through them.
func HasOtherNames(path string) bool {
	var st syscall.Stat_t
	return syscall.Lstat(path, &st) != nil || st.Nlink > 1
}
