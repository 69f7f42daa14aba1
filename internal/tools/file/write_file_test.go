package file

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/workspace"
	"pollux/tool"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	write := NewWrite(w, nil, nil)
	path := filepath.Join(w.Root(), "deep", "er", "f.txt")

	r := run(t, write, args{"file_path": "deep/er/f.txt", "content": "one\ntwo\n"})
	wantText(t, r, "Successfully created and wrote to new file: "+path+" (2 lines).")
	d := r.Display.(*tool.DiffDisplay)
	want := "Index: f.txt\n===================================================================\n--- f.txt\tOriginal\n+++ f.txt\tWritten\n@@ -0,0 +1,2 @@\n+one\n+two\n"
	if d.Diff != want || d.Before != nil || d.After != "one\ntwo\n" || d.FileName != "f.txt" || d.FilePath != path {
		t.Errorf("%+v", d)
	}
	if r.Summary != "2 added, 0 removed" || r.Lines != (tool.LineChange{Added: 2}) {
		t.Errorf("summary = %q, lines = %v", r.Summary, r.Lines)
	}

	r = run(t, write, args{"file_path": path, "content": "one\n2\n"})
	wantText(t, r, "Successfully overwrote file: "+path+" (2 lines in place of 2).")
	if got := get(t, path); got != "one\n2\n" {
		t.Errorf("content = %q", got)
	}
	stat := r.Display.(*tool.DiffDisplay).Stat
	if stat != (tool.DiffStat{ModelAddedLines: 1, ModelRemovedLines: 1, ModelAddedChars: 1, ModelRemovedChars: 3}) {
		t.Errorf("stat = %+v", stat)
	}
	wantText(t, run(t, write, args{"file_path": path, "content": "one\n2\n"}), "Successfully overwrote file: "+path+" (2 lines in place of 2).")
}

// The new version of a file keeps its form.
func TestWriteFileKeepsForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, content, want string }{
		"lf":               {"a\n", "b\r\nc\n", "b\r\nc\n"},
		"crlf":             {"a\r\nb\n", "x\ny\r\nz\n", "x\r\ny\r\nz\r\n"},
		"bom":              {"\ufeffa\n", "b\n", "\ufeffb\n"},
		"bom in content":   {"\ufeffa\n", "\ufeffb\n", "\ufeffb\n"},
		"utf-16":           {"\xff\xfea\x00\r\x00\n\x00", "ü\n", "\xff\xfe\xfc\x00\r\x00\n\x00"},
		"not really a bom": {"\xff\xfea", "b", "b"},
		"dollars":          {"x", "$1 $& $$ \\1", "$1 $& $$ \\1"},
		"empty":            {"x", "", ""},
	} {
		w := newWorkspace(t, map[string]string{"f": c.old})
		if r := run(t, NewWrite(w, nil, nil), args{"file_path": "f", "content": c.content}); r.Error != nil {
			t.Errorf("%s: %v", name, r.Error)
		}
		if got := get(t, filepath.Join(w.Root(), "f")); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWriteFileConfirmation(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"a/rather/long/path/that/has/to/be/shortened/f.txt": "old\n"})
	path := filepath.Join(w.Root(), "a/rather/long/path/that/has/to/be/shortened/f.txt")
	call := build(t, NewWrite(w, nil, nil), args{"file_path": path, "content": "new\n"})
	got, err := call.Confirmation(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	old := "old\n"
	want := &tool.EditConfirmation{Title: "Confirm Write: a/.../has/to/be/shortened/f.txt", DiffDisplay: tool.DiffDisplay{
		Diff:     "Index: f.txt\n===================================================================\n--- f.txt\tCurrent\n+++ f.txt\tProposed\n@@ -1 +1 @@\n-old\n+new\n",
		FileName: "f.txt", FilePath: path, Before: &old, After: "new\n",
		Stat: tool.DiffStat{ModelAddedLines: 1, ModelRemovedLines: 1, ModelAddedChars: 3, ModelRemovedChars: 3},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}

	raw, err := call.(tool.Modifiable).WithContent("mine\nours\n")
	if err != nil {
		t.Fatal(err)
	}
	call, err = tool.Build(NewWrite(w, nil, nil), raw)
	if err != nil {
		t.Fatal(err)
	}
	r := call.Run(context.Background(), tool.Host{})
	wantText(t, r, "Successfully overwrote file: "+path+" (2 lines in place of 1). User modified the `content`. The difference from your version:\n"+
		"--- f.txt\tYour version\n+++ f.txt\tWritten\n@@ -1 +1,2 @@\n-new\n+mine\n+ours")
	stat := r.Display.(*tool.DiffDisplay).Stat
	if stat.ModelAddedLines != 1 || stat.UserAddedLines != 2 || stat.UserRemovedLines != 1 || stat.UserAddedChars != 8 {
		t.Errorf("stat = %+v", stat)
	}
}

// The tool writes the approved text over the shown one, nothing else.
func TestWriteFileChangedMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"f": "shown"})
	path := filepath.Join(w.Root(), "f")
	call := build(t, NewWrite(w, nil, nil), args{"file_path": "f", "content": "new"})
	if _, err := call.Confirmation(context.Background()); err != nil {
		t.Fatal(err)
	}
	put(t, path, "someone's work")
	wantError(t, call.Run(context.Background(), tool.Host{}), tool.ErrFileWrite, "was changed by someone else")
	if got := get(t, path); got != "someone's work" {
		t.Errorf("content = %q", got)
	}
}

// A call without a question does not run, whatever happens meanwhile.
func TestHopelessStaysSo(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, nil)
	path := filepath.Join(w.Root(), "f")
	call := build(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f", "instruction": "", "old_string": "a", "new_string": "b"})
	if c, err := call.Confirmation(context.Background()); c != nil || err != nil {
		t.Fatal(c, err)
	}
	put(t, path, "a")
	wantError(t, call.Run(context.Background(), tool.Host{}), tool.ErrFileNotFound, "File not found: "+path)
}

func TestWriteFileErrors(t *testing.T) {
	t.Parallel()
	for errno, want := range map[error]struct {
		kind tool.ErrorType
		text string
	}{
		syscall.EACCES: {tool.ErrPermissionDenied, "Permission denied writing to file: %s (EACCES)"},
		syscall.ENOSPC: {tool.ErrNoSpaceLeft, "No space left on device: %s (ENOSPC)"},
		syscall.EISDIR: {tool.ErrTargetIsDirectory, "Target is a directory, not a file: %s (EISDIR)"},
		syscall.EROFS:  {tool.ErrFileWrite, "Error writing to file '%s': EROFS: read-only file system, open '%[1]s' (EROFS)"},
	} {
		w, _ := workspace.New(workspace.Options{Root: t.TempDir(), Disk: workspace.Disk{
			Write: func(path string, _ []byte) error { return &os.PathError{Op: "write", Path: path, Err: errno} },
		}})
		path := filepath.Join(w.Root(), "f")
		text := strings.ReplaceAll(strings.ReplaceAll(want.text, "%s", path), "%[1]s", path)
		wantError(t, run(t, NewWrite(w, nil, nil), args{"file_path": "f", "content": "x"}), want.kind, text)
		kind := tool.ErrFileWrite
		if errno == syscall.ENOSPC || errno == syscall.EISDIR {
			kind = want.kind
		}
		wantError(t, run(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "f", "instruction": "", "old_string": "", "new_string": "x"}), kind, text)
	}
	w := newWorkspace(t, map[string]string{"file": ""})
	if r := run(t, NewWrite(w, nil, nil), args{"file_path": "file/below", "content": "x"}); r.Error == nil {
		t.Error("wrote below a file")
	}
}

// The directory of a call may vanish before it runs: then it is made again.
func TestWriteFileVanishedDirectory(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"dir/f": "old"})
	call := build(t, NewWrite(w, nil, nil), args{"file_path": "dir/f", "content": "new"})
	if err := os.RemoveAll(filepath.Join(w.Root(), "dir")); err != nil {
		t.Fatal(err)
	}
	if r := call.Run(context.Background(), tool.Host{}); r.Error != nil || get(t, filepath.Join(w.Root(), "dir/f")) != "new" {
		t.Errorf("%v", r.Error)
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a/b.txt": "a/b.txt",
		"first/second/third/fourth/fifth/last.go": "first/.../fourth/fifth/last.go",
		strings.Repeat("n", 60):                   strings.Repeat("n", 15) + "..." + strings.Repeat("n", 16),
	} {
		if got := shorten(path, 35); got != want {
			t.Errorf("shorten(%q) = %q, want %q", path, got, want)
		}
	}
}

// TestEffect checks that calls of both editing tools say which file they change.
func TestEffect(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"real.txt": "x"})
	if err := os.Symlink("real.txt", filepath.Join(w.Root(), "link.txt")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.Root(), "real.txt")
	for _, to := range []tool.Tool{NewWrite(w, nil, nil), NewReplace(w, nil, nil, EditObserver{})} {
		for args, want := range map[string][]string{
			`{"file_path":"real.txt"}`: {path}, `{"file_path":"./link.txt"}`: {path}, `{"file_path":"new/x"}`: {filepath.Join(w.Root(), "new/x")},
			`{"file_path":" "}`: nil, `{"path":"real.txt"}`: nil, `[]`: nil, ``: nil,
		} {
			if got := tool.EffectOf(to, []byte(args)); got.Reads || !slices.Equal(got.Paths, want) {
				t.Errorf("%s %s: %+v", to.Spec().Name, args, got)
			}
		}
	}
}
