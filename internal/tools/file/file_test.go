package file

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// newWorkspace returns a workspace in a temporary directory with these files.
func newWorkspace(t testing.TB, files map[string]string) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		put(t, filepath.Join(root, name), text)
	}
	w, warnings := workspace.New(workspace.Options{Root: root, GitIgnore: true, GeminiIgnore: true})
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	return w
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// args are a call's arguments.
type args map[string]any

// build builds a call that must be valid.
func build(t testing.TB, to tool.Tool, a args) tool.Invocation {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	call, err := tool.Build(to, raw)
	if err != nil {
		t.Fatalf("%s does not take %s: %v", to.Spec().Name, raw, err)
	}
	return call
}

// run builds and runs a call.
func run(t testing.TB, to tool.Tool, a args) *tool.Result {
	t.Helper()
	return build(t, to, a).Run(context.Background(), tool.Host{})
}

// wantText checks a result that is one text.
func wantText(t testing.TB, r *tool.Result, want string) {
	t.Helper()
	if r.Error != nil {
		t.Fatalf("error = %s: %s", r.Error.Type, r.Error.Message)
	}
	if got := llm.PartsText(r.Content); got != want {
		t.Errorf("text = %q, want %q", got, want)
	}
}

// wantError checks a result that is an error with this text in it.
func wantError(t testing.TB, r *tool.Result, kind tool.ErrorType, text string) {
	t.Helper()
	if r.Error == nil {
		t.Fatalf("no error but %.200q", llm.PartsText(r.Content))
	}
	if r.Error.Type != kind || !strings.Contains(r.Error.Message, text) {
		t.Errorf("error = %s: %q, want %s: %q", r.Error.Type, r.Error.Message, kind, text)
	}
}

// refused checks that a tool refuses these arguments with this text.
func refused(t testing.TB, to tool.Tool, a args, text string) {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tool.Build(to, raw); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%s(%.100s): error = %v, want %q", to.Spec().Name, raw, err, text)
	}
}

func all(w *workspace.Workspace) []tool.Tool {
	return []tool.Tool{NewList(w), NewReadFile(w, nil), NewReplace(w, nil, nil, EditObserver{}), NewWrite(w, nil, nil)}
}

func TestSpecs(t *testing.T) {
	t.Parallel()
	want := map[string]struct {
		display, class string
		kind           tool.Kind
	}{
		"list_directory": {"ReadFolder", "LSTool", tool.KindSearch},
		"read_file":      {"ReadFile", "ReadFileTool", tool.KindRead},
		"replace":        {"Edit", "EditTool", tool.KindEdit},
		"write_file":     {"WriteFile", "WriteFileTool", tool.KindEdit},
	}
	for _, to := range all(newWorkspace(t, nil)) {
		s := to.Spec()
		w := want[s.Name]
		if s.DisplayName != w.display || len(s.Aliases) != 1 || s.Aliases[0] != w.class || s.Kind != w.kind || s.Serial {
			t.Errorf("%+v", s)
		}
		if !json.Valid(s.Schema) {
			t.Errorf("%s: the schema is no JSON: %s", s.Name, s.Schema)
		}
	}
}

func TestArgumentErrors(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"a.txt": "a"})
	read, write, edit := NewReadFile(w, nil), NewWrite(w, nil, nil), NewReplace(w, nil, nil, EditObserver{})
	for _, c := range []struct {
		to   tool.Tool
		args args
		want string
	}{
		{read, args{}, "params must have required property 'file_path'"},
		{read, args{"file_path": 1}, "params/file_path must be string"},
		{read, args{"file_path": " "}, "The 'file_path' parameter must be non-empty."},
		{read, args{"file_path": "a.txt", "start_line": 0}, "params/start_line must be >= 1"},
		{read, args{"file_path": "a.txt", "start_line": 3, "end_line": 2}, "start_line cannot be greater than end_line"},
		{NewList(w), args{"dir_path": []int{}}, "params/dir_path must be string"},
		{write, args{"file_path": "", "content": ""}, `Missing or empty "file_path"`},
		{write, args{"file_path": "x"}, "params must have required property 'content'"},
		{write, args{"file_path": ".", "content": ""}, "Path is a directory, not a file: " + w.Root()},
		{write, args{"file_path": "x", "content": "a\n\t// rest of code ...\nb"}, "Provide complete file content."},
		{write, args{"file_path": "x", "content": "// (Rest  of methods ....)"}, "`content` contains an omission placeholder"},
		{edit, args{"file_path": "x", "instruction": "", "old_string": "a", "new_string": "unchanged methods ..."}, "Provide exact literal replacement text."},
		{edit, args{"file_path": "", "instruction": "", "old_string": "a", "new_string": "b"}, "The 'file_path' parameter must be non-empty."},
		{edit, args{"file_path": "x", "old_string": "a"}, "params must have required property 'new_string'"},
	} {
		refused(t, c.to, c.args, c.want)
	}
	// These are not placeholders.
	for _, text := range []string{"// ... rest of code ...", "the rest of code ... is here", "rest of the code ...", "rest of code .."} {
		build(t, write, args{"file_path": "x", "content": text})
	}
	build(t, edit, args{"file_path": "x", "old_string": "// rest of code ...", "new_string": "(rest of code ...)"})
}

// Whatever the tool, a path that leads out is refused.
func TestPathsOutside(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"node_modules/x": "x", ".env": "KEY=1"})
	out := t.TempDir()
	put(t, filepath.Join(out, "secret"), "s")
	if err := os.Symlink(out, filepath.Join(w.Root(), "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for path, want := range map[string]string{
		"../x":                            "Path not in workspace: Attempted path ",
		filepath.Join(out, "secret"):      "Path not in workspace: Attempted path ",
		"link/secret":                     "Path not in workspace: Attempted path ",
		"/etc/passwd":                     "Path not in workspace: Attempted path ",
		"node_modules/x":                  "Path not allowed: file tools neither read nor write in node_modules: ",
		".env":                            "Path not allowed: file tools neither read nor write files with credentials: ",
		"a\nb":                            "Invalid path: ",
		strings.Repeat("long/", 2000):     "Invalid path: ",
		strings.Repeat("n", 300):          "Invalid path: ",
		"%2e%2e/%2e%2e/etc/passwd":        "Path not in workspace: Attempted path ",
		"..\x00/secret":                   "Path not in workspace: Attempted path ",
		"file://" + out + "/secret":       "Path not in workspace: Attempted path ",
		"sub/../../" + filepath.Base(out): "Path not in workspace: Attempted path ",
	} {
		refused(t, NewReadFile(w, nil), args{"file_path": path}, want)
		refused(t, NewList(w), args{"dir_path": path}, want)
		refused(t, NewWrite(w, nil, nil), args{"file_path": path, "content": ""}, want)
		refused(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": path, "instruction": "", "old_string": "", "new_string": ""}, want)
	}
	// "~" is a name like any other in a workspace without a home directory.
	if call := build(t, NewReadFile(w, nil), args{"file_path": "~/x"}); call.Locations()[0].Path != filepath.Join(w.Root(), "~", "x") {
		t.Errorf("~/x is %v", call.Locations())
	}
}

// A path that is moved out of the workspace between the check and the run.
func TestPathMovesOutside(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"dir/a.txt": "a"})
	out := t.TempDir()
	put(t, filepath.Join(out, "a.txt"), "secret")
	var calls []tool.Invocation
	calls = append(calls, build(t, NewReadFile(w, nil), args{"file_path": "dir/a.txt"}), build(t, NewList(w), args{"dir_path": "dir"}),
		build(t, NewWrite(w, nil, nil), args{"file_path": "dir/a.txt", "content": "b"}),
		build(t, NewReplace(w, nil, nil, EditObserver{}), args{"file_path": "dir/a.txt", "instruction": "", "old_string": "secret", "new_string": "b"}))
	if err := os.RemoveAll(filepath.Join(w.Root(), "dir")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, filepath.Join(w.Root(), "dir")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, call := range calls {
		wantError(t, call.Run(context.Background(), tool.Host{}), tool.ErrPathNotInWorkspace, "Path not in workspace: ")
	}
	if got := get(t, filepath.Join(out, "a.txt")); got != "secret" {
		t.Errorf("the file outside is now %q", got)
	}
}

// An argument of another spelling is another argument.
func TestArgumentNamesAreExact(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"a.txt": "right", "b.txt": "wrong"})
	wantText(t, run(t, NewReadFile(w, nil), args{"file_path": "a.txt", "FILE_PATH": "b.txt"}), "right")
}
