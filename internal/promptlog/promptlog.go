// Package promptlog records the prompts and commands that a person enters in a project, so that they
// can get them back in a later session. The file is Gemini CLI's logs.json, which either program reads
// and writes: a JSON array of [entry]. It holds at most 2 MB; the oldest prompts are dropped.
//
// The file is replaced as a whole, under a lock that other processes of Pollux respect. Gemini CLI
// knows no lock and overwrites the file in place: Pollux may read an invalid file in that moment, so
// it tries again before it treats the file as damaged.
package promptlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pollux/internal/durable"
	"pollux/internal/secret"
)

const (
	// maxSize is the maximum size of the file after a write, in bytes.
	maxSize = 2 << 20
	// maxRead is the maximum size of a file of another program, in bytes.
	maxRead = 16 << 20
	// maxPrompt is the maximum size of a recorded prompt, in bytes.
	maxPrompt = 64 << 10
)

// Log is the log of one project. Its methods may be called from several goroutines at once.
type Log struct {
	// Path returns the path of the file, and creates its directory.
	Path func() (string, error)
	// Warn is called at most once, if the file cannot be written.
	Warn func(text string)
	// Mask, if set, removes secrets from prompts.
	Mask func(prompt string) string

	mu      sync.Mutex
	pending []entry       // not in the file yet
	written chan struct{} // closed when pending is in the file; nil if nothing is pending
	failed  bool
}

// entry is one prompt. MessageID counts the prompts of a session from 0 on.
type entry struct {
	SessionID string  `json:"sessionId"`
	MessageID float64 `json:"messageId"`
	Type      string  `json:"type"`
	Message   string  `json:"message"`
	Timestamp string  `json:"timestamp"`
}

// typeUser is the type of prompts. Gemini CLI writes no other entries.
const typeUser = "user"

// Add records a prompt of a session, without its secrets, in the background. It leaves out prompts that contain
// an API key, and those of more than 64 KB. A nil Log records nothing.
func (l *Log) Add(sessionID, prompt string) {
	prompt = strings.TrimSpace(prompt)
	if l == nil || prompt == "" || len(prompt) > maxPrompt || slices.ContainsFunc(strings.Fields(prompt), secret.IsKey) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed {
		return
	}
	if l.Mask != nil {
		prompt = l.Mask(prompt)
	}
	l.pending = append(l.pending, entry{
		SessionID: sessionID, Type: typeUser, Message: prompt, Timestamp: time.Now().UTC().Format("2006-01-02T15:04:05.000Z"),
	})
	if l.written == nil {
		l.written = make(chan struct{})
		go l.write()
	}
}

// Close waits until all prompts are in the file, at most one second.
func (l *Log) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	written := l.written
	l.mu.Unlock()
	if written == nil {
		return
	}
	select {
	case <-written:
	case <-time.After(time.Second):
	}
}

// write writes the pending prompts until there are none.
func (l *Log) write() {
	for {
		l.mu.Lock()
		batch := slices.Clone(l.pending)
		if len(batch) == 0 || l.failed {
			l.pending = nil
			close(l.written)
			l.written = nil
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		err := l.append(batch)
		l.mu.Lock()
		l.pending = l.pending[len(batch):]
		l.failed = err != nil
		l.mu.Unlock()
		if err != nil {
			l.Warn("Warning: Your prompts are not added to the history: " + err.Error() + ".")
		}
	}
}

// append adds prompts to the file.
func (l *Log) append(batch []entry) error {
	path, err := l.Path()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	unlock, err := durable.LockContext(ctx, path)
	if err != nil {
		return fmt.Errorf("lock %s: %w", path, durable.Cause(err))
	}
	defer unlock()
	entries, err := read(path)
	if damaged, ok := errors.AsType[*damagedError](err); ok {
		backup := path + "." + damaged.reason + "." + strconv.FormatInt(time.Now().UnixMilli(), 10) + ".bak"
		err = os.Rename(path, backup) // as Gemini CLI does
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", path, durable.Cause(err))
	}
	for _, e := range batch {
		e.MessageID = nextID(entries, e.SessionID)
		entries = append(entries, e)
	}
	if err := durable.WriteFile(path, encode(entries), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", path, durable.Cause(err))
	}
	return nil
}

// nextID returns the number of the next prompt of a session.
func nextID(entries []entry, sessionID string) float64 {
	next := 0.0
	for _, e := range entries {
		if e.SessionID == sessionID {
			next = max(next, e.MessageID+1)
		}
	}
	return next
}

// encode returns the content of a file, with the newest entries that fit into maxSize.
func encode(entries []entry) []byte {
	for room := maxSize; ; room -= room / 8 { // escapes make texts longer
		entries = newest(entries, room)
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		_ = enc.Encode(entries) // strings and numbers only
		if b.Len() <= maxSize {
			return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
		}
	}
}

// newest returns the last entries, whose files have at most about size bytes, and at least one.
func newest(entries []entry, size int) []entry {
	const names = 130 // bytes of an entry beside its texts
	first := len(entries) - 1
	for size -= names + len(entries[first].Message); first > 0; first-- {
		e := &entries[first-1]
		if size -= names + len(e.SessionID) + len(e.Timestamp) + len(e.Message); size < 0 {
			break
		}
	}
	return entries[first:]
}

// damagedError is the error of a file that is no log. The reason is a part of the name under which
// Gemini CLI keeps it.
type damagedError struct{ reason string }

func (e *damagedError) Error() string { return "it is damaged (" + e.reason + ")" }

// read returns the entries of a file, without those that are no entries. A missing file has none.
func read(path string) ([]entry, error) {
	const attempts = 5
	for n := 1; ; n++ {
		entries, err := readOnce(path)
		if d := (*damagedError)(nil); !errors.As(err, &d) || n == attempts {
			return entries, err
		}
		time.Sleep(20 * time.Millisecond) // another program may be writing it
	}
}

func readOnce(path string) ([]entry, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, err
	}
	data, err := durable.ReadFile(path, maxRead)
	if err != nil {
		return nil, err
	}
	var entries []entry
	var wrongType *json.UnmarshalTypeError // of some entries, the others are read
	switch err := json.Unmarshal(data, &entries); {
	case err != nil && !errors.As(err, &wrongType):
		return nil, &damagedError{"invalid_json"}
	case entries == nil:
		return nil, &damagedError{"malformed_array"}
	}
	return slices.DeleteFunc(entries, func(e entry) bool {
		return e.SessionID == "" || e.Timestamp == "" || e.Type == "" || e.Message == ""
	}), nil
}

// Recent returns the last prompts of all sessions, the newest first, each one once. It reads the file
// and changes nothing. A nil Log has none.
func (l *Log) Recent(most int) []Prompt {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	pending := slices.Clone(l.pending)
	l.mu.Unlock()
	path, err := l.Path()
	var entries []entry
	if err == nil {
		entries, _ = read(path) // a damaged file has none
	}
	return newestOf(promptsOf(path, append(entries, pending...)), most)
}
