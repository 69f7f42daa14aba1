//go:build !unix

package terminal

import "os"

func newWaiter(int) waiter { return nil }

// CatchResumes returns a channel without values: processes cannot be stopped here.
func CatchResumes() (resumes <-chan os.Signal, release func()) { return nil, func() {} }
