//go:build !unix

package terminal

import (
	"errors"
	"os"
)

func newWaiter(int) waiter { return nil }

// CatchResumes returns a channel without values: processes cannot be stopped here.
func CatchResumes() (resumes <-chan os.Signal, release func()) { return nil, func() {} }

// CatchStops returns a channel without values: processes cannot be stopped here.
func CatchStops() (stops <-chan os.Signal, release func()) { return nil, func() {} }

// Suspend returns an error: processes cannot be stopped here.
func Suspend() error { return errors.New("this system cannot suspend a program") }
