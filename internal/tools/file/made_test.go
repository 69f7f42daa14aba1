package file

import (
	"path/filepath"
	"strings"
	"testing"

	"pollux/tool"
)

// TestReplaceMade repeats edits that were made: the result says so, and nothing changes.
func TestReplaceMade(t *testing.T) {
	t.Parallel()
	const text = "func a() {\n\treturn one(x)\n}\n\nfunc b() {\n\treturn two(x)\n}\n"
	for name, c := range map[string]struct {
		old, new string
		multiple bool
		want     tool.ErrorType // "" for an edit that is made the second time
		lines    string
	}{
		"a line with its surroundings": {old: "func a() {\n\treturn one(x)\n}", new: "func a() {\n\treturn one(x, y)\n}", want: tool.ErrEditNoChange, lines: "lines 1-3"},
		"a line that is like the new":  {old: "\treturn one(x)\n", new: "\treturn one(x, another, argument)\n", want: tool.ErrEditNoChange, lines: "line 2"},
		"all":                          {old: "return one(x)", new: "return withMoreOfThem(x)", multiple: true, want: tool.ErrEditNoChange, lines: "line 2"},
		"a short text":                 {old: "one(x)", new: "uno(x)", want: tool.ErrEditNoOccurrence},
		"nothing in its place":         {old: "\treturn one(x)\n", new: "", want: tool.ErrEditNoOccurrence},
	} {
		w := newWorkspace(t, map[string]string{"f.go": text})
		a := args{"file_path": "f.go", "instruction": "why", "old_string": c.old, "new_string": c.new}
		if c.multiple {
			a["allow_multiple"] = true
		}
		replace := NewReplace(w, nil, nil, EditObserver{})
		if r := run(t, replace, a); r.Error != nil {
			t.Fatalf("%s: %v", name, r.Error)
		}
		path := filepath.Join(w.Root(), "f.go")
		made := get(t, path)
		r := run(t, replace, a)
		if r.Error == nil || r.Error.Type != c.want || get(t, path) != made {
			t.Errorf("%s: error %+v, text %q", name, r.Error, get(t, path))
			continue
		}
		if want := "No change was made, because none is needed: f.go already has new_string, at " + c.lines + ","; c.lines != "" && !strings.HasPrefix(r.Error.Message, want) {
			t.Errorf("%s: %q, want %q", name, r.Error.Message, want)
		}
	}
}
