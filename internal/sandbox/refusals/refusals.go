// Package refusals keeps the log of the permissions that the sandbox has refused the commands of a project, and of their changes that were taken
// back: a file with a line in JSON for each. The oldest lines leave when it gets too large.
package refusals

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"pollux/internal/durable"
)

// Refusal is a permission that a command lacked, or a change of a command that other programs would run later.
type Refusal struct {
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"`
	Command string    `json:"command"` // without secrets
	Reason  string    `json:"reason"`  // a sentence for people
	// IsGranted is set if a person has allowed it: the command has run again, or the change has come back.
	IsGranted bool `json:"granted,omitempty"`
}

const (
	maxSize    = 256 << 10 // bytes of the file, after which the older half leaves
	maxCommand = 2 << 10   // bytes of a command that are kept
)

// Append adds a refusal to the log in a file, which it creates with its directory if there is none.
func Append(path string, r Refusal) error {
	if len(r.Command) > maxCommand {
		r.Command = r.Command[:maxCommand] + "..."
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	info, errStat := f.Stat()
	if err = errors.Join(err, errStat, f.Close()); err != nil || info.Size() <= maxSize {
		return err
	}
	all, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, kept, _ := bytes.Cut(all[len(all)/2:], []byte("\n"))
	return durable.WriteFile(path, kept, 0o600)
}

// Read returns the refusals in a file, the oldest first, and none if there is no file. It leaves out lines that it cannot read.
func Read(path string) (list []Refusal, err error) {
	text, err := durable.ReadFile(path, 2*maxSize)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	for line := range bytes.Lines(text) {
		var r Refusal
		if json.Unmarshal(line, &r) == nil && r.Reason != "" {
			list = append(list, r)
		}
	}
	return list, nil
}
