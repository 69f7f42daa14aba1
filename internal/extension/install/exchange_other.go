//go:build !linux && !darwin

package install

import "errors"

// exchange fails: the system cannot give two directories the names of each other in one step.
func exchange(_, _ string) error { return errors.ErrUnsupported }
