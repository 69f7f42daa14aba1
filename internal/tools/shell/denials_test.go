package shell

import (
	"strings"
	"testing"
)

// TestFoldDenials checks which runs of lines are shortened, in whatever pieces they come.
func TestFoldDenials(t *testing.T) {
	t.Parallel()
	lines := func(n int, line string) string {
		return strings.Repeat(line+"\n", n)
	}
	const (
		found, cannot = "find: ‘/a b/c’: Permission denied", "rm: cannot remove 'x/y': Operation not permitted"
		rest          = "\n... [2 more lines such as the last one] ...\n"
	)
	most := func(line string) string { return strings.TrimSuffix(lines(20, line), "\n") }
	for text, want := range map[string]string{
		"":                                        "",
		"a\n\n":                                   "a\n\n",
		lines(20, found):                          lines(20, found),
		lines(22, found):                          most(found) + rest,
		"a\n" + lines(22, found) + "b":            "a\n" + most(found) + rest + "b",
		lines(22, found) + lines(22, cannot):      most(found) + rest + most(cannot) + rest,
		lines(4, found+"\na"):                     lines(4, found+"\na"),
		lines(29, "/x: a: Permission granted"):    lines(29, "/x: a: Permission granted"),
		lines(29, "x: Permission denied"):         lines(29, "x: Permission denied"),
		lines(29, "Permission denied"):            lines(29, "Permission denied"),
		lines(29, "Permission denied: /a"):        lines(29, "Permission denied: /a"),
		lines(29, "a/"+strings.Repeat("x", 2000)): lines(29, "a/"+strings.Repeat("x", 2000)),
	} {
		if got := foldDenials(strings.TrimSuffix(text, "\n")); got != strings.TrimSuffix(want, "\n") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		var f denialFolder
		var pieces strings.Builder
		for line := range strings.Lines(text) {
			pieces.Write(f.fold([]byte(line)))
		}
		pieces.WriteString(f.end())
		if got := pieces.String(); got != want {
			t.Errorf("%q line by line: %q, want %q", text, got, want)
		}
	}
}
