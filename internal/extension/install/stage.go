package install

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/process"
)

// stagesName is the name of the directory with stages, beside the directory of extensions: on the same
// file system, and not in it, where a stage would count as an extension.
const stagesName = ".extensions-staging"

// The names in a stage.
const (
	oldName   = "old"   // an extension that was taken from its place
	placeName = "place" // where old belongs
)

// stage is a directory in which an extension is made ready. If Pollux is killed, a later run removes
// it.
type stage struct{ dir string }

func (m *Manager) newStage() (*stage, error) {
	all := filepath.Join(filepath.Dir(m.realDir()), stagesName)
	if err := durable.MkdirAll(m.Dir, 0o755); err != nil {
		return nil, err
	}
	removeAbandoned(all)
	var dir string
	var err error
	for range 3 { // another process may remove the directory when its stage was the last one
		if err = durable.MkdirAll(all, 0o700); err != nil {
			return nil, err
		}
		if dir, err = os.MkdirTemp(all, owner(os.Getpid())+"-"); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return &stage{dir}, nil
}

// owner returns the beginning of the names of the stages of a process: its number, and a hash of
// [process.Started], which distinguishes it from others with the same number. The hash is "" if the
// process does not run or if the system does not show its start.
func owner(pid int) string {
	started := process.Started(pid)
	if started != "" {
		sum := sha256.Sum256([]byte(started))
		started = hex.EncodeToString(sum[:8])
	}
	return strconv.Itoa(pid) + "-" + started
}

// newDir makes an empty directory in the stage.
func (s *stage) newDir(name string) (string, error) {
	dir := filepath.Join(s.dir, name)
	return dir, os.Mkdir(dir, 0o755)
}

// remove removes the stage, and the directory of stages if it is the last one.
func (s *stage) remove() {
	_ = makeWritable(s.dir)
	_ = os.RemoveAll(s.dir) // a later run tries again
	_ = os.Remove(filepath.Dir(s.dir))
}

// makeWritable lets the owner change the directories below dir.
func makeWritable(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil //nolint:nilerr // removing reports files that cannot be removed
		}
		if info, err := d.Info(); err == nil && info.Mode().Perm()&0o700 != 0o700 {
			_ = os.Chmod(path, info.Mode().Perm()|0o700)
		}
		return nil
	})
}

// abandonedAfter is the age of a stage whose owner is not known to have ended.
const abandonedAfter = 24 * time.Hour

// removeAbandoned removes the stages of processes that were killed. An extension that was taken from
// its place is put back, if there is none now.
func removeAbandoned(all string) {
	entries, _ := os.ReadDir(all)
	for _, e := range entries {
		s := &stage{filepath.Join(all, e.Name())}
		if !s.isAbandoned() {
			continue
		}
		if place, err := durable.ReadFile(filepath.Join(s.dir, placeName), maxText); err == nil {
			if _, err := os.Lstat(string(place)); errors.Is(err, fs.ErrNotExist) {
				_ = os.Rename(filepath.Join(s.dir, oldName), string(place))
			}
		}
		s.remove()
	}
}

// isAbandoned reports whether the process that has made the stage has ended.
func (s *stage) isAbandoned() bool {
	info, err := os.Stat(s.dir)
	if err != nil {
		return false
	}
	number, rest, _ := strings.Cut(filepath.Base(s.dir), "-")
	started, _, _ := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(number)
	if err != nil || started == "" {
		return time.Since(info.ModTime()) > abandonedAfter
	}
	return owner(pid) != number+"-"+started
}

// replace puts a new directory into the place of an old one, in one step where the system can. It
// returns the path that the old one has then, and a function that undoes all.
func (s *stage) replace(place, files string) (undo func() error, err error) {
	old := files
	err = exchange(files, place)
	if err != nil {
		// Not in one step: if Pollux is killed between the two, a later run puts the old one back.
		old = filepath.Join(s.dir, oldName)
		if err := durable.WriteFile(filepath.Join(s.dir, placeName), []byte(place), 0o600); err != nil {
			return nil, err
		}
		if err := os.Rename(place, old); err != nil {
			return nil, err
		}
		if err := os.Rename(files, place); err != nil {
			return nil, errors.Join(err, os.Rename(old, place))
		}
	}
	return func() error {
		if exchange(old, place) == nil {
			return nil
		}
		return errors.Join(os.Rename(place, filepath.Join(s.dir, "failed")), os.Rename(old, place))
	}, durable.SyncDir(filepath.Dir(place))
}

// take moves a directory into the stage.
func (s *stage) take(place string) error {
	return os.Rename(place, filepath.Join(s.dir, oldName))
}
