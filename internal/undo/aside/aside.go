// Package aside keeps second names of files on their own file systems, for contents whose file system is not that of the undo log.
//
// They are in directories .pollux-undo-UID, which only the user can read, at the top of the file system, or in the first directory
// below it in which the user may write. Git and Pollux's tools ignore them. Their owner removes them when it ends; the next
// owner on the file system removes those of one that was killed.
package aside

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/undo/state"
	"pollux/internal/workspace"
)

// Name returns the name of the user's directories.
func Name() string { return workspace.UndoPrefix + strconv.Itoa(os.Getuid()) }

// ownerFile is the name of the file in a directory that has the path of its owner.
const ownerFile = "owner"

// maxList is the number of bytes that the file with the list of directories may have, or one with the path of an owner.
const maxList = 1 << 20

// Dirs are the directories of an owner, one for each file system. Its methods may be called from several goroutines at once.
type Dirs struct {
	owner string          // a directory of the owner that is gone when the owner is
	list  string          // the file in it with the paths of the directories
	roots func() []string // directories that others list: a directory in them is the last choice
	reap  func(owner string)

	mu     sync.Mutex
	dirs   []string
	failed map[string]bool // the last candidates of paths for which there is no directory
}

// New returns the directories of an owner, given a directory that is gone when the owner is. reap removes another owner if it was killed, whose
// directories go with it.
func New(owner string, reap func(owner string)) *Dirs {
	return &Dirs{owner: owner, list: filepath.Join(owner, "aside"), reap: reap, failed: map[string]bool{}}
}

// Load returns the directories that an owner which was killed has left.
func Load(owner string) *Dirs {
	d := New(owner, nil)
	data, err := durable.ReadFile(d.list, maxList)
	if err != nil {
		return d // it has none
	}
	for path := range strings.SplitSeq(string(data), "\x00") {
		if filepath.IsAbs(path) && filepath.Base(filepath.Dir(path)) == Name() && isOwn(filepath.Dir(path)) {
			d.dirs = append(d.dirs, path)
		}
	}
	return d
}

// Avoid sets the function that returns the directories in which no directory should be.
func (d *Dirs) Avoid(roots func() []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.roots = roots
}

// Link calls a function, which makes a second name of the file at path, with a place on the file system of the file. name is
// relative. The error is [syscall.EXDEV] if there is no place.
func (d *Dirs) Link(path, name string, link func(place string) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	file, err := state.Read(path)
	if err != nil {
		return err
	}
	try := func(dir string) error {
		place := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
			return err
		}
		return link(place)
	}
	for _, dir := range d.dirs {
		if s, err := state.Read(dir); err != nil || s.Kind != state.Directory || s.Device != file.Device {
			continue
		}
		if err := try(dir); !errors.Is(err, syscall.EXDEV) {
			return err
		}
	}
	tops := d.candidates(path, file.Device)
	if len(tops) == 0 || d.failed[tops[len(tops)-1]] {
		return syscall.EXDEV
	}
	for _, top := range tops {
		dir, err := d.open(top)
		if err != nil {
			continue
		}
		err = try(dir)
		if err == nil || !errors.Is(err, syscall.EXDEV) {
			d.dirs = append(d.dirs, dir)
			return err
		}
		remove(dir)
	}
	d.failed[tops[len(tops)-1]] = true
	return syscall.EXDEV
}

// candidates returns the directories that may have a directory for a file, the top of the file system first. Those in a root are left out,
// but the first.
func (d *Dirs) candidates(path string, device uint64) (list []string) {
	var up []string
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if s, err := state.Read(dir); err != nil || s.Kind != state.Directory || s.Device != device {
			break
		}
		up = append(up, dir)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for i := len(up) - 1; i >= 0; i-- {
		list = append(list, up[i])
		if d.isRoot(up[i]) {
			break
		}
	}
	return list
}

// isRoot reports whether a directory is one of the roots, or in one.
func (d *Dirs) isRoot(dir string) bool {
	if d.roots == nil {
		return false
	}
	for _, root := range d.roots() {
		if rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// open makes a directory of the owner below a directory.
func (d *Dirs) open(top string) (string, error) {
	if !isSafe(top) {
		return "", fs.ErrPermission
	}
	all := filepath.Join(top, Name())
	if err := os.Mkdir(all, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	if !isOwn(all) {
		return "", fs.ErrPermission
	}
	d.sweep(all)
	dir := filepath.Join(all, rand.Text())
	if err := d.note(dir); err != nil { // first, so that it is found if the process is killed now
		_ = os.Remove(all)
		return "", err
	}
	for range 2 {
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			break
		}
		_ = os.Mkdir(all, 0o700) // another owner has removed it
		if !isOwn(all) {
			return "", err
		}
	}
	err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*\n"), 0o600)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ownerFile), []byte(d.owner), 0o600)
	}
	if err != nil {
		remove(dir)
		return "", err
	}
	return dir, nil
}

// note adds a directory to the list on the disk.
func (d *Dirs) note(dir string) error {
	f, err := os.OpenFile(d.list, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(dir + "\x00")
	return errors.Join(err, f.Close())
}

// sweep removes the directories of owners that are gone.
func (d *Dirs) sweep(all string) {
	entries, _ := os.ReadDir(all)
	for _, e := range entries {
		dir := filepath.Join(all, e.Name())
		owner, err := durable.ReadFile(filepath.Join(dir, ownerFile), maxList)
		if err != nil || !filepath.IsAbs(string(owner)) {
			continue // it is being made, or none of these
		}
		if d.reap != nil && string(owner) != d.owner {
			d.reap(string(owner))
		}
		if _, err := os.Lstat(string(owner)); durable.IsAbsent(err) {
			_ = os.RemoveAll(dir)
		}
	}
}

// Find returns the place with a name, which is not found if no directory has it.
func (d *Dirs) Find(name string) (place string, found bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dir := range d.dirs {
		place := filepath.Join(dir, name)
		if _, err := os.Lstat(place); err == nil {
			return place, true
		}
	}
	return "", false
}

// Close removes the directories.
func (d *Dirs) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dir := range d.dirs {
		remove(dir)
	}
	d.dirs = nil
}

// remove removes a directory of an owner, and the directory of the user that it is in if it was the last.
func remove(dir string) {
	_ = os.RemoveAll(dir) // the next owner there removes the rest
	_ = os.Remove(filepath.Dir(dir))
}
