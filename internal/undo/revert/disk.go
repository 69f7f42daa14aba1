package revert

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"pollux/internal/durable"
	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// disk changes files by the directory that they are in, which it reaches without following a link.
type disk struct {
	path    string   // of dir
	dir     *os.Root // the directory of the last path
	journal *journal
	// isPartial is set if a path could not be changed, for a reason other than a change by someone else.
	isPartial bool
}

func (d *disk) close() {
	if d.dir != nil {
		_ = d.dir.Close()
		d.dir = nil
	}
}

// inUnchanged opens the directory of the step's path as in does. The error is errChanged if something else stands at the path than
// when the undo began.
func (d *disk) inUnchanged(s Step) (*os.Root, string, error) {
	dir, name, err := d.in(s.Path)
	if err == nil {
		err = s.unchanged(dir, name)
	}
	return dir, name, err
}

// unchanged returns errChanged if something else stands at a name than when the undo began: an undo takes time, and editors save
// in its middle.
func (s *Step) unchanged(dir *os.Root, name string) error {
	info, err := dir.Lstat(name)
	if state.IsAbsent(err) {
		return nil // there is nothing to lose
	}
	if err != nil {
		return err
	}
	now := state.Of(info)
	isSame := now.Kind == s.now.Kind && now.Device == s.now.Device && now.Inode == s.now.Inode && now.Size == s.now.Size
	switch {
	case now.Kind == state.Directory && (now.Kind == s.now.Kind || isDirectory(s.To)):
		return nil // its entries have steps of their own
	case isSame && (now.Modified == s.now.Modified || now.Modified == s.To.State.Modified): // of which the undo may have restored another name
		return nil
	}
	return errChanged
}

// errLink is returned for a path that could only be reached through a link.
var errLink = errors.New("a directory above it is a link now")

// in opens the directory of a path.
func (d *disk) in(path string) (*os.Root, string, error) {
	parent, name := filepath.Dir(path), filepath.Base(path)
	if d.dir != nil && d.path == parent {
		return d.dir, name, nil
	}
	d.close()
	dir, err := open(parent)
	if err != nil {
		return nil, "", err
	}
	d.dir, d.path = dir, parent
	return dir, name, nil
}

// open opens a directory, none of whose names may be a link.
func open(path string) (*os.Root, error) {
	top := filepath.VolumeName(path) + string(filepath.Separator)
	at, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(path, top), string(filepath.Separator)) {
		if name == "" {
			continue
		}
		info, err := at.Lstat(name)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			err = errLink
		}
		var next *os.Root
		if err == nil {
			next, err = at.OpenRoot(name)
		}
		_ = at.Close()
		if err != nil {
			return nil, err
		}
		if now, err := next.Stat("."); err != nil || !os.SameFile(info, now) {
			_ = next.Close()
			return nil, errLink
		}
		at = next
	}
	return at, nil
}

// lend runs do, again with permission to write in the directory if it lacks that.
func (d *disk) lend(do func() error) error {
	err := do()
	if !errors.Is(err, fs.ErrPermission) || d.dir == nil {
		return err
	}
	info, statErr := d.dir.Stat(".")
	if statErr != nil || info.Mode().Perm()&0o300 == 0o300 {
		return err
	}
	if e := d.journal.lend(d.path, info.Mode()); e != nil {
		return e
	}
	if d.dir.Chmod(".", info.Mode().Perm()|0o300) != nil {
		return err
	}
	changed()
	return do()
}

// lendBack gives directories the permissions back that they had, unless they have got others meanwhile.
func (d *disk) lendBack() (err error) {
	for _, l := range d.journal.lent {
		dir, _, e := d.in(filepath.Join(string(l.Path), "x"))
		if e == nil {
			if info, statErr := dir.Stat("."); statErr == nil && info.Mode().Perm() == l.Mode.Perm()|0o300 {
				e = dir.Chmod(".", l.Mode)
				changed()
			}
		}
		if e != nil && !state.IsAbsent(e) {
			err = errors.Join(err, fmt.Errorf("%s: %w", l.Path, cause(e)))
		}
	}
	d.journal.lent = nil
	return err
}

// sweep removes the temporary files of an interrupted undo beside the paths that it changes, and gives directories their
// permissions back.
func (d *disk) sweep(changes []store.Change) {
	last := ""
	for _, c := range changes { // sorted by path
		if parent := filepath.Dir(c.Path); parent != last {
			last = parent
			if dir, _, err := d.in(c.Path); err == nil {
				_ = d.lend(func() error { return dir.Remove(d.journal.temporary) })
			}
		}
	}
	_ = d.lendBack()
}

// remove removes a file, link or empty directory. A directory with entries that the operation did not make stays.
func (d *disk) remove(s Step) error {
	dir, name, err := d.inUnchanged(s)
	if err == nil {
		err = d.lend(func() error { return dir.Remove(name) })
		changed()
	}
	if state.IsAbsent(err) || isBusy(err) && s.To.State.Kind == state.Absent {
		return nil
	}
	return err
}

func (d *disk) mkdir(s Step) error {
	dir, name, err := d.in(s.Path)
	if err != nil {
		return err
	}
	err = d.lend(func() error { return dir.Mkdir(name, 0o700) })
	changed()
	if errors.Is(err, fs.ErrExist) {
		if info, e := dir.Lstat(name); e == nil && info.IsDir() {
			return nil
		}
	}
	return err
}

// write puts a file where one of any kind but a directory may stand, at once.
func (d *disk) write(s Step) error {
	err := d.writeNew(s)
	if errors.Is(err, syscall.EBUSY) { // the file is a mount point, which nothing can replace
		err = d.overwrite(s)
	}
	return err
}

// maxOverwritten is the size of the largest content that is written into a file, in bytes: it is in memory meanwhile.
const maxOverwritten = 64 << 20

// overwrite writes a content into the file that is there.
func (d *disk) overwrite(s Step) error {
	dir, name, err := d.inUnchanged(s)
	if err != nil {
		return err
	}
	data, ok := s.To.Data(maxOverwritten)
	switch {
	case !ok:
		return syscall.EBUSY
	case s.To.Sum != content.Sum{} && s.To.Sum != sha256.Sum256(data):
		return errDamaged
	}
	at, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer at.Close()
	if err := durable.WriteFileAt(at, name, data, 0o600); err != nil {
		return err
	}
	changed()
	return own(dir, name, s.To.State)
}

// keepAttributes gives a new file the extended attributes and the access control list of the file that it replaces.
func keepAttributes(dir *os.Root, name string, f *os.File) {
	if info, err := dir.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	if old, err := dir.Open(name); err == nil {
		_ = durable.KeepAttributes(f, old) // the content matters more
		_ = old.Close()
	}
}

// writeNew puts a new file there.
func (d *disk) writeNew(s Step) error {
	return d.replace(s, func(dir *os.Root, temporary string) error {
		if s.To.Way == content.Linked && s.To.Place.IsFile() {
			if err := os.Link(s.To.Place.Path, filepath.Join(d.path, temporary)); err == nil {
				changed()
				return own(dir, temporary, s.To.State)
			} // else its content is copied, if it is on another file system
		}
		f, err := dir.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		changed()
		if !s.To.Place.IsNowhere() {
			if err = fill(f, &s.To); err != nil {
				_ = f.Truncate(0) // a program that is being started still has the file, and with it the room on a full disk
			}
		}
		keepAttributes(dir, filepath.Base(s.Path), f)
		return errors.Join(err, f.Close(), own(dir, temporary, s.To.State))
	})
}

func (d *disk) link(s Step) error {
	return d.replace(s, func(dir *os.Root, temporary string) error {
		if err := dir.Symlink(s.To.Target, temporary); err != nil {
			return err
		}
		changed()
		_ = dir.Lchown(temporary, int(s.To.State.Owner), int(s.To.State.Group)) // which only root may do
		return nil
	})
}

func (d *disk) replace(s Step, write func(dir *os.Root, temporary string) error) error {
	dir, name, err := d.in(s.Path)
	if err != nil {
		return err
	}
	temporary := d.journal.temporary
	return d.lend(func() error {
		err := write(dir, temporary)
		if err == nil {
			err = s.unchanged(dir, name)
		}
		if err == nil {
			err = dir.Rename(temporary, name)
			changed()
		}
		if err != nil {
			_ = dir.Remove(temporary)
		}
		return err
	})
}

// attributes gives a directory or file its mode and time back.
func (d *disk) attributes(s Step) error {
	dir, name, err := d.inUnchanged(s)
	if err != nil {
		return err
	}
	if info, err := dir.Lstat(name); err != nil || state.Of(info).Kind != s.To.State.Kind {
		return err
	}
	d.journal.lent = slices.DeleteFunc(d.journal.lent, func(l lent) bool { return string(l.Path) == s.Path })
	return own(dir, name, s.To.State)
}

// own gives a file or a directory owner, mode and time. Only root can give it to another owner; the others keep it.
func own(dir *os.Root, name string, to state.State) error {
	info, err := dir.Lstat(name)
	if err != nil {
		return err
	}
	now := state.Of(info)
	if now.Owner != to.Owner || now.Group != to.Group {
		_ = dir.Lchown(name, int(to.Owner), int(to.Group)) // which takes bits of the mode away
		now.Mode = ^to.Mode
	}
	if now.Mode != to.Mode {
		err = dir.Chmod(name, to.FileMode())
		changed()
	}
	if now.Modified != to.Modified {
		modified := time.Unix(0, to.Modified)
		err = errors.Join(err, dir.Chtimes(name, modified, modified))
		changed()
	}
	return err
}
