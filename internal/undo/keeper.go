package undo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/undo/content"
	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/undo/tree"
)

// Where the content of a version is.
const (
	nowhere    uint8 = iota
	inBase           // the number is that of the content in the base
	inTargets        // the target of a link
	unreadable       // the content was not kept: it cannot be read
	tooLarge         // the content was not kept: there is no room for a copy, and no link is possible
	inBefore         // the number is that of the content in the base of a process that was killed
	inGit            // the number is that of the blob in a repository
)

// keeper keeps contents in a base. It implements [tree.Keeper].
type keeper struct {
	base *store.Base
	// largest is the size of the largest file that is copied, and room the number of bytes of all copies.
	largest, room int64
	cannotClone   atomic.Bool

	git   *gitbase.Git    // nil for none
	roots func() []string // whose files are all in the trees, but those in skip
	skip  []string
	looks atomic.Uint64 // the number of the look at the trees
	blobs blobs

	// before is the base of a process that was killed; nil for none.
	before *store.Base

	mu           sync.Mutex
	targets      []string
	adopted      map[uint32]content.Kept // contents of before
	repositories map[string]*repository  // by their top directories
	refused      map[string]bool         // directories with objects
}

// outside is a keeper that takes nothing from repositories, for files whose repository is not in the trees.
type outside struct{ *keeper }

// Enter implements [tree.Keeper].
func (o outside) Enter(above tree.Scope, path string, _ []state.Named) tree.Scope {
	return enter(above, path)
}

// scope is the knowledge of the keeper about a directory.
type scope struct {
	// isMade reports whether programs make the files of the directory and can make them again, or never change them in
	// place: they are linked rather than copied.
	isMade bool
	isGit  bool
	// repository has the directory in its work tree; nil for none.
	repository *repository
}

// made are the names of directories whose contents programs make and replace, but rarely change in place.
var made = []string{
	"node_modules", ".venv", "venv", "vendor", "target", "dist", "build", "out", ".next", ".nuxt", ".gradle", ".tox", ".nox",
	"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".terraform", ".cache", ".parcel-cache", ".turbo",
	"bower_components", "Pods", "DerivedData", "elm-stuff", "_build", "deps", ".stack-work", "dist-newstyle", "coverage",
}

// Enter implements [tree.Keeper].
func (k *keeper) Enter(above tree.Scope, path string, entries []state.Named) tree.Scope {
	in := enter(above, path)
	isTop := slices.ContainsFunc(entries, func(e state.Named) bool { return e.Name == ".git" })
	switch {
	case k.git == nil:
		return in
	case in.isGit && in.repository != nil:
		in.repository = nil
	case isTop && !in.isGit:
		in.repository = k.repositoryAt(path)
	case above == nil && !in.isGit:
		if top, _ := repositoryOf(path); top != "" {
			in.repository = k.repositoryAt(top)
		}
	}
	return in
}

// enter returns the scope of a directory as its name tells it.
func enter(above tree.Scope, path string) scope {
	up, ok := above.(scope)
	if !ok {
		up.isGit = strings.Contains(filepath.ToSlash(path)+"/", "/.git/")
	}
	name := filepath.Base(path)
	next := up
	next.isMade, next.isGit = up.isMade || slices.Contains(made, name), up.isGit || name == ".git"
	if next.isGit {
		next.isMade = up.isMade || name == "objects" // git writes no object twice
	}
	return next
}

// Keep implements [tree.Keeper].
func (k *keeper) Keep(ctx context.Context, s tree.Scope, path string, now state.State) (tree.Version, error) {
	if now.Kind == state.Link {
		target, err := os.Readlink(path)
		if err != nil {
			return tree.Version{}, nil
		}
		return tree.Version{State: now, Ref: k.keepTarget(target)}, nil
	}
	if now.Size == 0 {
		return tree.Version{State: now}, nil
	}
	in, _ := s.(scope)
	if number, ok := k.blobOf(ctx, in, path, now); ok {
		return tree.Version{State: now, Ref: tree.Ref{Source: inGit, Number: number}}, nil
	}
	taken, err := k.take(ctx, path, now, in.isMade)
	switch {
	case err == nil:
		return tree.Version{State: taken.State, Ref: tree.Ref{Source: inBase, Number: taken.Number}}, nil
	case state.IsAbsent(err):
		return tree.Version{}, nil
	case ctx.Err() != nil:
		return tree.Version{}, context.Cause(ctx)
	case durable.IsFull(err), errors.Is(err, syscall.EROFS):
		return tree.Version{}, fmt.Errorf("keep files for undo: %w", err)
	case errors.Is(err, os.ErrPermission):
		return tree.Version{State: now, Ref: tree.Ref{Source: unreadable}}, nil
	}
	return tree.Version{State: now, Ref: tree.Ref{Source: tooLarge}}, nil
}

// take keeps a content in the way that costs least.
func (k *keeper) take(ctx context.Context, path string, now state.State, isMade bool) (t store.Taken, err error) {
	first := content.Ways{Clone: !k.cannotClone.Load(), Link: true, Aside: true}
	fits := now.Size <= k.largest && k.base.Copied()+now.Size <= k.room
	if fits && !isMade && now.Size <= content.MaxSmall {
		if t, err = k.base.Pack(ctx, path); !errors.Is(err, content.ErrChanged) {
			return t, err
		}
	}
	if fits && !isMade {
		first.Copy, first.Link, first.Aside = true, false, false
	}
	t, err = k.base.Take(ctx, path, first)
	if first.Clone && (err != nil || t.Way != content.Cloned) {
		k.cannotClone.Store(true)
	}
	if err == nil || state.IsAbsent(err) || ctx.Err() != nil {
		return t, err
	}
	isFull := durable.IsFull(err) // there would be no room to copy it from there either
	second := content.Ways{Link: !first.Link, Aside: !first.Link && !isFull, Copy: !first.Copy && fits}
	if second == (content.Ways{}) {
		return t, err
	}
	other, failed := k.base.Take(ctx, path, second)
	if failed != nil && !durable.IsFull(failed) {
		return t, err
	}
	return other, failed
}

func (k *keeper) keepTarget(target string) tree.Ref {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.targets = append(k.targets, target)
	return tree.Ref{Source: inTargets, Number: uint32(len(k.targets) - 1)}
}

func (k *keeper) target(r tree.Ref) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.targets[r.Number]
}

// IsEqual implements [tree.Keeper].
func (k *keeper) IsEqual(a, b tree.Ref) bool {
	switch {
	case a == b:
		return true
	case a.Source == inGit && b.Source == inGit:
		_, x := k.blobs.find(a.Number)
		_, y := k.blobs.find(b.Number)
		return x == y
	case a.Source == inTargets && b.Source == inTargets:
		return k.target(a) == k.target(b)
	case b.Source == inGit:
		return k.isBlob(a, b)
	case a.Source == inGit:
		return k.isBlob(b, a)
	}
	_, x := k.place(a)
	_, y := k.place(b)
	if x.Way == content.Linked && y.Way == content.Linked {
		return x.State.Inode == y.State.Inode
	}
	return x.Sum == y.Sum && x.Sum != content.Sum{}
}

// IsLink implements [tree.Keeper].
func (k *keeper) IsLink(r tree.Ref) bool {
	base, kept := k.place(r)
	return base != nil && kept.Way == content.Linked
}

// isBlob reports whether a content in a base is the one that a repository has.
func (k *keeper) isBlob(r, git tree.Ref) bool {
	_, id := k.blobs.find(git.Number)
	base, kept := k.place(r)
	if base == nil || kept.State.Size == 0 {
		return false
	}
	at, err := base.Content(r.Number, kept.State.Size)
	if err != nil {
		return false
	}
	f, err := at.Open()
	if err != nil {
		return false
	}
	defer f.Close()
	return id.IsOf(f, kept.State.Size)
}

// Drop implements [tree.Keeper].
func (k *keeper) Drop(r tree.Ref) {
	switch r.Source {
	case inBase:
		k.base.Drop(r.Number)
	case inGit:
		k.blobs.drop(r.Number)
	}
}

// adopt returns a version that another process has kept.
func (k *keeper) adopt(v known) tree.Version {
	switch v.version.Ref.Source {
	case inTargets:
		v.version.Ref = k.keepTarget(v.target)
	case inBase:
		v.version.Ref.Source = inBefore
		if k.adopted == nil {
			k.adopted = map[uint32]content.Kept{}
		}
		v.kept.State = v.version.State
		k.adopted[v.version.Ref.Number] = v.kept
	case inGit:
		id, err := gitbase.Parse(v.id)
		if err != nil || k.git == nil || !filepath.IsAbs(v.objects) {
			v.version.Ref = tree.Ref{Source: unreadable}
			break
		}
		v.version.Ref.Number = k.blobs.add(v.objects, id)
	}
	return v.version
}

// place returns the base with a content, nil for none, and its description.
func (k *keeper) place(r tree.Ref) (*store.Base, content.Kept) {
	switch r.Source {
	case inBase:
		kept, _ := k.base.Find(r.Number)
		return k.base, kept
	case inBefore:
		return k.before, k.adopted[r.Number]
	}
	return nil, content.Kept{}
}
