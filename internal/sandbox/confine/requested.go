package confine

import (
	"path/filepath"
	"strings"

	"pollux/internal/sandbox"
)

// Wanted is the permissions that a command asks for itself. Paths may be relative to the directory that it begins in.
type Wanted struct {
	Network       bool
	Reads, Writes []string
}

// Requested returns those of the permissions that the sandbox refuses a run and that it can get. Its text names each of them.
func (c *Confinement) Requested(w Wanted, run Run) (lack Lack) {
	c.limited(&run)
	if !c.IsOn() || run.Grant.IsOutside || run.limit.IsFinal {
		return Lack{}
	}
	allowed := c.granting(run.access())
	var gains []string
	add := func(g Grant, gain string, isSensitive bool) {
		if more := lack.Grant.With(g); more.key() != lack.Grant.key() {
			lack.Grant, gains = more, append(gains, gain)
			lack.IsSensitive = lack.IsSensitive || isSensitive
		}
	}
	if w.Network && allowed.Network.Off {
		add(Grant{Network: true}, "would have the whole network", true)
	}
	for _, path := range w.Reads {
		switch d := allowed.DenialAt(c.inRun(path, &run)); d.Kind {
		case sandbox.HidesFile:
			add(Grant{Paths: []string{d.Path}}, "could read "+c.options.Paths.Display(d.Path), true)
		case sandbox.NotLocalSocket:
			add(Grant{Paths: []string{d.Path}}, "could connect to "+c.options.Paths.Display(d.Path), true)
		}
	}
	for _, path := range w.Writes {
		d := allowed.DenialAt(c.inRun(path, &run))
		where := d.Exists
		if sandbox.ByPath {
			where = d.Path
		}
		if d.Kind == sandbox.KeepsFile && (sandbox.ByPath || !holdsHidden(&allowed, d.Exists)) {
			add(Grant{Paths: []string{where}}, "could change "+c.options.Paths.Display(where), false)
		}
	}
	if len(gains) > 0 {
		lack.Reason, lack.Gain = "The model asks for more than the sandbox allows.", "This run "+strings.Join(gains, ", ")+"."
	}
	return lack
}

// inRun returns the absolute path that a path stands for in a run.
func (c *Confinement) inRun(path string, r *Run) string {
	absolute, isAbsolute := c.pathOf(path)
	if isAbsolute {
		return absolute
	}
	dir := r.Dir
	if root := (*c.dirs.Load())()[0]; !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	return filepath.Join(dir, path)
}
