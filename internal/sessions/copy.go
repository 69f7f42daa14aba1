package sessions

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/durable"
	"pollux/internal/journal"
)

// maxImport is the maximum size of a file of contents, in bytes.
const maxImport = 256 << 20

// Import makes a session of the project from a file: a session of any project, of Pollux or Gemini CLI,
// or a file written by /chat share or /chat save. It returns the new session. name is how the session
// refers to the file. Store.Dir must exist.
func (s *Store) Import(path, name, projectHash string, now time.Time) (Info, error) {
	source, err := journal.Load(path)
	if errors.Is(err, journal.ErrNoSession) {
		source, err = loadContents(path)
	}
	if err != nil {
		return Info{}, err
	}
	return s.copy(source, "Imported session from "+name, projectHash, now)
}

// loadContents reads a file of contents.
func loadContents(path string) (*journal.Session, error) {
	data, err := durable.ReadFile(path, maxImport)
	if err != nil {
		return nil, err
	}
	history, err := journal.ParseContents(data)
	return &journal.Session{Entries: history}, err
}

// ForkOptions select the part of a session that a copy contains. The zero value selects all of it.
type ForkOptions struct {
	// Before is the prompt that the copy ends before, by its number or id; "" for none.
	Before string
	// BeforeRewind makes it a copy of the session as it was before its last rewind.
	BeforeRewind bool
}

// ErrNoRewind is the error for a session that was never rewound.
var ErrNoRewind = errors.New("it was never rewound")

// Fork makes a copy of a session of any project, and returns it. Store.Dir must exist. The errors of
// o.Before are those of [Rewind].
func (s *Store) Fork(i Info, o ForkOptions, projectHash string, now time.Time) (Info, error) {
	load, ok := journal.Load, true
	if o.BeforeRewind {
		load = func(path string) (source *journal.Session, err error) {
			source, ok, err = journal.LoadBeforeRewind(path)
			return source, err
		}
	}
	source, err := load(i.Path)
	switch {
	case err != nil:
		return Info{}, err
	case !ok:
		return Info{}, ErrNoRewind
	}
	if o.Before != "" {
		_, at, err := findPrompt(source, o.Before)
		if err != nil {
			return Info{}, err
		}
		source.Entries = source.Entries[:at]
	}
	return s.copy(source, "Copy of session "+i.ID, projectHash, now)
}

func (s *Store) copy(source *journal.Session, note, projectHash string, now time.Time) (Info, error) {
	if len(source.Entries) == 0 {
		return Info{}, errors.New("there is no conversation in it")
	}
	path, err := journal.Create(s.Dir, journal.Header{
		SessionID: uuid.NewString(), ProjectHash: projectHash, Start: now, Updated: now, Kind: journal.Main,
		Summary: source.Summary, ForkOf: source.SessionID,
	}, note, source.Entries, s.Mask)
	if err != nil {
		return Info{}, fmt.Errorf("write a session file in %s: %w", s.Dir, err)
	}
	info, err := os.Lstat(path)
	if err != nil {
		return Info{}, durable.Cause(err)
	}
	made, _ := newEntry(s.Dir, filepath.Base(path), fs.FileInfoToDirEntry(info))
	f := file{entry: made}
	f.load(nil)
	if f.Outline == nil {
		return Info{}, journal.ErrNoSession
	}
	return infoOf([]file{f}), nil
}

// Messages returns the messages of a session, as transcripts take them.
func Messages(s *journal.Session) []agent.Message {
	messages := make([]agent.Message, len(s.Entries))
	for i, e := range s.Entries {
		messages[i] = e.Message
	}
	return messages
}

// Calls returns the records of the calls of a session, by the ids of the messages with their results.
func Calls(s *journal.Session) map[string][]agent.CallRecord {
	calls := map[string][]agent.CallRecord{}
	for _, e := range s.Entries {
		if len(e.Calls) > 0 {
			calls[e.ID] = e.Calls
		}
	}
	return calls
}
