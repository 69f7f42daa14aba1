package revert

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"pollux/internal/durable"
)

// applying is the name of the file in an operation that is being carried out.
const applying = "applying"

// Temporary begins the names of files that are not complete.
const Temporary = ".pollux-undo-"

// journal is that file. It lists all that has to be cleaned up if the process is killed: a line with the name of the
// temporary files, and one for each directory that was made writable.
type journal struct {
	file      *os.File
	temporary string
	lent      []lent
}

// lent is a directory that was made writable, with the mode that it had.
type lent struct {
	Path []byte
	Mode fs.FileMode
}

type journalLine struct {
	Temporary string `json:",omitempty"`
	Lent      *lent  `json:",omitempty"`
}

// createJournal writes a new journal.
func createJournal(path string) error {
	line, err := json.Marshal(journalLine{Temporary: Temporary + rand.Text()})
	if err == nil {
		err = durable.WriteFileUnsynced(path, append(line, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("keep files for undo: %w", err)
	}
	return nil
}

// openJournal opens the journal at a path, to go on with it. A line that is not whole was not acted on yet.
func openJournal(path string) (*journal, error) {
	const most = 64 << 20
	data, err := durable.ReadFile(path, most)
	if err != nil {
		return nil, err
	}
	j := &journal{}
	for line := range bytes.Lines(data) {
		var l journalLine
		if json.Unmarshal(line, &l) != nil {
			continue
		}
		if isTemporary(l.Temporary) {
			j.temporary = l.Temporary
		}
		if l.Lent != nil {
			j.lent = append(j.lent, *l.Lent)
		}
	}
	if j.temporary == "" {
		j.temporary = Temporary + rand.Text()
	}
	j.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	return j, err
}

// isTemporary reports whether a name is that of temporary files, and of nothing that a person has.
func isTemporary(name string) bool {
	token, ok := strings.CutPrefix(name, Temporary)
	return ok && len(token) == len(rand.Text()) && strings.Trim(token, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// lend notes a directory before it is made writable.
func (j *journal) lend(path string, mode fs.FileMode) error {
	l := lent{[]byte(path), mode}
	line, err := json.Marshal(journalLine{Lent: &l})
	if err == nil {
		_, err = j.file.Write(append([]byte("\n"), append(line, '\n')...)) // after a line that may not be whole
	}
	if err == nil {
		j.lent = append(j.lent, l)
	}
	return err
}
