//go:build !unix && !windows

package flock

import (
	"errors"
	"os"
)

const (
	exclusive = iota
	shared
	wait
	none
)

func lock(*os.File, int) error { return errors.ErrUnsupported }
