package crash

import (
	"fmt"
	"strings"
	"testing"
)

// TestRecover is not parallel: the handler is that of the process.
func TestRecover(t *testing.T) {
	var got string
	remove := Handle(func(value any, stack []byte) { got = fmt.Sprintf("%v\n%s", value, stack) })
	func() {
		defer Recover()
		breakDown()
	}()
	if !strings.HasPrefix(got, "bug\n") || !strings.Contains(got, "crash.breakDown") {
		t.Errorf("the handler got %s", got)
	}
	got = ""
	func() { defer Recover() }()
	remove()
	func() {
		defer func() {
			if recover() != "bug" {
				t.Error("the panic did not take its course")
			}
		}()
		defer Recover()
		breakDown()
	}()
	if got != "" {
		t.Errorf("the handler got %s", got)
	}
}

func breakDown() { panic("bug") }
