package markdown

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var isUpdate = flag.Bool("update", false, "write the golden files")

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
		file := filepath.Join("testdata", fmt.Sprintf("rich.%s.txt", tt.name))
		if *isUpdate {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("%s differs; run with -update and look at the difference. Got:\n%s", file, got)
		}
	}
}
