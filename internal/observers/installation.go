package observers

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"pollux/internal/config"
	"pollux/internal/durable"
)

// installation returns the id of this installation, and creates it if there is none.
func installation(p *config.Paths) string {
	const unknown = "123456789"
	path := filepath.Join(p.RuntimeDir(), "installation_id")
	data, err := durable.ReadFile(path, 1<<10)
	id := strings.TrimSpace(string(data[:min(len(data), 100)]))
	switch {
	case err == nil && id != "":
		return id
	case !errors.Is(err, fs.ErrNotExist):
		return unknown
	}
	id = uuid.NewString()
	if err = durable.MkdirAll(p.RuntimeDir(), 0o700); err == nil {
		err = durable.WriteFile(path, []byte(id), 0o600)
	}
	if err != nil {
		return unknown
	}
	return id
}
