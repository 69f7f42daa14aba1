package terminal

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

// A line that the system has cut is as long as the limit, a shorter one is whole.
func TestLineLimit(t *testing.T) {
	t.Parallel()
	master, term := openPTY(t)
	limit := term.LineLimit()
	if limit == 0 {
		t.Fatal("the limit of a terminal is not known")
	}
	go func() { _, _ = io.Copy(io.Discard, master) }() // the echo
	lines := bufio.NewReaderSize(term.In, 1<<20)
	for _, n := range []int{1, limit - 1, limit, limit + 1, 10_000, 100_000} {
		if _, err := io.WriteString(master, strings.Repeat("x", n)+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadString('\n')
		if got := len(line) - 1; err != nil || got != min(n, limit) {
			t.Errorf("a line of %d bytes is read as %d, %v", n, got, err)
		}
	}
	if pipe, _, _ := Test(""); pipe.LineLimit() != 0 {
		t.Error("the lines of a pipe have a limit")
	}
}
