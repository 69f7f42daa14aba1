package undo

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/state"
)

// blobs numbers contents that repositories have. Its methods may be called from several goroutines at once.
type blobs struct {
	mu   sync.Mutex
	dirs []string // with the objects of repositories
	list []blob
	free []uint32 // numbers that are not used
}

type blob struct {
	dir uint32
	id  gitbase.ID
}

// add returns the number of a content, given the directory with the objects of its repository.
func (b *blobs) add(dir string, id gitbase.ID) uint32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.Index(b.dirs, dir)
	if at < 0 {
		at = len(b.dirs)
		b.dirs = append(b.dirs, dir)
	}
	added := blob{uint32(at), id}
	if n := len(b.free); n > 0 {
		number := b.free[n-1]
		b.free, b.list[number] = b.free[:n-1], added
		return number
	}
	b.list = append(b.list, added)
	return uint32(len(b.list) - 1)
}

func (b *blobs) find(number uint32) (dir string, id gitbase.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := b.list[number]
	return b.dirs[found.dir], found.id
}

func (b *blobs) drop(number uint32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list[number] = blob{}
	b.free = append(b.free, number)
}

// in returns the contents of a directory with objects, by their numbers.
func (b *blobs) in(dir string) map[uint32]gitbase.ID {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := map[uint32]gitbase.ID{}
	for number, found := range b.list {
		if found.id != (gitbase.ID{}) && b.dirs[found.dir] == dir {
			list[uint32(number)] = found.id
		}
	}
	return list
}

// repository is a repository of the user.
type repository struct {
	top string

	mu   sync.Mutex
	look uint64              // the look in which now was opened, or found current
	now  *gitbase.Repository // nil if its blobs cannot be used
}

// current returns the repository as its index is now, nil if its blobs cannot be used.
func (k *keeper) current(ctx context.Context, r *repository) *gitbase.Repository {
	r.mu.Lock()
	defer r.mu.Unlock()
	look := k.looks.Load()
	if r.look == look || ctx.Err() != nil {
		return r.now
	}
	r.look = look
	if r.now != nil && r.now.IsCurrent() {
		return r.now
	}
	next := k.git.Open(r.top)
	if next == nil || !k.mayLink(next.ObjectDir()) {
		r.now = nil
		return nil
	}
	reader := k.git.NewReader(next.ObjectDir())
	defer reader.Close()
	if next.Verify(ctx, reader, r.now) != nil {
		next = nil
	}
	r.now = next
	return next
}

// mayLink reports whether the trees have all objects of a repository, and the base links to them: then its blobs can be read even
// if a call removes them. Whether each could be linked is known when it was read: see refuse.
func (k *keeper) mayLink(objects string) bool {
	k.mu.Lock()
	isRefused := k.refused[objects]
	k.mu.Unlock()
	isIn := func(dir string) bool { return contains(dir, objects) }
	if isRefused || !slices.ContainsFunc(k.roots(), isIn) || slices.ContainsFunc(k.skip, isIn) {
		return false
	}
	packs := filepath.Join(objects, "pack")
	if real, err := filepath.EvalSymlinks(packs); err != nil || real != packs {
		return false
	}
	others, err := state.Read(filepath.Join(objects, "info", "alternates"))
	if err != nil || others.Kind != state.Absent {
		return false
	}
	there, err := state.Read(packs)
	here, failed := state.Read(k.base.File(""))
	return err == nil && failed == nil && there.Device == here.Device
}

// refuse takes nothing more from a directory with objects, because the base has no links to some of them.
func (k *keeper) refuse(objects string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refused == nil {
		k.refused = map[string]bool{}
	}
	k.refused[objects] = true
}

// blobOf returns the number of the content of a tracked file that has not changed since git has seen it.
func (k *keeper) blobOf(ctx context.Context, in scope, path string, now state.State) (number uint32, ok bool) {
	if in.repository == nil {
		return 0, false
	}
	r := k.current(ctx, in.repository)
	if r == nil {
		return 0, false
	}
	rel := strings.TrimPrefix(path, strings.TrimSuffix(in.repository.top, string(filepath.Separator))+string(filepath.Separator))
	id, ok := r.Object(filepath.ToSlash(rel), now)
	if !ok {
		return 0, false
	}
	return k.blobs.add(r.ObjectDir(), id), true
}

// repositoryAt returns the repository with a top directory, always the same one.
func (k *keeper) repositoryAt(top string) *repository {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.repositories[top]
	if r == nil {
		r = &repository{top: top}
		if k.repositories == nil {
			k.repositories = map[string]*repository{}
		}
		k.repositories[top] = r
	}
	return r
}

// missing returns the numbers of the contents that a directory with objects does not have any more, or is not trusted to have.
// Repositories with this directory are opened again.
func (k *keeper) missing(ctx context.Context, dir string) map[uint32]bool {
	k.mu.Lock()
	for _, r := range k.repositories {
		r.mu.Lock()
		if r.now != nil && r.now.ObjectDir() == dir {
			r.now, r.look = nil, 0
		}
		r.mu.Unlock()
	}
	k.mu.Unlock()
	all := k.blobs.in(dir)
	if len(all) == 0 {
		return nil
	}
	var numbers []uint32
	var ids []gitbase.ID
	for number, id := range all {
		numbers, ids = append(numbers, number), append(ids, id)
	}
	reader := k.git.NewReader(dir)
	defer reader.Close()
	has, err := reader.Has(ctx, ids)
	gone := map[uint32]bool{}
	k.mu.Lock()
	isRefused := k.refused[dir]
	k.mu.Unlock()
	for i, number := range numbers {
		if isRefused || err != nil || !has[i] {
			gone[number] = true
		}
	}
	return gone
}
