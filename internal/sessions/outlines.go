package sessions

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-faster/jx"

	"pollux/internal/journal"
)

// file is a session file with its outline.
type file struct {
	entry
	Title   string           `json:"title,omitempty"`
	Outline *journal.Outline `json:"outline,omitempty"` // nil if the file holds no session
}

// updated returns when the session was used last. Clocks can jump: a time before the start is the
// start, and a time after the last write is that of the last write.
func (f *file) updated() time.Time {
	t := f.Outline.Updated
	if t.Before(f.Outline.Start) {
		t = f.Outline.Start
	}
	if limit := f.modTime().Add(24 * time.Hour); t.IsZero() || t.After(limit) {
		return f.modTime()
	}
	return t
}

// indexName is the name of the index of outlines in the directory of the session files.
const indexName = ".pollux-sessions.jsonl"

// files returns the session files with their outlines.
func (s *Store) files(ctx context.Context) ([]file, error) {
	entries, err := s.entries()
	if err != nil {
		return nil, err
	}
	files := make([]file, len(entries))
	for i, e := range entries {
		files[i].entry = e
	}
	err = load(ctx, filepath.Join(s.Dir, indexName), files)
	return files, err
}

// entries returns the session files.
func (s *Store) entries() ([]entry, error) {
	list, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) || s.Dir == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var entries []entry
	for _, d := range list {
		if !isSessionName(d.Name()) {
			continue
		}
		if e, ok := newEntry(s.Dir, d.Name(), d); ok {
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// isSessionName reports whether a file has a name that Gemini CLI takes for a session's.
func isSessionName(name string) bool {
	return strings.HasPrefix(name, "session-") && (strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json"))
}

// load sets the outline. It reads only the added part of the file.
func (f *file) load(known *file) {
	if known != nil && f.isSame(&known.entry) {
		f.Outline, f.Title = known.Outline, known.Title
		return
	}
	var before *journal.Outline
	if known != nil && f.Size > known.Size { // else it was not only appended to
		before = known.Outline
	}
	f.read = f.Size
	f.Outline, _ = journal.Peek(f.path, before) // nil if it cannot be read
	if f.Outline != nil {
		f.Title = title(f.Outline)
		f.Outline.ProjectHash, f.Outline.Directories = "", nil // a list does not need them
	}
	if f.Outline != nil && before != nil && before.Read > 0 && before.Read <= f.Size {
		f.read -= before.Read
	}
}

func (f *file) decode(line []byte) error {
	return f.decodeLine(line, func(d *jx.Decoder, key string) (err error) {
		switch key {
		case "title":
			f.Title, err = d.Str()
		case "outline":
			raw, err := d.Raw()
			if err != nil {
				return err
			}
			f.Outline = &journal.Outline{}
			return f.Outline.UnmarshalJSON(raw)
		default:
			err = d.Skip()
		}
		return err
	})
}
