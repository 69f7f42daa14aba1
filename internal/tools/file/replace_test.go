package file

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/workspace"
	"pollux/tool"
)

// edited makes an edit of a file with this text and returns the result and the new text.
func edited(t *testing.T, text string, a args) (*tool.Result, string) {
	t.Helper()
	w := newWorkspace(t, map[string]string{"f.go": text})
	for name, value := range map[string]any{"file_path": "f.go", "instruction": "why"} {
		if _, ok := a[name]; !ok {
			a[name] = value
		}
	}
	r := run(t, NewReplace(w, nil, nil, EditObserver{}), a)
	return r, get(t, filepath.Join(w.Root(), "f.go"))
}

func TestReplaceTexts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, old, new string
		multiple       bool
		want           string
	}{
		"exact":                   {file: "a b c", old: "b", new: "x", want: "a x c"},
		"exact, many":             {file: "b b b", old: "b", new: "x", multiple: true, want: "x x x"},
		"dollars are literal":     {file: "a b c", old: "b", new: "$1 $& $$", want: "a $1 $& $$ c"},
		"newline at end kept":     {file: "a\nb\n", old: "b\n", new: "c", want: "a\nc\n"},
		"no newline at end kept":  {file: "a\nb", old: "b", new: "c\n", want: "a\nc"},
		"emptied":                 {file: "a\n", old: "a\n", new: "", want: ""},
		"line removed":            {file: "a\nb\nc\n", old: "b\n", new: "", want: "a\nc\n"},
		"crlf":                    {file: "a\r\nb\r\nc\r\n", old: "a\nb", new: "x\ny\nz", want: "x\r\ny\r\nz\r\nc\r\n"},
		"crlf in the strings too": {file: "a\r\nb\r\n", old: "a\r\nb\r\n", new: "x\r\ny\r\n", want: "x\r\ny\r\n"},
		"mixed ends elsewhere":    {file: "a\nb\r\nc\nd", old: "b", new: "x\ny", want: "a\nx\r\ny\r\nc\nd"},
		"mixed ends repeated":     {file: "a\nb\r\nc\nd\r\n", old: "a\nb\nc", new: "a\nb\nx\ny", want: "a\nb\r\nx\ny\nd\r\n"},
		"one crlf elsewhere":      {file: "a\r\nb\nc", old: "c", new: "x\ny", want: "a\r\nb\nx\ny"},
		"crlf, no end":            {file: "a\nb\r\nc", old: "c", new: "c\nd", want: "a\nb\r\nc\r\nd"},
		"only an end added":       {file: "a\nb", old: "b", new: "b\n", want: "a\nb\n"},
		"only a crlf added":       {file: "a\r\nb", old: "b", new: "b\n", want: "a\r\nb\r\n"},
		"only an end removed":     {file: "a\nb\n", old: "b\n", new: "b", want: "a\nb"},
		"lf file, crlf strings":   {file: "a\nb\n", old: "a\r\n", new: "x\r\n", want: "x\nb\n"},
		"bom":                     {file: "\ufeffa\r\n", old: "a", new: "b", want: "\ufeffb\r\n"},
		"utf-16":                  {file: "\xff\xfea\x00\r\x00\n\x00b\x00", old: "b", new: "ü", want: "\xff\xfea\x00\r\x00\n\x00\xfc\x00"},
		"bytes that are no text":  {file: "\xfd\xfea\xffb", old: "a", new: "x", want: "\xfd\xfex\xffb"},

		"flexible":                 {file: "func f() {\n\t\tif x {\n\t\t\treturn\n\t\t}\n}\n", old: "if x {\n\treturn\n}", new: "if y {\n\treturn\n}", want: "func f() {\n\t\tif y {\n\t\t\treturn\n\t\t}\n}\n"},
		"flexible, spaces at ends": {file: "a  \n  b\n", old: "a\n  b ", new: "x\n  b ", want: "x\n  b\n"},
		"flexible, newline at end": {file: "  a\n  b\n  c\n", old: "a\nb\n", new: "x\ny\n", want: "  x\n  y\n  c\n"},
		"flexible, lines removed":  {file: "  a\n  b\n  c\n", old: "a\nb\n", new: "", want: "  c\n"},
		"flexible, many":           {file: "\ta\n\tb\n-\n  a\n  b\n", old: "a\nb", new: "x\n\ny", multiple: true, want: "\tx\n\n\ty\n-\n  x\n\n  y\n"},
		"flexible, crlf":           {file: "  a\r\n  b\r\n", old: "a\nb\n", new: "x\ny\n", want: "  x\r\n  y\r\n"},

		"tokens":                 {file: "  if (a==b) { f(); }\n  x\n", old: "if (a == b) {f();}\nx", new: "if (a == b) {f();}\ny", want: "  if (a==b) { f(); }\n  y\n"},
		"tokens, newline at end": {file: "f( a )\ng\n", old: "f(a)\n", new: "h(a)\n", want: "h( a )\ng\n"},

		"fuzzy": {
			file: "func total(items []int) int {\n\tsum := 0\n\tfor _, item := range items {\n\t\tsum += item\n\t}\n\treturn sum\n}\n",
			old:  "func total(items []int) int {\n\tsum := 0\n\tfor _, itm := range items {\n\t\tsum += itm\n\t}\n",
			new:  "func total(items []int) int {\n\treturn len(items)\n",
			want: "func total(items []int) int {\n\treturn len(items)\n\treturn sum\n}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, got := edited(t, c.file, args{"old_string": c.old, "new_string": c.new, "allow_multiple": c.multiple})
			if r.Error != nil {
				t.Fatal(r.Error)
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestReplaceResult(t *testing.T) {
	t.Parallel()
	file := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n24\n25\n26\n27\n28\n29\n30\n"
	w := newWorkspace(t, map[string]string{"dir/f": file})
	path := filepath.Join(w.Root(), "dir/f")
	edit := NewReplace(w, nil, nil, EditObserver{})
	r := run(t, edit, args{"file_path": "f", "instruction": "", "old_string": "\n8\n", "new_string": "\neight\n"})
	wantText(t, r, "Successfully modified file: "+path+" (1 replacement). Here is the updated code:\n... line 5:\n5\n6\n7\neight\n9\n10\n11\n...")
	want := "Index: f\n===================================================================\n--- f\tCurrent\n+++ f\tProposed\n" +
		"@@ -5,7 +5,7 @@\n 5\n 6\n 7\n-8\n+eight\n 9\n 10\n 11\n"
	if d := r.Display.(*tool.DiffDisplay); d.Diff != want || *d.Before != file || r.Summary != "1 added, 1 removed" {
		t.Errorf("%s", d.Diff)
	}

	r = run(t, edit, args{"file_path": path, "instruction": "", "old_string": "", "new_string": "x"})
	wantError(t, r, tool.ErrCreateExisting, "File already exists, cannot create: "+path)

	// The line after the last end of line counts, empty as it is.
	r = run(t, edit, args{"file_path": path, "instruction": "", "old_string": "\n27\n", "new_string": "\n!\n"})
	wantText(t, r, "Successfully modified file: "+path+" (1 replacement). Here is the updated code:\n... line 24:\n24\n25\n26\n!\n28\n29\n30\n...")
	r = run(t, edit, args{"file_path": path, "instruction": "", "old_string": "\n25\n", "new_string": "\n?\n"})
	wantText(t, r, "Successfully modified file: "+path+" (1 replacement). Here is the updated code:\n... line 22:\n22\n23\n24\n?\n26\n!\n28\n...")

	made := filepath.Join(w.Root(), "new/x.txt")
	r = run(t, edit, args{"file_path": "new/x.txt", "instruction": "", "old_string": "", "new_string": "one\ntwo"})
	wantText(t, r, "Created new file: "+made+" with provided content (2 lines).")
	if r.Display != tool.TextDisplay("Created new/x.txt") || get(t, made) != "one\ntwo" {
		t.Errorf("%v, %q", r.Display, get(t, made))
	}
}

// TestReplaceEcho checks that the size of the result does not depend on that of the edit.
func TestReplaceEcho(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	path := filepath.Join(w.Root(), "f")
	edit := func(file, old, replacement string) string {
		put(t, path, file)
		r := run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f", "old_string": old, "new_string": replacement, "allow_multiple": true})
		if r.Error != nil {
			t.Fatal(r.Error)
		}
		return r.Content[0].Text
	}
	seven := "1\n2\n3\n4\n5\n6\n7\n"

	got := edit(strings.Repeat(seven+"old\n", 143), "old", "a\nb")
	want := "Successfully modified file: " + path + " (143 replacements, in lines 8, 17, 26, 35, 44, 53, 62, 71, 80, 89 and 133 more places up to line 1286). " +
		"Here is the updated code:\n... line 5:\n5\n6\n7\na\nb\n1\n2\n3\n... line 14:\n5\n6\n7\na\nb\n1\n2\n3\n..."
	if got != want {
		t.Errorf("%s", got)
	}

	got = edit(seven+"old\n"+seven, "old", strings.Repeat("new\n", 99)+"end")
	_, code, _ := strings.Cut(got, " (1 replacement). Here is the updated code:\n")
	want = "... line 5:\n5\n6\n7\n" + strings.Repeat("new\n", 7) + "... (87 lines not shown)\n" + strings.Repeat("new\n", 5) + "end\n1\n2\n3\n..."
	if code != want {
		t.Errorf("%s", code)
	}

	got = edit(strings.Repeat("é", 100_000)+"old"+strings.Repeat("é", 100_000), "old", "new")
	if !strings.Contains(got, "énewé") || len(got) > len(path)+450 {
		t.Errorf("%d bytes: %.600s", len(got), got)
	}
}

// TestReplaceEchoesNothing checks that the result does not repeat lines around the change that new_string has.
func TestReplaceEchoesNothing(t *testing.T) {
	t.Parallel()
	const file = "0\n1\n2\n3\nold\n5\n6\n7\n8\n"
	for name, c := range map[string]struct{ old, new, want string }{
		"has them":   {"1\n2\n3\nold\n5\n6\n7\n", "1\n2\n3\na\nb\n5\n6\n7\n", "(1 replacement). new_string is now lines 2-9."},
		"one less":   {"2\n3\nold\n5\n6\n7\n", "2\n3\nnew\n5\n6\n7\n", "Here is the updated code:\n... line 2:\n1\n2\n3\nnew\n5\n6\n7\n..."},
		"less below": {"1\n2\n3\nold\n5\n6", "1\n2\n3\nnew\n5\n6", "Here is the updated code:\n... line 2:\n1\n2\n3\nnew\n5\n6\n7\n..."},
		"lenient":    {"1\n2\n3\nold \n5\n6\n7\n", "1\n2\n3\nnew\n5\n6\n7\n", "Here is the updated code:\n... line 2:\n1\n2\n3\nnew\n"},
	} {
		r, _ := edited(t, file, args{"old_string": c.old, "new_string": c.new})
		if r.Error != nil || !strings.HasSuffix(r.Content[0].Text, c.want) && (name != "lenient" || !strings.Contains(r.Content[0].Text, c.want)) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestRename checks the result of replacing many occurrences of a word.
func TestRename(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, old, new, want string }{
		"words": {"id = 1\nid, id\nreturn id\n", "id", "key", "(4 replacements). The changed lines begin:\nline 1: key = 1\nline 2: key, key\nline 3: return key"},
		"inside words": {
			"id\nwidth, id\nids\n", "id", "key",
			"line 3: keys\n2 of 4 replaced places were inside longer words: line 2 (\"width\") and line 3 (\"ids\"). Undo those that you did not mean.",
		},
		"many":         {strings.Repeat("aid\n", 8), "id", "key", "line 5: akey\n...\n8 of 8 replaced places were inside longer words: line 1 (\"aid\"), line 2 (\"aid\"), line 3 (\"aid\"), line 4 (\"aid\"), line 5 (\"aid\") and 3 more. Undo"},
		"few":          {"id\nids\n", "id", "key", "Here is the updated code:\nkey\nkeys\n\n1 of 2 replaced places were inside longer words: line 2 (\"ids\")."},
		"with a sign":  {"a.id\na.idx\n", ".id", ".key", "1 of 2 replaced places were inside longer words: line 2 (\"idx\")"},
		"whole words":  {"theEnvVar := configEnvVar(a)\nEnvVar := configEnvVar(b)\n", "EnvVar := configEnvVar(", "EnvVar := envVarName(", "envVarName(b)\n"},
		"at the end":   {"a.EnvVar = x\na.EnvVars = x\n", "a.EnvVar", "a.EnvVarX", "1 of 2 replaced places were inside longer words: line 2 (\"EnvVars\")"},
		"inserted":     {"a.b\na.bc\n", "a.b", "a.b.d", "1 of 2 replaced places were inside longer words: line 2 (\"bc\")"},
		"signs":        {"a-b\na-b\na-b\na-b\n", "-", "+", "Here is the updated code:\na+b\na+b\na+b\na+b\n"},
		"no word left": {"a b c\na\na\na\n", "a", "x y", "Here is the updated code:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorkspace(t, map[string]string{"f": tt.file})
			r := run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f", "old_string": tt.old, "new_string": tt.new, "allow_multiple": true})
			if r.Error != nil || !strings.Contains(r.Content[0].Text, tt.want) {
				t.Errorf("%+v", r)
			}
			if (tt.old == "-" || name == "whole words") && strings.Contains(r.Content[0].Text, "inside") {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestReplaceErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		args args
		kind tool.ErrorType
		want string
	}{
		"none":      {"a", args{"old_string": "nowhere to be found", "new_string": "x"}, tool.ErrEditNoOccurrence, "Failed to edit, 0 occurrences found for old_string in f.go. "},
		"two":       {"a a", args{"old_string": "a", "new_string": "x"}, tool.ErrEditOccurrenceMismatch, "old_string is there 2 times in f.go, at line 1; nothing was changed. Add lines that only the one you mean has, or set allow_multiple to change all."},
		"same":      {"a", args{"old_string": "a", "new_string": "a"}, tool.ErrEditNoChange, "No changes to apply. The old_string and new_string are identical in file: f.go"},
		"no effect": {"  a\n  b\n", args{"old_string": "a\nb\n", "new_string": "a\nb"}, tool.ErrEditNoChange, "No changes to apply. "},
		"missing":   {"a", args{"file_path": "none.go", "old_string": "a", "new_string": "b"}, tool.ErrFileNotFound, "File not found: "},
		"blank":     {"a\n\n\nb", args{"old_string": " \n ", "new_string": "x"}, tool.ErrEditNoOccurrence, "0 occurrences"},
		"too many":  {strings.Repeat("a", maxChanges+1), args{"old_string": "a", "new_string": "b", "allow_multiple": true}, tool.ErrEditPreparation, "more than one edit may make"},
		"too much":  {strings.Repeat("a", 1000), args{"old_string": "a", "new_string": strings.Repeat("b", 100_000), "allow_multiple": true}, tool.ErrEditPreparation, "more than one edit may make"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, got := edited(t, c.file, c.args)
			wantError(t, r, c.kind, c.want)
			if got != c.file {
				t.Errorf("the file is now %.100q", got)
			}
		})
	}
}

// TestReplaceDirectory checks the type of the error for a directory, which is Gemini CLI's.
func TestReplaceDirectory(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"dir/f": "a"})
	for _, old := range []string{"a", ""} {
		r := run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "dir", "instruction": "i", "old_string": old, "new_string": "b"})
		wantError(t, r, tool.ErrEditPreparation, "Path is a directory, not a file: "+filepath.Join(w.Root(), "dir"))
	}
}

func TestReplaceFuzzyNote(t *testing.T) {
	t.Parallel()
	file := "x\nthe quick brown fox jumps\nover it\nx\nthe quick brown fax jumps\nover it\n"
	a := args{"old_string": "the quick brown fix jumps\nover it", "new_string": "the quick brown fix jumps\nnew", "allow_multiple": true}
	r, got := edited(t, file, a)
	wantError(t, r, tool.ErrEditNoOccurrence, "old_string is like lines 2-3 and 5-6 of f.go, but the same as none of them. Nothing was changed. Send it again with the lines that you mean:\nlines 2-3:\nthe quick brown fox jumps\nover it\nlines 5-6:")
	if got != file {
		t.Errorf("%q", got)
	}
	r, got = edited(t, strings.ReplaceAll(file, "fax", "fox"), a)
	if want := strings.ReplaceAll(file, "fax", "fox"); r.Error != nil || got != strings.ReplaceAll(want, "over it", "new") {
		t.Fatalf("%v, %q", r.Error, got)
	}
	want := `Edited lines 2-3 and 5-6: line 2 had "fox" where old_string has "fix"; line 5 had "fox" where old_string has "fix". Successfully modified file: `
	if text := r.Content[0].Text; !strings.HasPrefix(text, want) {
		t.Errorf("text = %q", text)
	}
}

// TestReplaceLayoutAndWords checks the note about differences of both kinds.
func TestReplaceLayoutAndWords(t *testing.T) {
	t.Parallel()
	r, _ := edited(t, "if x {\n\tthe quick brown fox jumps\n\tover(it)\n}\n", args{
		"old_string": "    the quick brown fix jumps\n    over(it)\n", "new_string": "    the quick brown fix jumps\n    under(it)\n",
	})
	want := `Edited lines 2-3, where the file differs from old_string in the indentation, and in words: line 2 had "fox" where old_string has "fix". Successfully`
	if r.Error != nil || !strings.HasPrefix(r.Content[0].Text, want) {
		t.Errorf("%+v", r)
	}
}

// TestReplaceWords checks the result of an edit whose old_string differs slightly from the
// file.
func TestReplaceWords(t *testing.T) {
	t.Parallel()
	const deep = "if a {\n\tif b {\n\t\tf()\n\t}\n\treturn\n}\n"
	for _, c := range []struct {
		file, old, new string
		want           string // beginning of the result or the error
	}{
		{"one\nreturn computeAll(items)\n", "return computeAl(items)", "return computeAl(nil)", `Edited line 2, which had "computeAll" where old_string has "computeAl". Successfully modified file: `},
		{"one\n  two\nthree\n", "two \nthree", "2 \nthree", "Edited lines 2-3, where the file differs from old_string in the indentation and white space at line ends. Successfully"},
		{"x = print(\"deep thoughts\", all)\n", "x = print('deep thoughts', all)", "x = print('deep thoughts')", "Edited line 1: line 1 had `\"` where old_string has \"'\"; line 1 had"},

		{deep, "    if b {\n\tf()\n    }\n", "    if b {\n\tf()\n\tg()\n    }\n", "old_string is like lines 2-4 of f.go, but the indentation differs. Nothing was changed. Send it again with these lines:\n\tif b {\n\t\tf()\n\t}"},
		{"a\nx := discount(50, all)\n", "x := discount(10, all)", "y", "old_string is like line 2 of f.go, but it has \"10\" where the file has \"50\". Nothing was changed. Send it again with this line:\nx := discount(50, all)"},
		{"a\nx := discount(50, all)\nreturn x, nil\n", "x := discount(10, all)\nreturn x, nil", "y", "old_string is like lines 2-3 of f.go, but it has \"10\" where line 2 has \"50\". Nothing"},
		{"if a {\n\tb\n}\n", "if a {  \n", "if c {\n  d\n", "old_string is like line 1 of f.go, but new_string is not indented with the characters of the file. Nothing was changed. Indent new_string like the file, and send it again with old_string as it is there:\nif a {"},
		{"\ta\n", "a", "a\nb", "old_string is in line 1 of f.go, but it does not have the whole indentation of its line, and new_string has more lines, which may leave it out too. Nothing was changed. Send it again with this line:\n\ta"},
		{"same\nx\nsame\n", "same", "y", "old_string is there 2 times in f.go, at lines 1 and 3; nothing was changed. Add lines that only the one you mean has, or set allow_multiple to change all."},
		{"a\n", "", "y", "File already exists, cannot create: "},
	} {
		r, _ := edited(t, c.file, args{"old_string": c.old, "new_string": c.new})
		got := r.Content
		if r.Error != nil {
			if !strings.HasPrefix(r.Error.Message, c.want) {
				t.Errorf("%q: %s", c.old, r.Error.Message)
			}
		} else if !strings.HasPrefix(got[0].Text, c.want) {
			t.Errorf("%q: %s", c.old, got[0].Text)
		}
	}
	r, _ := edited(t, "a\n", args{"old_string": "", "new_string": "y"})
	wantError(t, r, tool.ErrCreateExisting, "f.go. Nothing was changed. Give the lines to replace as old_string, or replace the whole file with write_file.")
}

func TestReplaceFindsThePath(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{
		"src/pkg/only.go": "a", "src/one/two.go": "a", "lib/one/two.go": "a", "lib/two.go": "a", ".geminiignore": "gen/\n", "gen/g.go": "a", ".git/x": "",
	})
	for path, want := range map[string]string{
		"only.go":      "src/pkg/only.go",
		"pkg/only.go":  "src/pkg/only.go",
		"two.go":       "two.go", // there are three
		"one/two.go":   "one/two.go",
		"g.go":         "g.go",
		"y.go":         "y.go",
		"./only.go":    "src/pkg/only.go",
		"src/../g2.go": "g2.go",
	} {
		if got := locate(w, path); got != filepath.Join(w.Root(), want) {
			t.Errorf("locate(%q) = %s, want %s", path, got, want)
		}
	}
}

// An edit changes the current file, not the one at the time of the question.
func TestReplaceChangedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": "one\ntwo\n"})
	path := filepath.Join(w.Root(), "f")
	call := build(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f", "instruction": "", "old_string": "two", "new_string": "2"})
	if c, err := call.Confirmation(context.Background()); err != nil || c.(*tool.EditConfirmation).Title != "Confirm Edit: f" {
		t.Fatal(c, err)
	}
	put(t, path, "zero\none\ntwo\n")
	if r := call.Run(context.Background(), tool.Host{}); r.Error != nil || get(t, path) != "zero\none\n2\n" {
		t.Errorf("%v, %q", r.Error, get(t, path))
	}

	put(t, path, "one\ntwo\n")
	call = build(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f", "instruction": "", "old_string": "two", "new_string": "2"})
	if _, err := call.Confirmation(context.Background()); err != nil {
		t.Fatal(err)
	}
	put(t, path, "someone took it away")
	wantError(t, call.Run(context.Background(), tool.Host{}), tool.ErrEditNoOccurrence, "0 occurrences")
}

// A file that changes again and again, between reading and writing, is left alone.
func TestReplaceKeepsChanging(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "f")
	put(t, path, "a")
	w, _ := workspace.New(workspace.Options{Root: root, Disk: workspace.Disk{
		Open: func(path string) (iofs.File, error) {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if err := os.WriteFile(path, append(data, 'x'), 0o600); err != nil {
				return nil, err
			}
			return os.Open(path)
		},
	}})
	r := run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f", "instruction": "", "old_string": "a", "new_string": "b"})
	wantError(t, r, tool.ErrEditPreparation, "it keeps changing")
	if got := get(t, path); !strings.HasPrefix(got, "ax") {
		t.Errorf("content = %q", got)
	}
}

func TestReplaceModified(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": "\ufeffone\r\ntwo\r\n"})
	path := filepath.Join(w.Root(), "f")
	call := build(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f", "instruction": "", "old_string": "two", "new_string": "2"})
	raw, err := call.(tool.Modifiable).WithContent("one\n2\nthree")
	if err != nil {
		t.Fatal(err)
	}
	call, err = tool.Build(NewReplace(w, nil, nil, EditObserver{}), raw)
	if err != nil {
		t.Fatal(err)
	}
	r := call.Run(context.Background(), tool.Host{})
	wantText(t, r, "Successfully modified file: "+path+" (1 replacement). User modified the `new_string` content. The difference from the file with your edit:\n"+
		"--- f\tYour version\n+++ f\tWritten\n@@ -1,2 +1,3 @@\n one\n 2\n+three\n\\ No newline at end of file")
	if got := get(t, path); got != "\ufeffone\r\n2\r\nthree" {
		t.Errorf("content = %q", got)
	}
	if s := r.Display.(*tool.DiffDisplay).Stat; s.ModelAddedLines != 1 || s.UserAddedLines != 1 {
		t.Errorf("stat = %+v", s)
	}
}

// fixer is a Corrector of fixed answers.
type fixer struct {
	fix   EditFix
	err   error
	asked []EditFailure
	hook  func()
}

func (f *fixer) FixEdit(_ context.Context, e EditFailure) (EditFix, error) {
	f.asked = append(f.asked, e)
	if f.hook != nil {
		f.hook()
	}
	return f.fix, f.err
}

func (f *fixer) Unescape(context.Context, string) (string, error) { return "corrected", f.err }

// The observer gets how the place of an edit was found, and whether the edit of a
// model could be applied.
func TestReplaceWatched(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	for _, tt := range []struct {
		old  string
		fix  *EditFix
		want string
	}{
		{"\ttwo words\n", nil, "exact"},
		{"two words \n  end", nil, "flexible"},
		{"\ttwo  words\n  end", nil, "regex"},
		{"two  words", nil, "regex"},
		{"the long line that is not quite the same as another one", nil, "fuzzy"},
		{"none", nil, ""},
		{"none", &EditFix{Search: "end", Replace: "x"}, "corrected exact"},
		{"none", &EditFix{Search: "nowhere", Replace: "x"}, "not corrected"},
	} {
		put(t, filepath.Join(w.Root(), "f"), "one\n\ttwo words\n  end\nthe long line that is not quite the same as any other one\n")
		var told []string
		watch := EditObserver{
			Made: func(how string) { told = append(told, how) },
			Corrected: func(works bool) {
				told = append(told, map[bool]string{true: "corrected", false: "not corrected"}[works])
			},
		}
		var corrector Corrector
		if tt.fix != nil {
			corrector = &fixer{fix: *tt.fix}
		}
		replacement := "new"
		if tt.want == "regex" && strings.Contains(tt.old, "end") {
			replacement = strings.ReplaceAll(tt.old, "end", "new")
		}
		run(t, NewReplace(w, corrector, nil, watch), args{"file_path": "f", "instruction": "i", "old_string": tt.old, "new_string": replacement})
		if got := strings.Join(told, " "); got != tt.want {
			t.Errorf("%q: the observer gets %q, want %q", tt.old, got, tt.want)
		}
	}
}

func TestReplaceCorrected(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	path := filepath.Join(w.Root(), "f")
	a := args{"file_path": "f", "instruction": "rename", "old_string": "something else", "new_string": "x"}
	edit := func(f *fixer) *tool.Result {
		put(t, path, "one\ntwo\n")
		return run(t, NewReplace(w, f, nil, EditObserver{}), a)
	}

	f := &fixer{fix: EditFix{Search: "two", Replace: "2"}}
	if r := edit(f); r.Error != nil || get(t, path) != "one\n2\n" {
		t.Errorf("%v, %q", r.Error, get(t, path))
	}
	if len(f.asked) != 1 || f.asked[0].Content != "one\ntwo\n" || f.asked[0].Instruction != "rename" || !strings.Contains(f.asked[0].Problem, "0 occurrences") {
		t.Errorf("asked %+v", f.asked)
	}
	wantError(t, edit(&fixer{fix: EditFix{NoChange: true, Explanation: "It is there."}}), tool.ErrEditNoChangeModelVerdict, "It is there.")
	wantError(t, edit(&fixer{fix: EditFix{Search: "nor this one", Replace: "2"}}), tool.ErrEditNoOccurrence, "0 occurrences")
	wantError(t, edit(&fixer{err: errors.New("timeout")}), tool.ErrEditNoOccurrence, "0 occurrences")

	// The edit changes the newest version.
	f = &fixer{fix: EditFix{Search: "two", Replace: "2"}, hook: func() { put(t, path, "zero\ntwo\n") }}
	if r := edit(f); r.Error != nil || get(t, path) != "zero\n2\n" {
		t.Errorf("%v, %q", r.Error, get(t, path))
	}

	// The model is not asked about a missing file, about JSON, or if the intent is unknown.
	f = &fixer{}
	put(t, path, "one\ntwo\n")
	blank := args{"file_path": "f", "instruction": "", "old_string": " \t \n ", "new_string": "x"}
	wantError(t, run(t, NewReplace(w, f, nil, EditObserver{}), blank), tool.ErrInvalidParams, "The 'old_string' parameter is required. ")
	wantError(t, run(t, NewReplace(w, nil, nil, EditObserver{}), blank), tool.ErrEditNoOccurrence, "0 occurrences")
	for _, name := range []string{"none", "f.json"} {
		put(t, filepath.Join(w.Root(), "f.json"), "{}")
		if r := run(t, NewReplace(w, f, nil, EditObserver{}), args{"file_path": name, "instruction": "", "old_string": "something else", "new_string": "x"}); r.Error == nil || len(f.asked) > 0 {
			t.Errorf("%s: %v, asked %v", name, r.Error, f.asked)
		}
	}
}

func TestWriteFileCorrected(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	for _, c := range []struct {
		name, content string
		err           error
		want          string
	}{
		{"a.go", `a\nb`, nil, "corrected"},
		{"a.go", `a\nb`, errors.New("timeout"), `a\nb`},
		{"a.go", `a\\b`, nil, "corrected"},
		{"a.go", `a\d`, nil, `a\d`},
		{"a.json", `a\nb`, nil, `a\nb`},
	} {
		if r := run(t, NewWrite(w, &fixer{err: c.err}, nil), args{"file_path": c.name, "content": c.content}); r.Error != nil {
			t.Fatal(r.Error)
		}
		if got := get(t, filepath.Join(w.Root(), c.name)); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.name, c.content, got, c.want)
		}
	}
}

func TestUnescape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`a`: "a", `a\nb`: "a\nb", `\\\\n`: "\n", `\t\r`: "\t\r", `\"x\'\` + "`": "\"x'`", `a\\b`: `a\b`, `\d`: `\d`, `end\`: `end\`, "a\\\nb": "a\nb",
	} {
		if got := unescape(in); got != want {
			t.Errorf("unescape(%q) = %q, want %q", in, got, want)
		}
	}
}

func BenchmarkReplace(b *testing.B) {
	line := "\tresult = append(result, transform(input[i], options))\n"
	text := strings.Repeat(line, (1<<20)/len(line))
	middle := len(text) / 2 / len(line) * len(line)
	text = text[:middle] + "\tthe line to find and change\n" + text[middle:]
	for name, old := range map[string]string{
		"exact":    "the line to find and change",
		"flexible": "    the line to find and change",
		"tokens":   "the line   to find and change",
		"fuzzy":    "the line to fin and change",
		"none":     "nothing like it is in there, as far as one can see",
	} {
		b.Run(name, func(b *testing.B) {
			w := newWorkspace(b, map[string]string{"f.go": text})
			to := NewReplace(w, nil, nil, EditObserver{})
			call := build(b, to, args{"file_path": "f.go", "instruction": "", "old_string": old, "new_string": old + " now"}).(*replaceCall)
			d, err := open(context.Background(), w, call.abs)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				e, err := call.apply(context.Background(), d)
				if (err == nil) != (name != "none") {
					b.Fatal(err)
				}
				if err == nil {
					e.display(proposedLabels)
				}
			}
		})
	}
}
