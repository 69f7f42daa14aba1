package a2a

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// The timer goroutine of regexp2 ends by itself, a little later.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
}
