package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/face/tui/golden"
)

// TestGolden renders a document with all elements at several widths.
func TestGolden(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join("testdata", "rich.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		r    Renderer
	}{
		{"40", Renderer{Width: 40}},
		{"80", Renderer{Width: 80, Links: true}},
		{"160", Renderer{Width: 160, LineNumbers: true}},
		{"30", Renderer{Width: 30}},
	} {
		tt.r.Theme = testPalette()
		got := notation(render(&tt.r, string(source)))
		golden.Check(t, fmt.Sprintf("rich.%s.txt", tt.name), got)
	}
}
