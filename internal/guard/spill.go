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

// spill creates the file for what the model does not get of a call's output.
func (p *passage) spill() (*os.File, error) {
	if p.opts.OutputDir == nil {
		return nil, errors.New("there is no directory for outputs")
	}
	dir, err := p.opts.OutputDir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, outputName(p.call.Name, p.call.ID))
	// A call's file may be there from before the session was resumed.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// outputName names the file for a call's output (spec/tools.md §4.1). Both
// names come from a model, and may be anything.
func outputName(name, id string) string {
	name, id = safe(name), safe(id)
	if !strings.HasPrefix(id, name) {
		id = name + "_" + id
	}
	if most := 200; len(id) > most {
		sum := sha256.Sum256([]byte(id))
		id = fmt.Sprintf("%s_%x", id[:most], sum[:8])
	}
	return id + ".txt"
}

func safe(s string) string {
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
