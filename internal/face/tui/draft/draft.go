// Package draft keeps the texts that users were writing when their sessions ended, and the inputs that waited for the end of
// the work, for when the sessions are resumed. It does not matter how they ended. The file is in the temporary directory of
// the project.
package draft

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"pollux/internal/durable"
	"pollux/internal/secret"
)

// Draft is a text that was not sent, with the inputs that were sent and did not run yet.
type Draft struct {
	Session string   `json:"session"` // the id
	Text    string   `json:"text"`
	IsShell bool     `json:"isShell,omitempty"` // the text is a shell command
	Queue   []string `json:"queue,omitempty"`   // the oldest one first
	// EndsInShell is set if the last one of Queue is a shell command, behind "!". Else an input that begins so is a prompt.
	EndsInShell bool      `json:"endsInShell,omitempty"`
	Time        time.Time `json:"time"`
}

// Equal reports whether two drafts have the same texts.
func (d *Draft) Equal(other *Draft) bool {
	return d.Text == other.Text && d.IsShell == other.IsShell && d.EndsInShell == other.EndsInShell && slices.Equal(d.Queue, other.Queue)
}

// isEmpty reports whether there is nothing to keep.
func (d *Draft) isEmpty() bool { return d.Text == "" && len(d.Queue) == 0 }

// size returns the size of the texts, in bytes.
func (d *Draft) size() int {
	n := len(d.Text)
	for _, text := range d.Queue {
		n += len(text)
	}
	return n
}

const (
	fileName  = "drafts.json"
	maxDrafts = 20
	maxBytes  = 16 << 20 // of the file
	maxText   = 12 << 20 // of one draft with its queue
)

// Save keeps a draft in the file of a project, in place of the session's last one. A draft without texts removes that. A text
// that is an API key is not kept. Other processes may save at the same time. The directory must exist.
func Save(dir string, d Draft) error {
	if secret.IsKey(d.Text) {
		d.Text = ""
	}
	d.Queue = slices.DeleteFunc(slices.Clone(d.Queue), secret.IsKey)
	path := filepath.Join(dir, fileName)
	unlock, err := durable.Lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	drafts := read(path)
	before := len(drafts)
	drafts = slices.DeleteFunc(drafts, func(other Draft) bool { return other.Session == d.Session })
	switch {
	case !d.isEmpty():
		if d.size() > maxText {
			return fmt.Errorf("the draft is larger than %d MiB", maxText>>20)
		}
		drafts = append(drafts, d)
	case len(drafts) == before:
		return nil
	}
	data, err := marshal(drafts)
	if err != nil {
		return err
	}
	return durable.WriteFileUnsynced(path, data, 0o600)
}

// marshal returns the content of the file, without the oldest drafts if there are too many.
func marshal(drafts []Draft) ([]byte, error) {
	drafts = drafts[max(0, len(drafts)-maxDrafts):]
	for {
		data, err := json.Marshal(drafts)
		if err != nil || len(data) <= maxBytes || len(drafts) <= 1 {
			return data, err
		}
		drafts = drafts[1:]
	}
}

// Find returns the draft of a session, and false if there is none.
func Find(dir, session string) (Draft, bool) {
	drafts := read(filepath.Join(dir, fileName))
	i := slices.IndexFunc(drafts, func(d Draft) bool { return d.Session == session })
	if i < 0 {
		return Draft{}, false
	}
	return drafts[i], true
}

// Others returns the drafts of the other sessions that have a text.
func Others(dir, session string) []Draft {
	return slices.DeleteFunc(read(filepath.Join(dir, fileName)), func(d Draft) bool { return d.Session == session || d.Text == "" })
}

// read returns the drafts of a file. A missing or damaged file has none.
func read(path string) (drafts []Draft) {
	data, err := durable.ReadFile(path, maxBytes)
	if err != nil || json.Unmarshal(data, &drafts) != nil {
		return nil
	}
	return drafts
}
