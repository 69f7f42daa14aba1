// Package gitstate reads the state of a git repository from its files: the branch, and the files
// that differ from the index. It runs no program, so it is safe in any repository.
package gitstate

import (
	"crypto/sha1"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/gitstate/gitdir"
	"pollux/internal/gitstate/index"
)

// State is the state of a repository.
type State struct {
	// Branch is the name of the branch, "" if HEAD is detached. Commit is the abbreviated hash of
	// a detached HEAD.
	Branch, Commit string
	// IsNew reports whether the branch has no commits yet. [Head] leaves it out.
	IsNew bool
	// Operation is what git has begun and not finished: "merge", "rebase", "cherry-pick" or
	// "revert"; "" for nothing.
	Operation string
	// Changed are tracked files that differ from the index, relative to the directory that was asked
	// about, with slashes. The list has at most the requested number; Total counts all.
	Changed []string
	Total   int
}

// Limits of what Read reads, in bytes. An index of 400 KB has some 4000 files. To look at more of them takes longer than
// a start can wait, and a large index takes as long to read.
const (
	maxIndex = 400 << 10
	maxSmall = 64 << 10
)

// IsRepository reports whether git takes a directory for one that it keeps a repository in, such as .git.
func IsRepository(dir string) bool {
	for _, name := range [...]string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// Head returns the state of the repository that a directory belongs to, with the branch or the commit alone, and whether there
// is one.
func Head(dir string) (State, bool) {
	_, gitDir := find(dir)
	return head(gitDir)
}

func head(gitDir string) (s State, ok bool) {
	if gitDir == "" {
		return State{}, false
	}
	line := gitdir.FirstLine(filepath.Join(gitDir, "HEAD"))
	ref, isRef := strings.CutPrefix(line, "ref: ")
	switch {
	case isRef && ref != "refs/heads/.invalid": // of the format reftable
		s.Branch = strings.TrimPrefix(strings.TrimSpace(ref), "refs/heads/")
	case len(line) >= 40:
		s.Commit = line[:8]
	default:
		return State{}, false
	}
	return s, true
}

// Read returns the state of the repository that a directory belongs to, and whether there is one.
// It lists at most number files, and none if the repository has more than some 4000, if too many of them were copied since git has
// last looked at them, or if it takes longer than patience to look at all.
func Read(dir string, number int, patience time.Duration) (State, bool) {
	began := time.Now()
	top, gitDir := find(dir)
	s, ok := head(gitDir)
	if !ok {
		return State{}, false
	}
	s.IsNew, s.Operation = isNew(gitDir, s.Branch), operation(gitDir)
	data, err := durable.ReadFile(filepath.Join(gitDir, "index"), maxIndex)
	if err != nil || usesSHA256(gitDir) {
		return s, true
	}
	entries, ok := index.Parse(data, sha1.Size)
	if !ok {
		return s, true
	}
	files := comparer{top: top}
	if info, err := os.Stat(filepath.Join(gitDir, "index")); err == nil {
		files.written = info.ModTime()
	}
	for i := range entries.Len() {
		const least = 16 // a small repository does not depend on the load of the machine
		if i >= least && (files.read > maxRead || time.Since(began) > patience) {
			s.Changed, s.Total = nil, 0
			return s, true
		}
		e := entries.Entry(i)
		if i > 0 && e.Name == entries.Name(i-1) || !files.isChanged(e) { // conflicts have several entries
			continue
		}
		if s.Total++; len(s.Changed) < number {
			name, err := filepath.Rel(dir, filepath.Join(top, filepath.FromSlash(e.Name)))
			if err != nil {
				name = e.Name
			}
			s.Changed = append(s.Changed, filepath.ToSlash(name))
		}
	}
	return s, true
}

// String returns the state as a sentence.
func (s State) String() string {
	text := "on branch " + s.Branch
	if s.Branch == "" {
		text = "HEAD is detached at " + s.Commit
	}
	if s.IsNew {
		text += ", without commits"
	}
	if s.Operation != "" {
		text += "; " + s.Operation + " in progress"
	}
	if s.Total > 0 {
		text += "; changed and not staged: " + strings.Join(s.Changed, ", ")
	}
	if more := s.Total - len(s.Changed); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + "."
}

// isNew reports whether a branch has no commits: it does not exist, and no branches were packed.
func isNew(gitDir, branch string) bool {
	name := filepath.Join("refs", "heads", filepath.FromSlash(branch))
	isAbsent := func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil && durable.IsAbsent(err)
	}
	if branch == "" || !isAbsent(filepath.Join(gitDir, name)) {
		return false
	}
	common := gitdir.Common(gitDir) // of a worktree, whose own directory has no branches
	return isAbsent(filepath.Join(common, name)) && isAbsent(filepath.Join(common, "packed-refs"))
}

// find returns the top directory of the repository that dir belongs to, and its git directory; "" if
// there is none.
func find(dir string) (top, gitDir string) {
	for top = dir; ; top = filepath.Dir(top) {
		if gitDir, ok := gitdir.Of(top); ok || top == filepath.Dir(top) {
			return top, gitDir
		}
	}
}

// Top returns the top directory of the work tree that dir belongs to, "" if there is none, and whether its repository
// names contents by SHA-256.
func Top(dir string) (top string, isSHA256 bool) {
	top, gitDir := find(dir)
	if gitDir == "" {
		return "", false
	}
	text, err := durable.ReadFile(filepath.Join(gitdir.Common(gitDir), "config"), maxSmall)
	return top, err == nil && strings.Contains(strings.ToLower(string(text)), "sha256")
}

func operation(gitDir string) string {
	for _, o := range [...]struct{ file, name string }{
		{"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"MERGE_HEAD", "merge"}, {"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"},
	} {
		if _, err := os.Lstat(filepath.Join(gitDir, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}

// usesSHA256 reports whether the index may have hashes of 32 bytes.
func usesSHA256(gitDir string) bool {
	text, err := durable.ReadFile(filepath.Join(gitdir.Common(gitDir), "config"), maxSmall)
	return err != nil || strings.Contains(strings.ToLower(string(text)), "sha256")
}
