package bench

import (
	"os"
	"sync"
	"testing"

	"pollux/internal/process/processtest"
)

// built is the directory of the program, "" until a benchmark needs it. TestMain removes it.
var built string

// build builds the program once: to link it takes longer than most benchmarks that run once.
var build = sync.OnceValues(func() (path string, err error) {
	if built, err = os.MkdirTemp("", "pollux-bench-"); err != nil {
		return "", err
	}
	return processtest.BuildIn(built, "pollux/cmd/pollux")
})

// pollux returns the path of the program.
func pollux(b *testing.B) string {
	b.Helper()
	path, err := build()
	if err != nil {
		b.Fatal(err)
	}
	return path
}
