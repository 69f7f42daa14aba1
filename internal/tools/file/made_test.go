package file

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/tool"
)

// TestReplaceMade repeats edits that were made: the result says so, and nothing changes. A tool that has not made them, as in a
// resumed session, names the places with the new text, and does not take a similar place either.
func TestReplaceMade(t *testing.T) {
	t.Parallel()
	const text = "func a() {\n\treturn one(x)\n}\n\nfunc b() {\n\treturn two(x)\n}\n"
	const siblings = "func user(id string) (*User, error) {\n\tif id == \"\" {\n\t\treturn nil, errors.New(\"no user\")\n\t}\n}\n\n" +
		"func team(id string) (*Team, error) {\n\tif id == \"\" {\n\t\treturn nil, ErrNotFound\n\t}\n}\n\n" +
		"func role(id string) (*Role, error) {\n\tif id == \"\" {\n\t\treturn nil, errors.New(\"no role\")\n\t}\n}\n"
	const notFound = "\tif id == \"\" {\n\t\treturn nil, ErrNotFound\n\t}\n"
	for name, c := range map[string]struct {
		text     string
		old, new string
		multiple bool
		again    string // in the result of the second call
		resumed  string // in that of another tool, "" for nothing about the new text
	}{
		"a line with its surroundings": {old: "func a() {\n\treturn one(x)\n}", new: "func a() {\n\treturn one(x, y)\n}", again: "new_string is at lines 1-3.", resumed: "already, at lines 1-3:"},
		"a line that is like the new":  {old: "\treturn one(x)\n", new: "\treturn one(x, another, argument)\n", again: "new_string is at line 2.", resumed: "already, at line 2:"},
		"all":                          {old: "return one(x)", new: "return withMoreOfThem(x)", multiple: true, again: "new_string is at line 2.", resumed: "already, at line 2:"},
		"a short text":                 {old: "one(x)", new: "uno(x)", again: "new_string is at line 2."},
		"nothing in its place":         {old: "\treturn one(x)\n", new: "", again: "old_string is no longer there. Do not repeat it."},
		"a similar place": {
			text: siblings, old: "\tif id == \"\" {\n\t\treturn nil, errors.New(\"no user\")\n\t}\n", new: notFound,
			again: "new_string is at lines 2-4 and 8-10.", resumed: "already, at lines 2-4 and 8-10:",
		},
	} {
		w := newWorkspace(t, map[string]string{"f.go": cmp.Or(c.text, text)})
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
		if r.Error == nil || r.Error.Type != tool.ErrEditNoChange || !strings.Contains(r.Error.Message, "you have made this edit of f.go before") || !strings.Contains(r.Error.Message, c.again) || get(t, path) != made {
			t.Errorf("%s: error %+v, text %q", name, r.Error, get(t, path))
		}
		r = run(t, NewReplace(w, nil, nil, EditObserver{}), a)
		if r.Error == nil || r.Error.Type != tool.ErrEditNoOccurrence || !strings.Contains(r.Error.Message, c.resumed) || strings.Contains(r.Error.Message, "there already") != (c.resumed != "") || get(t, path) != made {
			t.Errorf("%s, by another tool: error %+v, text %q", name, r.Error, get(t, path))
		}
	}
}

// TestReplaceMadeAgain makes an edit again that was taken back, and one of which the new text never was in the file.
func TestReplaceMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f.go": "a := one\nb := two\n"})
	path := filepath.Join(w.Root(), "f.go")
	replace := NewReplace(w, nil, nil, EditObserver{})
	a := args{"file_path": "f.go", "old_string": "a := one", "new_string": "a := three"}
	for _, text := range []string{"a := one\nb := two\n", "a  :=  one\nb := two\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := run(t, replace, a); r.Error != nil || !strings.Contains(get(t, path), "three") {
			t.Errorf("%q: error %+v, text %q", text, r.Error, get(t, path))
		}
	}
}
