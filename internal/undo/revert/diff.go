package revert

import (
	"io"
	"strings"

	"pollux/internal/undo/patch"
)

// Diff returns the changes that the plan would take back, for people: see [Plan.Patch]. name names a path.
func (p *Plan) Diff(name func(path string) string) string {
	var b strings.Builder
	_, _ = p.Patch(&b, patch.Options{Name: func(path string) (string, bool) { return name(path), true }}) // to a buffer
	return b.String()
}

// Patch writes the changes that the plan would take back, from the state before the operations to the one after them. Lines that others have
// changed in between are left out.
func (p *Plan) Patch(w io.Writer, o patch.Options) (*patch.Summary, error) {
	changes := make([]patch.Change, len(p.Steps))
	for i, s := range p.Steps {
		changes[i] = s.ownChange()
	}
	return patch.Write(w, changes, o)
}
