package guard

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// spill creates the file for the complete output of a call.
func (g *gatedCall) spill() (*os.File, error) {
	if g.opts.OutputDir == nil {
		return nil, errors.New("there is no directory for outputs")
	}
	dir, err := g.opts.OutputDir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, outputName(g.call.Name, g.call.ID))
	// After a session is resumed, the file of an earlier call with this id may exist.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// outputName returns the name of the file for the output of a call. name and id come from a
// model and may be any string.
func outputName(name, id string) string {
	name, id = sanitize(name), sanitize(id)
	if !strings.HasPrefix(id, name) {
		id = name + "_" + id
	}
	if most := 200; len(id) > most {
		sum := sha256.Sum256([]byte(id))
		id = fmt.Sprintf("%s_%x", id[:most], sum[:8])
	}
	return id + ".txt"
}

func sanitize(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}
