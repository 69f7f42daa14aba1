// Package draft keeps the texts that users were writing when their sessions ended, however they ended, for when the sessions are
// resumed. The file is in the temporary directory of the project.
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

// Draft is a text that was not sent.
type Draft struct {
	Session string    `json:"session"` // the id
	Text    string    `json:"text"`
	IsShell bool      `json:"isShell,omitempty"` // the text is a shell command
	Time    time.Time `json:"time"`
}

const (
	fileName  = "drafts.json"
	maxDrafts = 20
	maxBytes  = 16 << 20 // of the file
	maxText   = 5 << 20  // of one draft
)

// Save keeps a draft in the file of a project, in place of the session's last one. An empty text removes that. A text that is an
// API key is not kept. Other processes may save at the same time. The directory must exist.
func Save(dir string, d Draft) error {
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
	case d.Text != "" && !secret.IsKey(d.Text):
		if len(d.Text) > maxText {
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

// read returns the drafts of a file. A missing or damaged file has none.
func read(path string) (drafts []Draft) {
	data, err := durable.ReadFile(path, maxBytes)
	if err != nil || json.Unmarshal(data, &drafts) != nil {
		return nil
	}
	return drafts
}
