package shell

import (
	"strings"
	"testing"
)

func TestLineEditor(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxLine)
	for in, want := range map[string]string{
		"":                             "",
		"a\nb":                         "a\nb",
		"a\r\nb\r\n":                   "a\nb\n",
		"a\r\r\nb":                     "a\nb",
		" 10%\r 20%\r100%\ndone\n":     "100%\ndone\n",
		"100%\r":                       "100%",
		"loading\r       \rdone\n":     "done\n",
		"loading\r\n\rnext":            "loading\nnext",
		"|\b/\b-\bok":                  "ok",
		"_\bN_\bA日\b":                  "NA",
		"\b\ba":                        "a",
		"a\rb\b\bc":                    "c",
		"bell\a nul\x00 del\x7f \x1f!": "bell nul del !",
		"tab\tand\fform feed\v":        "tab\tand\fform feed",
		long + "y\rz\n":                long + "yz\n",
	} {
		for size := range 4 { // 0: in one piece
			var e lineEditor
			got, rest := "", in
			for rest != "" {
				n := len(rest)
				if size > 0 && len(in) < 1000 {
					n = min(size, n)
				}
				got += string(e.edit([]byte(rest[:n])))
				rest = rest[n:]
			}
			if got += string(e.finish()); got != want {
				t.Errorf("%.40q in pieces of %d: got %.40q, want %.40q", in, size, got, want)
			}
		}
	}
}
