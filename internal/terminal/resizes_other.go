//go:build !unix && !windows

package terminal

import "os"

// CatchResizes returns a channel without values: there is no such signal here.
func CatchResizes() (resizes <-chan os.Signal, release func()) { return nil, func() {} }
