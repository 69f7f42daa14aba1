//go:build linux || darwin

package state

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Named is the state of an entry of a directory.
type Named struct {
	Name string
	State
}

// List returns the entries of a directory, sorted by name. It does not follow a link at path. An entry that
// disappears meanwhile is left out.
func List(path string) ([]Named, error) {
	d, err := os.OpenFile(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	raw, err := d.SyscallConn()
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	entries := make([]Named, 0, len(names))
	err = raw.Control(func(fd uintptr) {
		dir := Dir{int(fd)}
		for _, name := range names {
			if s := dir.Read(name); s.Kind != Absent {
				entries = append(entries, Named{Name: name, State: s})
			}
		}
	})
	return entries, err
}

func ofStat(st *unix.Stat_t) State {
	s := State{
		Kind: Special, Mode: uint16(st.Mode & 0o7777), Modified: st.Mtim.Nano(), Changed: st.Ctim.Nano(),
		Device: uint64(st.Dev), Inode: st.Ino, Owner: st.Uid, Group: st.Gid,
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		s.Kind, s.Size = Regular, st.Size
	case unix.S_IFDIR:
		s.Kind = Directory
	case unix.S_IFLNK:
		s.Kind, s.Size = Link, st.Size
	}
	return s
}
