//go:build !unix

package undotest

import "errors"

// Kept returns an error: this system does not tell how much of the disk files take.
func Kept(string) (int64, error) { return 0, errors.ErrUnsupported }
