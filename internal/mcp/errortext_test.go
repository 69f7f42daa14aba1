package mcp

import "testing"

// TestErrorText checks which line of an error people see.
func TestErrorText(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`[{"type":"text","text":"### Error\nError: no browser\nmore"}]`: "Error: no browser",
		`[{"type":"text","text":"\nsorry\nit failed"}]`:                 "it failed",
		`[{"type":"text","text":"# Oh\nsorry"}]`:                        "sorry",
		`[{"type":"text","text":"### Error"}]`:                          "### Error",
		`[]`:                                                            "",
		`"plain"`:                                                       `"plain"`,
	} {
		if got := errorText([]byte(content)); got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
}
