package guard

import (
	"errors"
	"os"

	"pollux/internal/durable"
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
	return durable.CreateNumbered(dir, g.written.Name)
}
