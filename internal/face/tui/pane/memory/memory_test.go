package memory

import (
	"strings"
	"testing"

	"pollux/internal/memory"
)

func TestList(t *testing.T) {
	t.Parallel()
	files := []memory.File{{Path: "/p/GEMINI.md", Tier: memory.Project, Why: "by default", Text: "One\n\n  Two\r\n" + strings.Repeat("x\n", 2000), Imports: []string{"/p/x.md"}, Cut: true}}
	l := List(files, func(path string) string { return "~" + path })
	it := l.Items[0]
	about := strings.Join(it.About, "|")
	if it.Name != "~/p/GEMINI.md" || !strings.Contains(it.State, "project") || !strings.Contains(about, "Imports ~/p/x.md") || !strings.Contains(about, "is cut") {
		t.Errorf("%+v", it)
	}
	shown := it.Actions[0].Lists
	if len(shown) != maxLines+1 || shown[0].Name != "   1  One" || shown[1].Name != "   3    Two" || shown[maxLines].Name != "..." {
		t.Errorf("%d lines, %+v", len(shown), shown[:2])
	}
	if !strings.Contains(l.Note, "in every request") || List(nil, nil).Note != "" {
		t.Errorf("%q", l.Note)
	}
	if empty := List([]memory.File{{}}, func(path string) string { return path }); empty.Items[0].Actions[0].Lists == nil {
		t.Error("an empty file runs a command without a name")
	}
}
