//go:build !linux

package content

import (
	"errors"
	"os"
)

const noAccessTime = 0

// Clone returns [errors.ErrUnsupported]: no call shares the blocks of two open files here.
func Clone(_, _ *os.File) error { return errors.ErrUnsupported }
