package sessions

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-faster/jx"

	"pollux/internal/journal"
)

// Usage is the usage recorded in the file of a session or of a subagent.
type Usage struct {
	*journal.Usage
	// SessionID is the id of the session, which for a subagent is that of the one that started it.
	SessionID string
}

// usageFile is a session file with its recorded usage.
type usageFile struct {
	entry
	Usage *journal.Usage `json:"usage,omitempty"` // nil if the file holds no session
}

// usageIndex is the name of the index of usage in the directory of the session files.
const usageIndex = ".pollux-usage.jsonl"

// Usage returns the usage recorded in the files of the sessions and of their subagents. It reads only
// files that have changed since the last call.
func (s *Store) Usage(ctx context.Context) ([]Usage, error) {
	files, err := s.usageFiles()
	if err != nil {
		return nil, err
	}
	if err := load(ctx, filepath.Join(s.Dir, usageIndex), files); err != nil {
		return nil, err
	}
	var all []Usage
	for _, f := range files {
		if f.Usage == nil || len(f.Usage.Rows) == 0 {
			continue
		}
		u := Usage{f.Usage, cmp.Or(f.Usage.SessionID, strings.TrimSuffix(f.Name, filepath.Ext(f.Name)))}
		if parent, _, ok := strings.Cut(f.Name, "/"); ok {
			u.SessionID = parent
		}
		all = append(all, u)
	}
	return all, nil
}

// usageFiles returns the session files, and those of subagents in directories below. An old file whose
// session Gemini CLI has written to a new one is not among them.
func (s *Store) usageFiles() ([]usageFile, error) {
	entries, err := s.entries()
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool, len(entries))
	for _, e := range entries {
		names[e.Name] = true
	}
	var files []usageFile
	for _, e := range entries {
		if !names[e.Name+"l"] {
			files = append(files, usageFile{entry: e})
		}
	}
	list, _ := os.ReadDir(s.Dir) // as above
	for _, parent := range list {
		if !parent.IsDir() {
			continue
		}
		dir := filepath.Join(s.Dir, parent.Name())
		agents, _ := os.ReadDir(dir) // without those that cannot be read
		for _, d := range agents {
			if e, ok := newEntry(s.Dir, parent.Name()+"/"+d.Name(), d); ok && strings.HasSuffix(e.Name, ".jsonl") {
				files = append(files, usageFile{entry: e})
			}
		}
	}
	return files, nil
}

func (f *usageFile) load(known *usageFile) {
	if known != nil && f.isSame(&known.entry) {
		f.Usage = known.Usage
		return
	}
	f.read = max(1, f.Size)
	f.Usage, _ = journal.ReadUsage(f.path) // nil if it cannot be read
}

func (f *usageFile) decode(line []byte) error {
	return f.decodeLine(line, func(d *jx.Decoder, key string) error {
		if key != "usage" {
			return d.Skip()
		}
		f.Usage = &journal.Usage{}
		return f.Usage.Decode(d)
	})
}
