package undo

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/undo/content"
	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/undo/tree"
)

// exporter adds versions to one operation.
type exporter struct {
	keep    *keeper
	to      *store.Writer
	changes []change // of the operation

	readers map[string]*gitbase.Reader // by the directory with the objects
	gone    map[string]*gitbase.Reader // of the objects that the operation has removed from it
	made    []string                   // directories to remove
	copied  int64                      // bytes of contents from other file systems
}

func (k *keeper) exporter(to *store.Writer, changes []change) *exporter {
	return &exporter{keep: k, to: to, changes: changes, readers: map[string]*gitbase.Reader{}, gone: map[string]*gitbase.Reader{}}
}

func (e *exporter) close() {
	for _, readers := range []map[string]*gitbase.Reader{e.readers, e.gone} {
		for _, r := range readers {
			_ = r.Close() // temporary files
		}
	}
	for _, dir := range e.made {
		_ = os.RemoveAll(dir) // the rest goes with the base
	}
}

// export adds a version to the operation, which is that before it or that after it.
func (e *exporter) export(ctx context.Context, v tree.Version, isBefore bool) (out store.Version, err error) {
	out.State = v.State
	switch v.Ref.Source {
	case inTargets:
		out.Target = e.keep.target(v.Ref)
	case unreadable:
		out.Lost = "the file could not be read"
	case tooLarge:
		out.Lost = fmt.Sprintf("there is no room for a copy of %d bytes", v.State.Size)
	case inBase, inBefore:
		base, kept := e.keep.place(v.Ref)
		out.Way, out.Sum = kept.Way, kept.Sum
		if kept.Way == content.Linked && base.IsAside(v.Ref.Number) {
			return out, e.aside(ctx, base, v, isBefore, &out)
		}
		if out.Content, err = e.to.Keep(base, v.Ref.Number, v.State.Size); err != nil && !isFatal(ctx, err) {
			out = store.Version{State: v.State, Lost: "its copy cannot be read: " + cause(err)} // the other paths come back
			err = nil
		}
	case inGit:
		err = e.blob(ctx, v.Ref, &out)
	}
	if v.State.Kind == state.Special {
		out.Lost = "it is a FIFO, a socket or a device"
	}
	return out, err
}

// aside adds a content whose second name is on another file system than the log, and goes with the base. The version after the operation
// needs none: if the file changes again, that operation has it.
func (e *exporter) aside(ctx context.Context, base *store.Base, v tree.Version, isBefore bool, out *store.Version) error {
	if !isBefore {
		out.Lost = "it is on another file system than the undo log"
		return nil
	}
	at, err := base.Content(v.Ref.Number, v.State.Size)
	if err != nil {
		return err
	}
	limit := e.keep.base.Store().Limit()
	switch now, err := state.Read(at.Path); {
	case err != nil || now.Kind != state.Regular:
		out.Lost = "its second name is gone"
	case now.Size != v.State.Size || now.Modified != v.State.Modified:
		out.Lost = "a program has written into the file, of which there was no room for a copy"
	case v.State.Size > limit:
		out.Lost = fmt.Sprintf("it is on another file system than the undo log, and larger than pollux.undo.maxMegabytes (%d)", limit>>20)
	case e.copied+v.State.Size > limit:
		out.Lost = fmt.Sprintf("it is on another file system than the undo log, and the files of this change are together larger than pollux.undo.maxMegabytes (%d)", limit>>20)
	}
	if out.Lost != "" {
		return nil
	}
	switch out.Content, err = e.to.Share(at, v.State.Size); {
	case err == nil:
		out.Way = content.Copied
		e.copied += v.State.Size
	case ctx.Err() != nil:
		return err
	default:
		*out = store.Version{State: v.State, Lost: fmt.Sprintf("no copy of its %d bytes could be made: %s", v.State.Size, cause(err))}
	}
	return nil
}

// share adds the version that another operation has left at a path.
func (e *exporter) share(c *claim) (v store.Version, err error) {
	v = c.After
	if v.Content != "" {
		if v.Content, err = e.to.Share(c.operation.Place(v.Content), v.State.Size); err != nil && durable.IsAbsent(err) {
			return store.Version{State: v.State, Lost: "the change before it has left the log"}, nil
		}
	}
	return v, err
}

// blob adds a content that a repository has.
func (e *exporter) blob(ctx context.Context, ref tree.Ref, out *store.Version) error {
	dir, id := e.keep.blobs.find(ref.Number)
	reader := e.readers[dir]
	if reader == nil {
		reader = e.keep.git.NewReader(dir)
		e.readers[dir] = reader
	}
	err := e.copy(ctx, reader, id, out)
	if err != nil && !isFatal(ctx, err) {
		var gone *gitbase.Reader
		if gone, err = e.readGone(dir); err == nil {
			err = e.copy(ctx, gone, id, out)
		}
	}
	if err != nil && !isFatal(ctx, err) {
		out.Lost, err = err.Error(), nil
	}
	return err
}

func (e *exporter) copy(ctx context.Context, from *gitbase.Reader, id gitbase.ID, out *store.Version) error {
	sum := sha256.New()
	var failed error // without the words of the store
	name, err := e.to.Create(out.State.Size, func(w io.Writer) (n int64, err error) {
		n, failed = from.Copy(ctx, id, io.MultiWriter(w, sum))
		return n, failed
	})
	if err != nil {
		return cmp.Or(failed, err)
	}
	out.Content, out.Way = name, content.Copied
	sum.Sum(out.Sum[:0])
	return nil
}

// cause returns the reason of an error without the path, which is that of the copy.
func cause(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// isFatal reports whether an error has nothing to do with the content that was to be read.
func isFatal(ctx context.Context, err error) bool {
	return durable.IsFull(err) || errors.Is(err, syscall.EROFS) || ctx.Err() != nil
}

// readGone returns a reader of the objects that the operation has removed from a directory, or has changed in it. The base has
// links to them.
func (e *exporter) readGone(objects string) (*gitbase.Reader, error) {
	if r := e.gone[objects]; r != nil {
		return r, nil
	}
	dir, err := os.MkdirTemp(e.keep.base.File(""), "objects-")
	if err != nil {
		return nil, err
	}
	e.made = append(e.made, dir)
	for _, c := range e.changes {
		rel, ok := strings.CutPrefix(c.path, objects+string(filepath.Separator))
		if !ok || c.Before.State.Kind != state.Regular || !isObject(rel) {
			continue
		}
		base, kept := e.keep.place(c.Before.Ref)
		if kept.Way == content.None {
			continue
		}
		to := filepath.Join(dir, rel)
		if err := durable.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return nil, err
		}
		if err := base.Link(c.Before.Ref.Number, to); err != nil {
			return nil, err
		}
	}
	r := e.keep.git.NewReader(dir)
	e.gone[objects] = r
	return r, nil
}

// isObject reports whether a path in a directory with objects is that of an object, or of a pack or its index. The other
// files there only make git faster.
func isObject(rel string) bool {
	dir, name := filepath.Split(rel)
	dir = strings.TrimSuffix(dir, string(filepath.Separator))
	ext := filepath.Ext(name)
	return len(dir) == 2 || dir == "pack" && (ext == ".pack" || ext == ".idx")
}
