package workspace_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"pollux/internal/mention"
	"pollux/internal/tools/file"
	"pollux/internal/tools/search"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// A Disk may serve a file from memory, as an editor protocol does with a buffer
// that is not saved: the tools and @ see the buffer, and edits go to it.
func TestBuffer(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "main.go")
	if err := os.WriteFile(path, []byte("package saved\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	buffer := fstest.MapFS{"main.go": {Data: []byte("package unsaved\n"), Mode: 0o600}}
	w, _ := workspace.New(workspace.Options{Root: root, Disk: workspace.Disk{
		Open: func(name string) (fs.File, error) {
			if name == path {
				return buffer.Open("main.go")
			}
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		},
		Write: func(name string, data []byte) error {
			buffer[filepath.Base(name)] = &fstest.MapFile{Data: data, Mode: 0o600}
			return nil
		},
	}})
	for _, step := range []struct {
		tool tool.Tool
		args map[string]any
		want string // in the result
		left string // in the buffer
	}{
		{file.NewReadFile(w, nil), map[string]any{"file_path": "main.go"}, "package unsaved", "package unsaved\n"},
		{search.NewGrep(w, search.GrepOptions{}), map[string]any{"pattern": "unsaved"}, "L1: package unsaved", "package unsaved\n"},
		{file.NewReplace(w, nil, nil, file.EditObserver{}), map[string]any{"file_path": "main.go", "instruction": "x", "old_string": "unsaved", "new_string": "changed"}, "Successfully modified", "package changed\n"},
		{file.NewWrite(w, nil, nil), map[string]any{"file_path": "main.go", "content": "package written\n"}, "Successfully overwrote", "package written\n"},
	} {
		raw, err := json.Marshal(step.args)
		if err != nil {
			t.Fatal(err)
		}
		name := step.tool.Spec().Name
		inv, err := tool.Build(step.tool, raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := inv.Run(t.Context(), tool.Host{})
		if got := llm.PartsText(r.Content); r.Error != nil || !strings.Contains(got, step.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, r.Error, step.want)
		}
		if got := string(buffer["main.go"].Data); got != step.left {
			t.Errorf("%s left %q in the buffer, want %q", name, got, step.left)
		}
	}
	e, err := mention.Expand(t.Context(), w, "explain @main.go", func() int { return 0 }, mention.Known{})
	if got := llm.PartsText(e.Parts); err != nil || !strings.Contains(got, "package written") {
		t.Errorf("@: %q, %v", got, err)
	}
	if saved, err := os.ReadFile(path); string(saved) != "package saved\n" {
		t.Errorf("the file on the disk is %q, %v", saved, err)
	}
}
