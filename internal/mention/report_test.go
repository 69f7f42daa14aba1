package mention

import (
	"fmt"
	"strings"
	"testing"
)

// TestReport checks which files a prompt is reported to have, and which names are reported to
// be missing.
func TestReport(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"notes.txt": "one\ntwo\n", "src/a.go": "package a", "src/b.go": "package b", "logo.png": "\x89PNG\r\n\x1a\n", "empty.md": "",
		"docs/[x]/page.md": "x", "types/x.d": "x", ".geminiignore": "secret.txt\n", "secret.txt": "s",
	}
	for prompt, want := range map[string]string{
		"see @notes.txt":                               "+notes.txt (2 lines)",
		"see @notes.txt and @notes.txt":                "+notes.txt (2 lines)",
		"see @src and @notes.txt":                      "+src/ (2 files), +notes.txt (2 lines)",
		"see @src/":                                    "+src/ (2 files)",
		"see @docs/[x]":                                "+docs/[x]/ (1 file)",
		`see @"docs/[x]"`:                              "+docs/[x]/ (1 file)",
		"see @a.go":                                    "+src/a.go (1 line)",
		"see @logo.png":                                "+logo.png (image/png)",
		"see @empty.md":                                "+empty.md (empty)",
		"explain @nofile.txt please":                   "-nofile.txt (notes.txt)",
		"explain @nots.txt, please":                    "-nots.txt (notes.txt)",
		"@zzzzzzzzzz.json":                             "-zzzzzzzzzz.json ()",
		"(@x/y/none.py)":                               "-x/y/none.py ()",
		"@./none and @../none and @none/":              "-./none (), -../none (), -none/ ()",
		"@1.go @2.go @3.go @4.go":                      "-1.go (), -2.go (), -3.go ()",
		"看看@none.go的代码和（@src/none）":                    "-none.go (), -src/none ()",
		"@src/none and @src/x.go":                      "-src/none (), -src/x.go ()",
		"@notes/none @types/node":                      "",
		"@secret.txt":                                  "",
		"mail me@example.com or a.b@c.txt":             "",
		"add @Override, @app.route('/') or @app.route": "",
		"@pytest.fixture @types/node @scope/pkg":       "",
		"import '@scope/pkg/index.js'":                 "",
		"@media.css(x) @me @someone":                   "",
		"@*.none":                                      "",
		"see @docs:file:///guide, please":              "-docs:file:///guide (resource)",
		"@my-docs:https://x.example/a?b=c":             "-my-docs:https://x.example/a (resource)",
		"@scope:registry=https://x.example @http://x.example me@host:ssh://x": "",
	} {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			e, err := Expand(t.Context(), newWorkspace(t, files), prompt, unlimited, Known{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range e.Attached {
				got = append(got, fmt.Sprintf("+%s (%s)", a.Name, a.Size))
			}
			for _, m := range e.Missing {
				if m.IsResource {
					m.Near = "resource"
				}
				got = append(got, fmt.Sprintf("-%s (%s)", m.Name, m.Near))
			}
			if got := strings.Join(got, ", "); got != want {
				t.Errorf("%s: %s, want %s", prompt, got, want)
			}
		})
	}
}
