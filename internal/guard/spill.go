package guard

import (
	"cmp"
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
	return createOutput(dir, g.call.Name)
}

// createOutput creates a file for the output of a tool: its name and the next free number, such
// as run_shell_command_3.txt. name comes from a model and may be any string.
func createOutput(dir, name string) (*os.File, error) {
	const most = 60
	name = cmp.Or(sanitize(name), "output")
	name = filepath.Join(dir, name[:min(len(name), most)])
	for n := 1; ; n++ {
		f, err := os.OpenFile(fmt.Sprintf("%s_%d.txt", name, n), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
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
