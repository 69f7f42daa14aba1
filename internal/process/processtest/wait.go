// Package processtest helps tests that start processes to follow them until they end.
package processtest

import (
	"os"
	"testing"
	"time"
)

// patience is how long tests wait for something that should happen at once.
const patience = 2 * time.Minute

// WaitUntil calls isDone until it returns true. After two minutes it fails the test and reports
// the name of the condition.
func WaitUntil(t testing.TB, what string, isDone func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !isDone(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v still not true: %s", patience, what)
		}
	}
}

// WhenWritten calls do in another goroutine as soon as the file is not empty. After two minutes it
// reports an error and calls do nevertheless, so that a test that waits for do ends.
func WhenWritten(t testing.TB, file string, do func()) {
	t.Helper()
	done := make(chan struct{})
	t.Cleanup(func() { <-done })
	go func() {
		defer close(done)
		defer do()
		isWritten := func() bool {
			info, err := os.Stat(file)
			return err == nil && info.Size() > 0
		}
		for deadline := time.Now().Add(patience); !isWritten() && t.Context().Err() == nil; time.Sleep(2 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Errorf("after %v nothing is in %s", patience, file)
				return
			}
		}
	}()
}
