package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/durable"
	"pollux/internal/durable/flock"
	"pollux/llm"
)

// Claim locks a session file, so that no other process opens it for writing until release is called.
// The error is [ErrInUse] if one has it open. Claim locks only regular files.
func Claim(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|nonBlocking|noFollow, 0) // NFS locks no file that is open for reading only
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		f, err = os.OpenFile(path, os.O_RDONLY|nonBlocking|noFollow, 0)
	}
	if err != nil {
		if isLink(err) {
			return func() {}, nil
		}
		return nil, durable.Cause(err)
	}
	release = func() { flock.Release(f) }
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		if err := lock(f); err != nil {
			release()
			return nil, err
		}
	}
	if runtime.GOOS == "windows" { // an open file cannot be removed there
		release()
		return func() {}, nil
	}
	return release, nil
}

// AddSummary records the title of a session that no process has open. The error is [ErrInUse] if one
// has. It does not wait for the disk, so that another process can open the session at once.
func AddSummary(path, text string) error {
	l, err := reopen(path)
	if err != nil {
		return err
	}
	defer l.f.Close() // the next session tries again if the title is lost
	return l.append([]byte(`{"$set":{` + summaryMember(text) + "}}\n"))
}

// Create writes the file of a session that begins with this history into an existing directory, and
// returns its path. note is a text for people that precedes the history; "" is none. mask is that of [Options].
func Create(dir string, h Header, note string, history []agent.Entry, mask func(lines []byte) []byte) (path string, err error) {
	h.Pollux, h.Copied = version, len(history)
	j := New(Options{Kind: h.Kind, Mask: mask, Dir: func() (string, error) { return dir, nil }})
	j.current = session{header: h}
	var lines []byte
	if note != "" {
		lines = appendNote(lines, note, h.Start)
	}
	for _, e := range history {
		if e.Time.IsZero() {
			e.Time = h.Start
		}
		lines = appendMessage(lines, e)
	}
	if err := j.createFile(lines); err != nil {
		if l := j.current.log; l != nil {
			err = errors.Join(err, os.Remove(l.path))
		}
		_ = j.Close()
		return "", err
	}
	path = j.current.log.path
	err = j.Sync()
	return path, errors.Join(err, j.Close())
}

// ParseContents returns the history of a file that /chat share or /chat save has written: a list of
// contents, or an object with this list as "history".
func ParseContents(data []byte) ([]agent.Entry, error) {
	var file struct {
		History []*llm.Content `json:"history"`
	}
	to := any(&file)
	if text := bytes.TrimSpace(data); len(text) > 0 && text[0] == '[' {
		to = &file.History
	}
	if err := json.Unmarshal(data, to); err != nil {
		return nil, ErrNoSession
	}
	var entries []agent.Entry
	for _, c := range file.History {
		if c == nil || len(c.Parts) == 0 || c.Role != llm.RoleUser && c.Role != llm.RoleModel {
			continue
		}
		m := agent.Message{ID: uuid.NewString(), Content: c}
		if !IsContext(m) {
			entries = append(entries, agent.Entry{Message: m})
		}
	}
	valid, _ := repair(entries, openCalls{})
	if len(valid) == 0 {
		return nil, ErrNoSession
	}
	return valid, nil
}

// upgrade opens a new file with the session of a file of one object, as Gemini CLI does: its name ends in
// ".jsonl" instead of ".json". The old file stays.
func upgrade(old *log, s *Session) (*Resumed, error) {
	defer old.close()
	base := strings.TrimSuffix(old.path, filepath.Ext(old.path))
	var l *log
	err := error(fs.ErrExist)
	for _, path := range [...]string{base + ".jsonl", base + "-1.jsonl", base + "-2.jsonl"} {
		if l, err = create(path); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	s.Pollux = version
	lines := appendHeader(nil, s.Header)
	for _, e := range s.recorded {
		lines = appendMessage(lines, e)
	}
	if err := l.append(lines); err != nil {
		l.close()
		return nil, err
	}
	s.Path, s.isExact = l.path, true
	return &Resumed{s, l}, nil
}
