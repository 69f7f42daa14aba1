//go:build !linux

package container

import "errors"

// Enter returns an error: there are no containers with this system in them.
func Enter(args, env []string) error { return errors.New("containers are only for Linux") }
