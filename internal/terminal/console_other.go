//go:build !windows

package terminal

import "os"

// acceptSequences does nothing: terminals obey control sequences.
func acceptSequences(*os.File) (end func()) { return func() {} }
