package record

import (
	"cmp"
	"os"
	"path/filepath"

	"pollux/internal/durable"
	"pollux/internal/project"
)

// Outputs keeps tool output that is too large for the model in files of the conversation.
type Outputs struct {
	Project *project.Project
	// ID returns the id of the conversation.
	ID func() string
}

// Dir returns the directory of the files, and makes it a project's.
func (o *Outputs) Dir() (string, error) {
	temp, err := o.Project.Paths.ProjectTemp()
	if err != nil {
		return "", err
	}
	return filepath.Join(temp, "tool-outputs", "session-"+o.ID()), nil
}

// Save writes tool output to a new file that the model can read, and returns its
// path. The file has the given name, which may be any string, and the next free number.
func (o *Outputs) Save(name, text string) (string, error) {
	dir, err := o.Dir()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := durable.CreateNumbered(dir, name)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = cmp.Or(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(f.Name()) // the first error counts
		return "", err
	}
	return f.Name(), nil
}
