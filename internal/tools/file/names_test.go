package file

import (
	"path/filepath"
	"strings"
	"testing"

	"pollux/llm"
)

// Files with names like pieces of prose are still files.
func TestOddNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"app/[...slug]/page.tsx", `notes for "the talk"/a.md`, "FAIL logs/a.txt"} {
		w := newWorkspace(t, map[string]string{name: "old text\n"})
		abs := filepath.Join(w.Root(), name)
		wantText(t, run(t, NewReadFile(w, nil), args{"file_path": name}), "old text\n")
		if r := run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": name, "instruction": "i", "old_string": "old", "new_string": "new"}); r.Error != nil {
			t.Errorf("replace %s: %v", name, r.Error)
		}
		if r := run(t, NewWrite(w, nil, nil), args{"file_path": abs, "content": get(t, abs) + "more\n"}); r.Error != nil {
			t.Errorf("write_file %s: %v", name, r.Error)
		}
		if got := get(t, abs); got != "new text\nmore\n" {
			t.Errorf("%s holds %q", name, got)
		}
		for path, entry := range map[string]string{filepath.Dir(name): filepath.Base(name), filepath.Dir(filepath.Dir(name)): filepath.Base(filepath.Dir(name))} {
			if got := llm.PartsText(run(t, NewList(w), args{"dir_path": path}).Content); !strings.Contains(got, entry) {
				t.Errorf("%s lists %q, not %s", path, got, entry)
			}
		}
		refused(t, NewWrite(w, nil, nil), args{"file_path": `and then she said "no" ...`, "content": "x"}, "Invalid path: ")
	}
}
