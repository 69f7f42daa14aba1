// Package gitbase finds the contents of files in the user's git repositories. The content of a tracked file that has not
// changed since git has last seen it is a blob of its repository: it need not be copied to be known later.
//
// The package reads the repository and changes nothing in it. It runs git only to read blobs, and in a git
// directory of its own, so that nothing that the repository configures has an effect: no hook, filter or monitor
// of the file system runs, and nothing is fetched.
package gitbase

import (
	"path/filepath"
	"slices"
	"sync/atomic"

	"pollux/internal/durable"
	"pollux/internal/gitstate/gitdir"
	"pollux/internal/gitstate/index"
	"pollux/internal/process"
	"pollux/internal/undo/state"
)

// Git is the user's git.
type Git struct {
	// Temp is the directory for git directories of a moment, which is made if necessary; "" is that for temporary files. Commands in the sandbox must not
	// write there: they could change the contents that undo gets.
	Temp string

	path     string // "" if it is not installed
	environ  []string
	launcher process.Launcher
}

// New finds git in the PATH of an environment ("NAME=value" each), which also has the locations of the user's
// configuration. A program in the directories outside is not used.
func New(launcher process.Launcher, environ []string, outside ...string) *Git {
	finder := process.Finder{Path: process.Getenv(environ, "PATH"), Outside: outside}
	return &Git{path: finder.Find("git"), environ: slices.Clone(environ), launcher: launcher}
}

// Repository is a repository as its index describes it at one time. It may be used from several goroutines at once.
type Repository struct {
	gitDir, commonDir string
	hash              int // size of a hash in bytes
	index             *index.Index
	read              state.State // of the file of the index
	written           int64       // time of the index, in nanoseconds since 1970
	attributes        attributes
	// verified has a bit for each entry whose blob is there and has the size of the file; nil before Verify.
	verified atomic.Pointer[[]uint64]
}

// maxIndex limits the size of an index in bytes: one of this size has two million files.
const maxIndex = 256 << 20

// Open reads the index of the repository whose work tree has the top directory top, an absolute path without links. It runs no
// program. It returns nil if there is no repository, or none whose blobs are known to be the contents of files:
// if git is not installed, the index has an unusual form, or the configuration is damaged.
//
// [Repository.Verify] must be called before blobs can be found.
func (g *Git) Open(top string) *Repository {
	gitDir, ok := gitdir.Of(top)
	if !ok || gitDir == "" || g.path == "" {
		return nil
	}
	r := &Repository{gitDir: gitDir, commonDir: gitdir.Common(gitDir)}
	c, ok := g.readConfig(r.gitDir, r.commonDir)
	if !ok || !c.isSupported() || !c.isAt(top, gitDir) {
		return nil
	}
	r.hash = c.hashSize()
	path := filepath.Join(gitDir, "index")
	read, err := state.Read(path) // before the index, so that it is not newer
	if err != nil || read.Kind != state.Regular {
		return nil
	}
	data, err := durable.ReadFile(path, maxIndex)
	if err != nil {
		return nil
	}
	if r.index, ok = index.Parse(data, r.hash); !ok {
		return nil
	}
	r.read, r.written = read, read.Modified
	if read.Changed != 0 {
		r.written = min(r.written, read.Changed) // a program may have set the other one
	}
	r.attributes = g.readAttributes(top, r, c)
	return r
}

// Dirs returns the git directory, and the directory that has the objects. They differ for a linked worktree.
func (r *Repository) Dirs() (gitDir, commonDir string) { return r.gitDir, r.commonDir }

// ObjectDir returns the directory that has the blobs, for [Git.NewReader]. It may name further ones, in
// info/alternates.
func (r *Repository) ObjectDir() string { return filepath.Join(r.commonDir, "objects") }

// IsCurrent reports whether the index is still the one that was read. If it is not, the results of Object are still true,
// but a new Repository knows more files.
func (r *Repository) IsCurrent() bool {
	now, err := state.Read(filepath.Join(r.gitDir, "index"))
	return err == nil && now.IsSame(r.read)
}

// Object returns the id of the blob that is the content of a file, by its path relative to the top directory, with
// slashes, and its present state. A link's content is its target. ok is false if the content may be another one. It is
// false for all files before [Repository.Verify] has returned.
//
// Git notes the states of files when it reads or writes them. Object relies on that, as git does: a change of a file
// within the tick of the file system's clock in which git has read it, but after that, remains unseen.
func (r *Repository) Object(path string, now state.State) (id ID, ok bool) {
	i, ok := r.index.Find(path)
	if !ok || !r.isVerified(i) {
		return ID{}, false
	}
	e := r.index.Entry(i)
	if e.IsOpen || e.IsSkipped || !isClean(e, now) || r.isRacy(e) {
		return ID{}, false
	}
	if now.Kind == state.Regular && r.attributes.mayConvert(path) {
		return ID{}, false
	}
	return idOf(e.Hash), true
}

// isClean reports whether a file is in the state in which git has seen it. Git lets a program that does not know a
// value leave it 0. Where the system has the time of the last change of the attributes, it must be known, because
// programs set the other one.
func isClean(e index.Entry, now state.State) bool {
	const second = 1e9
	switch e.Mode & index.TypeMask {
	case index.Regular:
		if now.Kind != state.Regular {
			return false
		}
	case index.Link:
		if now.Kind != state.Link {
			return false
		}
	default: // a submodule or a directory
		return false
	}
	isAt := func(t index.Time, at int64) bool {
		return at >= 0 && uint32(at/second) == t.Seconds && (t.Nanoseconds == 0 || uint32(at%second) == t.Nanoseconds)
	}
	return now.Size == int64(e.Size) && isAt(e.Modified, now.Modified) &&
		(now.Changed == 0 || isAt(e.Changed, now.Changed)) &&
		(e.Inode == 0 || now.Inode == 0 || e.Inode == uint32(now.Inode))
}

// isRacy reports whether a file may have changed after git has seen it, with the same times, because these are not
// before that of the index. Git then compares contents.
func (r *Repository) isRacy(e index.Entry) bool {
	const second = 1e9
	for _, t := range [...]index.Time{e.Modified, e.Changed} {
		at, written := int64(t.Seconds)*second+int64(t.Nanoseconds), r.written
		if t.Nanoseconds == 0 {
			written -= written % second
		}
		if at >= written {
			return true
		}
	}
	return false
}
