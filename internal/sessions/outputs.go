package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/durable"
)

// PruneOutputs deletes the tool outputs of the project that belong to no session, if nothing was written to them for the maximum
// age. current is the id of the session that runs. Outputs of a session are deleted with it.
func (s *Store) PruneOutputs(ctx context.Context, r Retention, now time.Time, current string) error {
	const outputs = "tool-outputs"
	if s.Dir == "" || r.MaxAge == 0 || durable.IsMissing(filepath.Join(filepath.Dir(s.Dir), outputs)) {
		return nil
	}
	files, err := s.files(ctx)
	if err != nil {
		return err
	}
	now, _ = certain(list(files), now)
	project, err := os.OpenRoot(filepath.Dir(s.Dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return durable.Cause(err)
	}
	defer project.Close()
	if info, err := project.Lstat(outputs); err != nil || !info.IsDir() {
		return nil // there are none, or a link in their place
	}
	entries, err := fs.ReadDir(project.FS(), outputs)
	if err != nil {
		return durable.Cause(err)
	}
	limit := now.Add(-r.MaxAge)
	for _, e := range entries {
		id, hasSession := strings.CutPrefix(e.Name(), "session-")
		place := outputs + "/" + e.Name()
		if hasSession && (id == current || isOf(files, id)) || !isOlder(project, place, limit) {
			continue
		}
		if err := errors.Join(ctx.Err(), removeAll(project, place)); err != nil {
			return err
		}
	}
	return nil
}

// isOf reports whether one of the files may be that of a session. The name of a file has the beginning of its id.
func isOf(files []file, id string) bool {
	const named = 8 // characters
	return slices.ContainsFunc(files, func(f file) bool {
		return f.Outline != nil && f.Outline.SessionID == id || f.Outline == nil && strings.Contains(f.Name, id[:min(len(id), named)])
	})
}

// isOlder reports whether a file, or all of a directory, was last written to before a time.
func isOlder(root *os.Root, place string, limit time.Time) bool {
	errNew := errors.New("written to since then")
	return fs.WalkDir(root.FS(), place, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && !info.ModTime().Before(limit) {
			return errNew
		}
		return err
	}) == nil
}
