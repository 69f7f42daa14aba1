package lastwords

import (
	"fmt"
	"strings"
	"testing"
)

// The cause of an end is the line that says it, not the last one. A program that was of use may have reported errors
// before that were none of its end.
func TestCause(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, start, later string }{
		{"", "", ""},
		{"\n  \n", "", ""},
		{"one\ntwo\n", "two", "two"},
		{"Error: no config, using defaults\nready\nError: disk full\n    at x\n", "Error: no config, using defaults", "Error: disk full"},
		{"    indented error\n", "indented error", "indented error"},
		{"x.js:1\nthrow err;\n^\n\nTypeError: x is not a function\n    at y (node:internal/z:1)\n\nNode.js v20.1.0\n", "TypeError: x is not a function", "TypeError: x is not a function"},
		{"panic: nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/y.go:3 +0x1d\n", "panic: nil map", "panic: nil map"},
		{"npm error code ENOENT\nnpm error syscall open\nnpm error enoent Could not read package.json\nnpm error A complete log of this run can be found in: x\n", "npm error enoent Could not read package.json", "npm error enoent Could not read package.json"},
		{"npm warn old y@1\nnpm notice\n", "npm warn old y@1", "npm warn old y@1"},
		{"(node:7) ExperimentalWarning: x failed\nlistening\n", "listening", "listening"},
	} {
		var kept Tail
		for line := range strings.Lines(c.text) {
			fmt.Fprint(&kept, line)
		}
		asIs := func(text string) string { return text }
		if got := kept.Cause(asIs, false); got != c.start {
			t.Errorf("%q: %q at the start, want %q", c.text, got, c.start)
		}
		if got := kept.Cause(asIs, true); got != c.later {
			t.Errorf("%q: %q later, want %q", c.text, got, c.later)
		}
	}
	var long Tail
	fmt.Fprint(&long, "Error: first\n", strings.Repeat("x\n", 100_000), "Error: last")
	if first, last := long.Cause(strings.ToUpper, false), long.Cause(strings.ToUpper, true); first != "ERROR: FIRST" || last != "ERROR: LAST" {
		t.Errorf("%q, %q", first, last)
	}
	if n := len(long.head) + len(long.kept); n > 2*maxTail {
		t.Errorf("%d bytes kept", n)
	}
}
