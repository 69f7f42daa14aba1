//go:build !linux

package terminal

// LineLimit returns 0: it is not known whether the system cuts input lines.
func (t *Terminal) LineLimit() int { return 0 }
