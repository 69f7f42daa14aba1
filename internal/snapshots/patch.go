package snapshots

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/gitstate"
	"pollux/internal/journal"
	"pollux/internal/project"
	"pollux/internal/undo/history"
	"pollux/internal/undo/patch"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/store"
	"pollux/internal/wording"
)

// Existing returns the log of the changes in the directory that paths are of, nil if there is none. It creates nothing.
func Existing(p *project.Project, paths *config.Paths) *store.Store {
	dir := paths.ExistingUndoLog()
	if dir == "" {
		return nil
	}
	return store.Open(dir, limit(p.Settings()))
}

// limit returns the number of bytes that the log of a project may take.
func limit(settings *config.Settings) int64 {
	return int64(config.UndoMegabytes.In(settings) * (1 << 20))
}

// Space describes the space that a log of changes takes.
func Space(s *store.Store) string {
	operations, bytes := s.Usage()
	return fmt.Sprintf("%s, %s of at most %s", wording.Count(operations, "change"), wording.Bytes(bytes), wording.Bytes(s.Limit()))
}

// Tree is the directory that the paths in the patches of a project begin at: the top of its git work tree, in which git
// apply expects them to, or the directory of the project.
type Tree struct {
	Root string
	// IsSHA256 reports that its repository names contents by SHA-256.
	IsSHA256 bool
}

// TreeOf returns the tree that a directory belongs to.
func TreeOf(dir string) Tree {
	if top, isSHA256 := gitstate.Top(dir); top != "" {
		return Tree{top, isSHA256}
	}
	return Tree{dir, false}
}

// Options returns those for a patch. Paths outside the tree have none of its names.
func (t Tree) Options() patch.Options {
	return patch.Options{IsSHA256: t.IsSHA256, Name: func(path string) (string, bool) {
		name, err := filepath.Rel(t.Root, path)
		return name, err == nil && filepath.IsLocal(name)
	}}
}

// WritePatch writes the changes of a part of a log, nil for none, as one patch. It returns its extent, and warnings
// about changes that it does not have.
func WritePatch(w io.Writer, s *store.Store, part history.Part, o patch.Options) (summary *patch.Summary, warnings []string, err error) {
	if s == nil {
		return &patch.Summary{}, nil, nil
	}
	h, err := history.Read(s)
	if err != nil {
		return nil, nil, err
	}
	operations, missing := h.Whole(part)
	summary, err = revert.Show(s, operations).Patch(w, o)
	for _, m := range missing {
		warnings = append(warnings, "Warning: "+wording.Sentence(m))
	}
	if n := summary.Outside; n > 0 {
		warnings = append(warnings, "Warning: The patch does not have the changes of "+wording.Count(n, "path")+" outside the project.")
	}
	if n := summary.LeftOut; n > 0 {
		warnings = append(warnings, "Warning: The patch does not have the changes of "+wording.Count(n, "file")+". Lines that begin with # name them, with the reasons.")
	}
	return summary, warnings, err
}

// PatchFile is a file that gets the patch of a run at its end. A nil *PatchFile writes none.
type PatchFile struct {
	// Path is absolute.
	Path string

	once sync.Once
	err  error
}

// Check returns an error if it is clear before the run that the file cannot be written, or that there is nothing to write.
func (f *PatchFile) Check(settings *config.Settings) error {
	if f == nil {
		return nil
	}
	if !config.UndoEnabled.In(settings) {
		return exit.Errorf(exit.Config, "--output-patch needs the undo log, which is switched off. To switch it on, set %s to true.", config.UndoEnabled)
	}
	info, err := os.Stat(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err = os.Stat(filepath.Dir(f.Path)); err == nil && info.IsDir() {
			return nil
		}
	} else if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return exit.Errorf(exit.Input, "Cannot write the patch to %s: %w.", f.Path, durable.Cause(err))
	}
	return nil
}

// Err returns why the file was not written, nil if it was. It is called when the session is closed.
func (f *PatchFile) Err() error {
	if f == nil {
		return nil
	}
	return f.err
}

// Write writes the changes of the conversations that the session has had, once. resumed is the one that the session continues, nil for
// none. The session warns of changes that the patch does not have.
func (s *Snapshots) Write(f *PatchFile, resumed *journal.Session) {
	if f == nil || s == nil {
		return
	}
	f.once.Do(func() {
		p, began := s.parts.Project, s.began
		if resumed != nil {
			began = resumed.Start
		}
		o := TreeOf(p.Paths.Dir()).Options()
		o.IsExact = true
		var b bytes.Buffer
		_, warnings, err := WritePatch(&b, Existing(p, p.Paths), history.Part{Sessions: s.conversations(), Began: began}, o)
		if err == nil {
			err = durable.WriteFile(f.Path, b.Bytes(), 0o600)
		}
		f.err = durable.Cause(err)
		for _, text := range warnings {
			p.Warn(text)
		}
	})
}

// id returns the id of the conversation, and notes that it may have changes.
func (s *Snapshots) id() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.parts.ID()
	if !slices.Contains(s.ids, id) {
		s.ids = append(s.ids, id)
	}
	return id
}

// conversations returns the ids of the conversations that the session has had.
func (s *Snapshots) conversations() []string {
	s.id()
	return s.ids
}
