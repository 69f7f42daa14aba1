//go:build !unix

package terminal

import "os"

// CatchResumes returns a channel without values: processes cannot be stopped here.
func CatchResumes() (resumes <-chan os.Signal, release func()) { return nil, func() {} }
