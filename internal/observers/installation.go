package observers

import (
	"errors"
	"io"
	"io/fs"
	"os"
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
	id, err := readShort(path)
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

// readShort returns the beginning of a small file, without the white space around it.
func readShort(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fs.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 100))
	return strings.TrimSpace(string(b)), err
}
