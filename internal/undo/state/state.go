// Package state reads the states of paths: kind, size, mode and times, and which file it is, but not the content. Two
// equal states of a path mean that no one has changed it in between.
package state

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Kind is the kind of a file.
type Kind uint8

// The kinds. Special is a FIFO, a socket or a device: it is never opened.
const (
	Absent Kind = iota
	Regular
	Directory
	Link
	Special
)

// State is the state of a path. The zero State is that of a path that does not exist.
type State struct {
	Kind Kind
	// Mode has the permissions, and the bits for setuid, setgid and sticky, as the kernel numbers them.
	Mode uint16
	Size int64 // bytes; 0 unless the kind is Regular or Link
	// Modified and Changed are the times of the last change of the content, and of the content or the
	// attributes, in nanoseconds since 1970. Changed is 0 where the system has no such time.
	Modified, Changed int64
	// Device and Inode say which file it is; 0 where the system does not.
	Device, Inode uint64
	Owner, Group  uint32
}

// IsSame reports whether two states are those of a file that no one has changed in between. A directory is the
// same if its permissions are, because entries that come and go are changes of their own.
func (s State) IsSame(o State) bool {
	if s.Kind == Directory && o.Kind == Directory {
		return s.Mode == o.Mode && s.Owner == o.Owner && s.Group == o.Group
	}
	return s == o
}

// HasContent reports whether two states are those of a file that differs in nothing that an undo brings back, if its content is the
// same: only the time of the last change of its attributes differs, for instance because it has got another name.
func (s State) HasContent(o State) bool {
	o.Changed = s.Changed
	return s == o
}

// HasAttributes reports whether the kind and the attributes that are brought back by an undo are the same: mode,
// owner and group.
func (s State) HasAttributes(o State) bool {
	return s.Kind == o.Kind && s.Mode == o.Mode && s.Owner == o.Owner && s.Group == o.Group
}

// Read returns the state of a path, whose last name may be a link, which is not followed. It has an error only if
// the state cannot be known: a path that does not exist is Absent.
func Read(path string) (State, error) {
	info, err := os.Lstat(path)
	if err != nil {
		if IsAbsent(err) {
			return State{}, nil
		}
		return State{}, err
	}
	return Of(info), nil
}

// IsAbsent reports whether an error says that nothing stands at a path.
func IsAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Of returns the state that a call of [os.Lstat] has found.
func Of(info fs.FileInfo) State {
	s := State{Kind: kindOf(info.Mode()), Modified: info.ModTime().UnixNano()}
	if s.Kind == Regular || s.Kind == Link {
		s.Size = info.Size()
	}
	s.addSystem(info)
	return s
}

func kindOf(mode fs.FileMode) Kind {
	switch mode.Type() {
	case 0:
		return Regular
	case fs.ModeDir:
		return Directory
	case fs.ModeSymlink:
		return Link
	}
	return Special
}

// FileMode returns the permissions and special bits as package os takes them.
func (s State) FileMode() fs.FileMode {
	m := fs.FileMode(s.Mode & 0o777)
	for bit, mode := range map[uint16]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if s.Mode&bit != 0 {
			m |= mode
		}
	}
	return m
}
