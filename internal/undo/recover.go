package undo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/store"
	"pollux/internal/undo/tree"
)

// The names of files in a base: the versions in the trees, and for each run its beginning and the versions at its own
// paths.
const (
	manifestFile = "manifest"
	runFile      = store.Pending
	ownFile      = "paths-"
)

// beginning is a run that has begun, on the disk.
type beginning struct {
	Header     store.Header
	IsAnywhere bool
	Seen       int // the newest operation in the log before it
	// Known and Own are the bytes of the manifests with the versions before it. Without all of them, files that were
	// there would look like new ones.
	Known, Own int64
}

// errDamaged is returned for a manifest that lacks entries.
var errDamaged = errors.New("the list of the files before it is damaged")

// note writes that a run begins, so that its changes are recorded even if the process is killed.
func (run *Run) note() error {
	r := run.recorder
	run.number = strconv.FormatInt(r.runs.Add(1), 10)
	own := int64(0)
	if len(run.trees) > 0 {
		m, err := createManifest(r.base.File(ownFile + run.number))
		if err != nil {
			return err
		}
		for _, t := range run.trees {
			err = errors.Join(err, r.saveTree(m, t))
		}
		if err = errors.Join(err, m.close()); err != nil {
			return err
		}
		own = m.size
	}
	b := beginning{Header: run.header, IsAnywhere: run.window != nil, Known: run.known, Own: own}
	if b.IsAnywhere {
		b.Seen = run.window.after
	}
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	// If the process is killed here, a part of the note does no harm: the run has not begun.
	return os.WriteFile(r.base.File(runFile+run.number), data, 0o600)
}

// forget removes the note of a run that has ended.
func (run *Run) forget() {
	_ = os.Remove(run.recorder.base.File(runFile + run.number))
	if len(run.trees) > 0 {
		_ = os.Remove(run.recorder.base.File(ownFile + run.number))
	}
}

// saveTree writes all versions of a tree. The root is there even if nothing stands at it.
func (r *Recorder) saveTree(m *manifest, t *tree.Tree) error {
	err := m.add(r.known(t.Root(), "", t.Find("")))
	for path, v := range t.All {
		if err != nil {
			break
		}
		if path != "" {
			r.checkObject(absolute(t.Root(), path), v)
			err = m.add(r.known(t.Root(), path, v))
		}
	}
	return err
}

func (r *Recorder) known(root, path string, v tree.Version) known {
	k := known{root: root, path: path, version: v}
	switch v.Ref.Source {
	case inTargets:
		k.target = r.keep.target(v.Ref)
	case inBase:
		k.kept, _ = r.base.Find(v.Ref.Number)
	case inGit:
		objects, id := r.keep.blobs.find(v.Ref.Number)
		k.objects, k.id = objects, id.String()
	}
	return k
}

// Recover records the changes of runs whose process was killed, as operations, and lets go of its base. git reads the contents that
// only repositories have; nil for none.
func Recover(ctx context.Context, s *store.Store, git *gitbase.Git) error {
	dead, err := s.Abandoned()
	if err != nil {
		return err
	}
	var failed error
	for _, b := range dead {
		if err := recoverBase(ctx, s, git, b); err != nil {
			failed = errors.Join(failed, fmt.Errorf("record the changes of a session that was killed: %w", err))
		}
		b.Close()
	}
	return failed
}

// recoverBase records the changes of the runs of one base.
func recoverBase(ctx context.Context, s *store.Store, git *gitbase.Git, old *store.Base) error {
	now, err := s.Open()
	if err != nil {
		return err
	}
	defer now.Close()
	r := &Recorder{opts: Options{Max: DefaultMax}, base: now, claimed: map[string]bool{}, own: map[int]bool{}}
	r.keep = &keeper{base: now, largest: largest, room: s.Limit() / 4, before: old, git: git}
	var failed error
	anywhere := beginning{}
	for _, note := range old.Pending() {
		b, ok := readBeginning(note)
		if !ok {
			continue
		}
		if b.IsAnywhere && (!anywhere.IsAnywhere || b.Header.Kind != store.Background) {
			anywhere = b
		}
		trees, err := r.load(old.File(ownFile+strings.TrimPrefix(filepath.Base(note), runFile)), b.Own)
		if err == nil {
			err = r.recoverRun(ctx, b, trees)
		}
		failed = errors.Join(failed, err)
	}
	if !anywhere.IsAnywhere {
		return failed
	}
	trees, err := r.load(old.File(manifestFile), anywhere.Known)
	if err == nil {
		err = r.recoverRun(ctx, anywhere, trees)
	}
	return errors.Join(failed, err)
}

func readBeginning(path string) (b beginning, ok bool) {
	data, err := durable.ReadFile(path, maxEntry)
	return b, err == nil && json.Unmarshal(data, &b) == nil
}

// recoverRun records the changes in trees since they were saved.
func (r *Recorder) recoverRun(ctx context.Context, b beginning, trees []*tree.Tree) error {
	var changes []change
	for _, t := range trees {
		list, err := t.RefreshAll(ctx)
		if err != nil {
			return err
		}
		for _, c := range list {
			if path := absolute(t.Root(), c.Path); !r.claimed[path] {
				r.claimed[path] = true
				changes = append(changes, change{path: path, Change: c})
			}
		}
	}
	if len(changes) > 0 && b.IsAnywhere {
		others := r.othersSince(b.Seen)
		changes = others.divide(changes)
	}
	h := b.Header
	h.Ended, h.IsAnywhere = time.Now(), b.IsAnywhere
	h.Beside = append(h.Beside, "everything until Pollux was started again, because it was killed")
	_, err := r.commit(ctx, h, changes)
	return err
}

// load returns the trees of a manifest, which must have at least so many bytes.
func (r *Recorder) load(path string, size int64) (trees []*tree.Tree, err error) {
	f, err := os.Open(path)
	if err != nil && size > 0 {
		return nil, errDamaged
	}
	if err != nil { // the run has no manifest of its own
		return nil, nil
	}
	defer f.Close()
	entries := map[string]map[string]tree.Version{} // by root and path
	read := readManifest(f, func(k known) {
		if !filepath.IsAbs(k.root) || k.path != "" && !filepath.IsLocal(filepath.FromSlash(k.path)) {
			return
		}
		if entries[k.root] == nil {
			entries[k.root] = map[string]tree.Version{}
		}
		entries[k.root][k.path] = r.keep.adopt(k)
	})
	if read < size {
		return nil, errDamaged
	}
	for _, root := range slices.Sorted(maps.Keys(entries)) {
		trees = append(trees, tree.Load(root, r.optionsOutside(), entries[root]))
	}
	return trees, nil
}
