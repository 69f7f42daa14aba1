package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"pollux/internal/workspace"
	"pollux/tool"
)

// recordOf runs a tool, and returns the record of its changes; ok is false if it failed.
func recordOf(t testing.TB, to tool.Tool, a args) (_ Edit, ok bool) {
	t.Helper()
	r := run(t, to, a)
	d, isDiff := r.Display.(*tool.DiffDisplay)
	if r.Error != nil || !isDiff {
		return Edit{}, false
	}
	return Edit{Path: d.FilePath, Diff: d.Diff, IsNew: d.Before == nil}, true
}

// newestFirst returns edits in the order in which they are undone.
func newestFirst(edits []Edit) []Edit {
	var list []Edit
	for _, e := range edits {
		list = append([]Edit{e}, list...)
	}
	return list
}

func wide(text string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// Whatever the tools have done to a file, an undo brings back each byte of it, or returns the reason.
// Only in a file with mixed line ends, their positions are lost.
func TestUndoExact(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		w, _ := workspace.New(workspace.Options{Root: realDir(t, dir)})
		line := rapid.SampledFrom([]string{"a", "b", "c", "", "  d", "-e", "+f", "@@ -1 +1 @@", "\\ No newline at end of file", "ü"})
		text := rapid.Custom(func(r *rapid.T) string {
			return strings.Join(rapid.SliceOfN(line, 0, 12).Draw(r, "lines"), "\n")
		})
		first := text.Draw(r, "first")
		form := rapid.SampledFrom([]string{"missing", "lf", "crlf", "bom", "wide", "mixed", "bytes"}).Draw(r, "form")
		path := filepath.Join(w.Root(), "f")
		switch form {
		case "crlf":
			first = strings.ReplaceAll(first, "\n", "\r\n")
		case "bom":
			first = "\uFEFF" + first
		case "wide":
			first = wide(first)
		case "mixed":
			first = "x\r\ny\n" + first
		case "bytes":
			first = "\xff" + first
		}
		if form != "missing" {
			put(t, path, first)
		}
		var edits []Edit
		for range rapid.IntRange(1, 4).Draw(r, "edits") {
			var e Edit
			ok := false
			if rapid.Bool().Draw(r, "is write") || form == "missing" && len(edits) == 0 {
				e, ok = recordOf(t, NewWrite(w, nil, nil), args{"file_path": path, "content": text.Draw(r, "content")})
			} else {
				e, ok = recordOf(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": path, "old_string": line.Draw(r, "old"), "new_string": text.Draw(r, "new"), "allow_multiple": true})
			}
			if ok {
				edits = append(edits, e)
			}
		}
		if len(edits) == 0 {
			return
		}
		after := get(t, path)
		list := PlanUndo(t.Context(), w, newestFirst(edits))
		if len(list) != 1 || list[0].Edits != len(edits) {
			r.Fatalf("%+v", list)
		}
		if get(t, path) != after {
			r.Fatal("the plan has changed the file")
		}
		if problem := list[0].Problem; problem != "" {
			isKnown := problem == unknownEnds || form == "mixed" || form == "bytes"
			if !isKnown {
				r.Fatalf("%s of %q: %s", form, first, problem)
			}
			return
		}
		if err := list[0].Apply(t.Context(), w); err != nil {
			r.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if form == "missing" {
			if !os.IsNotExist(err) {
				r.Fatalf("the new file is still there: %q, %v", got, err)
			}
			return
		}
		if form == "mixed" { // the tools may have made them one, which is not recorded
			got, first = []byte(strings.ReplaceAll(string(got), "\r", "")), strings.ReplaceAll(first, "\r", "")
		}
		if err != nil || string(got) != first {
			r.Fatalf("%s: got %q, want %q, %v", form, got, first, err)
		}
	})
}

func realDir(t testing.TB, dir string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A person's later changes stay, and is kept in an undo of other places.
func TestUndoChangedSince(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ first, edit, since, want string }{
		"elsewhere":     {"1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n4\n5\nsix\n7\n8\n", "0\n1\n2\n3\n4\n5\nsix\n7\n8\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n"},
		"the same line": {"1\n2\n3\n", "1\ntwo\n3\n", "1\nzwei\n3\n", ""},
		"twice":         {"2\n", "two\n", "x\ntwo\ntwo\n", ""},
		"removed":       {"1\n", "2\n", "", ""},
		"near it":       {"1\n2\n3\n4\n5\n", "1\n2\n3\nFOUR\n5\n", "hand\n2\n3\nFOUR\n5\n", "hand\n2\n3\n4\n5\n"},
		"beside it":     {"1\n2\n3\n4\n5\n", "1\n2\n3\nFOUR\n5\n", "1\n2\nhand\nFOUR\n5\n", "1\n2\nhand\n4\n5\n"},
		"all around":    {"1\n2\n3\n", "1\ntwo\n3\n", "eins\ntwo\ndrei\n", "eins\n2\ndrei\n"},
		"between":       {"1\n2\n3\n4\n5\n", "1\ntwo\n3\nfour\n5\n", "1\ntwo\nhand\nfour\n5\n", "1\n2\nhand\n4\n5\n"},
		"new line":      {"1\n2\n3\n4\n5\n", "1\n2\n3\nFOUR\n5\n", "1\n2\n3\nhand\nFOUR\n5\n", "1\n2\n3\nhand\n4\n5\n"},
		"deleted lines": {"1\n2\n3\n4\n5\n6\n", "1\n2\n3\n6\n", "1\nhand\n3\n6\n", "1\nhand\n3\n4\n5\n6\n"},
		"in the gap":    {"1\n2\n3\n4\n5\n6\n7\n8\n", "1\n2\n3\n6\n7\n8\n", "1\n2\n3\nhand\n6\n7\n8\n", ""},
		"ambiguous":     {"a\n{\nb\n}\nc\n{\nd\n}\n", "a\n{\nb\n};\nc\n{\nd\n};\n", "a\n{\nb\nx\nc\n{\nd\n};\n", ""},
		"moved away":    {"1\n2\n3\n}\n", "1\n2\n};\n3\n}\n", "x\ny\nz\n1\n2\n3\n}\nu\n};\n", ""},
		"end of line":   {"a\nb", "a\nB\n", "a\nB\nc\n", ""},
		"half a line":   {"1\n2\n3\n", "1\n2\n", "1\n2", ""},
		"new file":      {"", "one\n", "one\nmore\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, nil)
			path := filepath.Join(w.Root(), "f")
			if tt.first != "" {
				put(t, path, tt.first)
			}
			e, ok := recordOf(t, NewWrite(w, nil, nil), args{"file_path": path, "content": tt.edit})
			if !ok {
				t.Fatal("the edit failed")
			}
			put(t, path, tt.since)
			u := PlanUndo(t.Context(), w, []Edit{e})[0]
			if tt.want == "" {
				if u.Problem != changedSince || u.Apply(t.Context(), w) == nil || get(t, path) != tt.since {
					t.Errorf("%+v, %q", u, get(t, path))
				}
				return
			}
			put(t, path, tt.since+"!") // between the plan and its use
			if err := u.Apply(t.Context(), w); err == nil || get(t, path) != tt.since+"!" {
				t.Errorf("%v, %q", err, get(t, path))
			}
			put(t, path, tt.since)
			if err := u.Apply(t.Context(), w); err != nil || get(t, path) != tt.want {
				t.Errorf("%v, %q", err, get(t, path))
			}
		})
	}
}

// A forged record reaches nothing that file tools may not write.
func TestUndoHostile(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"a": "new\n", ".git/config": "new\n", ".env": "new\n", "dir/b": "new\n"})
	outside := filepath.Join(realDir(t, t.TempDir()), "outside")
	put(t, outside, "new\n")
	root := w.Root()
	for link, to := range map[string]string{"link": outside, "inner": root + "/a", "linkdir": filepath.Dir(outside)} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	const diff = "@@ -1 +1 @@\n-old\n+new\n"
	for _, path := range []string{
		outside, root + "/.git/config", root + "/link", root + "/inner", root + "/linkdir/outside", root + "/../" + filepath.Base(root) + "/a",
		"a", "", root, root + "/dir", "/dev/null", root + "/a\x00", "/proc/self/mem",
	} {
		for _, isNew := range []bool{false, true} {
			text := diff
			if isNew {
				text = "@@ -0,0 +1 @@\n+new\n"
			}
			u := PlanUndo(t.Context(), w, []Edit{{Path: path, Diff: text, IsNew: isNew}})[0]
			if u.Problem == "" || u.Apply(t.Context(), w) == nil {
				t.Errorf("%q can be undone: %+v", path, u)
			}
		}
	}
	for _, path := range []string{outside, root + "/a", root + "/.git/config", root + "/dir/b"} {
		if got := get(t, path); got != "new\n" {
			t.Errorf("%s has %q", path, got)
		}
	}
}

func FuzzUndo(f *testing.F) {
	f.Add("@@ -1 +1 @@\n-old\n+new\n", "new\n", false)
	f.Add("@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n", "a\nb", true)
	f.Add("Index: x\n@@ -1,2 +1 @@\n a\n-b\n", "a\n", false)
	f.Add("@@ -9999999999999 +1 @@\n", "", false)
	f.Add("\\\n@@ -1 +0,0 @@\n\\\n", "", false)
	f.Fuzz(func(t *testing.T, diff, text string, isNew bool) {
		u := &Undo{Path: "f", now: newDocument([]byte(text)), then: newDocument([]byte(text))}
		u.undo(Edit{Path: "f", Diff: diff, IsNew: isNew})
		if u.Problem == "" && u.Removes && u.now.text != "" && !strings.Contains(diff, "\n+") {
			t.Errorf("%q is removed by %q", text, diff)
		}
	})
}

// A record without secrets does not bring lines back that had some.
func TestUndoMasked(t *testing.T) {
	t.Parallel()
	for diff, want := range map[string]string{
		"@@ -1 +1 @@\n-key = [REDACTED]\n+key =\n":   notRecorded,
		"@@ -1,2 +1,2 @@\n [REDACTED]\n-a\n+key =\n": changedSince,
		"@@ -1 +1 @@\n-key = a\n+key =\n":            "",
	} {
		dir := realDir(t, t.TempDir())
		path := filepath.Join(dir, "f")
		if err := os.WriteFile(path, []byte("key =\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := workspace.New(workspace.Options{Root: dir})
		if err != nil {
			t.Fatal(err)
		}
		if got := PlanUndo(t.Context(), w, []Edit{{Path: path, Diff: diff}})[0].Problem; got != want {
			t.Errorf("%q: %q, want %q", diff, got, want)
		}
	}
}
