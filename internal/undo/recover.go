package undo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pollux/internal/durable"
	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/store"
	"pollux/internal/undo/tree"
)

// manifestFile is the name of the file in a base with the versions in the trees.
const manifestFile = "manifest"

// beginning is a run that has begun, on the disk. It is a line of the note, which the versions at the run's own paths follow.
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
	var own bytes.Buffer
	m := &manifest{w: &own}
	for _, t := range run.trees {
		if err := r.saveTree(m, t); err != nil {
			return err
		}
	}
	b := beginning{Header: run.header, IsAnywhere: run.window != nil, Known: run.known, Own: m.size}
	if b.IsAnywhere {
		b.Seen = run.window.after
	}
	line, err := json.Marshal(b)
	if err != nil {
		return err
	}
	run.number, err = r.base.BeginRun(slices.Concat(line, []byte("\n"), own.Bytes()))
	return err
}

// forget removes the note of a run that has ended.
func (run *Run) forget() { run.recorder.base.EndRun(run.number) }

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

// Recover records the changes of runs whose process was killed, or had no room for them, as operations, and removes its base, unless there is
// no room still. git reads the contents that only repositories have; nil for none.
func Recover(ctx context.Context, s *store.Store, git *gitbase.Git) error {
	dead, err := s.Abandoned()
	if err != nil {
		return err
	}
	var failed error
	for _, b := range dead {
		err := recoverBase(ctx, s, git, b)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("record the changes of an earlier call: %w", err))
		}
		if durable.IsFull(err) {
			b.Leave()
		} else {
			b.Close()
		}
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
	log, _, failed := s.List()
	anywhere := beginning{}
	for _, note := range old.Pending() {
		b, own, ok := readBeginning(note)
		if !ok || slices.ContainsFunc(log, b.isRecorded) {
			continue
		}
		if b.IsAnywhere && (!anywhere.IsAnywhere || b.Header.Kind != store.Background) {
			anywhere = b
		}
		trees, err := r.load(bytes.NewReader(own), b.Own)
		if err == nil {
			err = r.recoverRun(ctx, b, trees)
		}
		failed = errors.Join(failed, err)
	}
	if !anywhere.IsAnywhere {
		return failed
	}
	f, err := os.Open(old.File(manifestFile))
	if err != nil {
		return errors.Join(failed, errDamaged)
	}
	defer f.Close()
	trees, err := r.load(f, anywhere.Known)
	if err == nil {
		err = r.recoverRun(ctx, anywhere, trees)
	}
	return errors.Join(failed, err)
}

// isRecorded reports whether an operation is that of the run: the process was killed after it was in the log.
func (b *beginning) isRecorded(o store.Header) bool {
	h := b.Header
	return o.Session == h.Session && o.Prompt == h.Prompt && o.Call == h.Call && o.Tool == h.Tool && o.Title == h.Title &&
		!o.Began.After(h.Began) && !o.Ended.Before(h.Began)
}

// readBeginning reads the note of a run, and returns the manifest of its own paths.
func readBeginning(note []byte) (b beginning, own []byte, ok bool) {
	line, own, ok := bytes.Cut(note, []byte("\n"))
	return b, own, ok && json.Unmarshal(line, &b) == nil
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
	h.Beside = append(h.Beside, "everything until it could be recorded, because Pollux was killed or the disk was full")
	_, err := r.commit(ctx, h, changes)
	return err
}

// load returns the trees of a manifest as they were when it had so many bytes: more may follow, of versions after a run.
func (r *Recorder) load(from io.Reader, size int64) (trees []*tree.Tree, err error) {
	entries := map[string]map[string]tree.Version{} // by root and path
	read := readManifest(io.LimitReader(from, size), func(k known) {
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
