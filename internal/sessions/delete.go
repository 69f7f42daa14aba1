package sessions

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/journal"
)

// Delete deletes a session of [Store.List] with all that belongs to it: its files, those of its
// subagents, its log, tool outputs, plans and tasks. It removes symbolic links and does not follow
// them. The error is [journal.ErrInUse] if another process has the session open; nothing is deleted
// then.
func (s *Store) Delete(ctx context.Context, i Info) error {
	if err := s.forget(ctx, i); err != nil {
		return err
	}
	return s.remove(ctx, i, func(file) error { return nil })
}

// forget removes sessions from the indexes.
func (s *Store) forget(ctx context.Context, infos ...Info) error {
	names := map[string]bool{}
	for _, i := range infos {
		names[filepath.Base(i.Path)] = true
		for _, f := range i.files {
			names[filepath.Base(f.path)] = true
		}
	}
	if s.Dir == "" || len(names) == 0 {
		return nil
	}
	s.forgetOutlines(names)
	return textIndex(s.Dir).Remove(ctx, slices.Collect(maps.Keys(names)))
}

// forgetOutlines removes the entries of files from the index for lists. If it cannot, it removes the
// index, which is only needed to be fast.
func (s *Store) forgetOutlines(names map[string]bool) {
	path := filepath.Join(s.Dir, indexName)
	data, err := durable.ReadFile(path, maxIndex)
	if err != nil {
		return
	}
	var kept []byte
	for line := range bytes.SplitAfterSeq(data, []byte("\n")) {
		var f file
		if f.decode(line) == nil && !names[f.Name] {
			kept = append(kept, line...)
		}
	}
	if len(kept) < len(data) && durable.WriteFile(path, kept, 0o600) != nil {
		_ = os.Remove(path)
	}
}

// remove implements [Store.Delete]. It calls check for each file after it is locked, and deletes
// nothing if that returns an error.
func (s *Store) remove(ctx context.Context, i Info, check func(file) error) error {
	files := i.files
	if len(files) == 0 {
		files = []file{{entry: entry{path: i.Path}}}
	}
	for _, f := range files {
		release, err := journal.Claim(f.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		defer release()
		if err := check(f); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.removeArtifacts(i.ID); err != nil {
		return err
	}
	// The files come last: if this process ends before that, the session can be deleted again.
	for _, f := range slices.Backward(files) {
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return durable.Cause(err)
		}
	}
	return nil
}

// removeArtifacts deletes a session's data outside of its file. It stays below the directory of the
// project, whatever the id is.
func (s *Store) removeArtifacts(id string) error {
	if s.Dir == "" || !isPlainID(id) {
		return nil
	}
	project, err := os.OpenRoot(filepath.Dir(s.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return durable.Cause(err)
	}
	defer project.Close()
	// The directory of a session can have the name of one of the project's own.
	own := filepath.Join(filepath.Base(s.Dir), id)
	places := []string{own, filepath.Join("logs", "session-"+id+".jsonl"), filepath.Join("logs", "session-"+id+".crash.txt"), filepath.Join("tool-outputs", "session-"+id)}
	for _, name := range [...]string{"plans", "tasks", "tracker"} {
		if !isReserved(id) {
			places = append(places, filepath.Join(id, name))
		}
	}
	for _, place := range places {
		if err := removeAll(project, place); err != nil {
			return err
		}
	}
	_ = project.Remove(id) // only if it is empty
	return nil
}

// removeAll removes a file or directory below root. It removes a symbolic link itself, and nothing in a
// directory that is reached through one.
func removeAll(root *os.Root, path string) error {
	if info, err := root.Lstat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return nil // there is nothing, or a link in place of the directory
	}
	if err := root.RemoveAll(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return durable.Cause(err)
	}
	return nil
}

// isPlainID reports whether an id is the name of a file or directory and nothing else.
func isPlainID(id string) bool {
	return id != "" && filepath.IsLocal(id) && id != "." && !strings.ContainsAny(id, "/\\:\x00") && !strings.HasPrefix(id, ".")
}

// isReserved reports whether a session's directory would be one of the project's own.
func isReserved(id string) bool {
	return slices.ContainsFunc([]string{"chats", "logs", "tool-outputs", "checkpoints", "memory", "images"}, func(name string) bool {
		return strings.EqualFold(name, id)
	})
}
