package process_test

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"pollux/internal/process"
)

// TestConfinedOnAnotherThread checks that a program is not started on the first thread, which stays, and stands for the process.
func TestConfinedOnAnotherThread(t *testing.T) {
	t.Parallel()
	var launcher process.Launcher
	for range 200 {
		_, err := launcher.Run(t.Context(), &process.Command{Path: "/bin/true", Confine: func() error {
			if unix.Gettid() == os.Getpid() {
				return errors.New("this is the first thread")
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
}
