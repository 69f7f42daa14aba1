package guard

import (
	"errors"
	"os"
)

// spill creates the file for the complete output of a call.
func (g *gatedCall) spill() (*os.File, error) {
	if g.opts.CreateOutput == nil {
		return nil, errors.New("there is no directory for outputs")
	}
	return g.opts.CreateOutput(g.written.Name)
}
