package workspace_test

import (
	"cmp"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"pollux/internal/tools/file"
	"pollux/internal/tools/search"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// inMemory returns a disk whose files below /memory are those of a map.
func inMemory(m fstest.MapFS) workspace.Disk {
	rel := func(path string) string {
		_, below, _ := strings.Cut(filepath.ToSlash(path), "/memory")
		return cmp.Or(strings.TrimPrefix(below, "/"), ".")
	}
	stat := func(path string) (fs.FileInfo, error) { return m.Stat(rel(path)) }
	return workspace.Disk{
		Open: func(path string) (fs.File, error) { return m.Open(rel(path)) }, Stat: stat, Lstat: stat,
		ReadDir: func(path string) ([]fs.DirEntry, error) { return m.ReadDir(rel(path)) },
		Mkdir:   func(string) error { return nil }, // a map has directories by the paths of its files
		Write:   func(path string, data []byte) error { m[rel(path)] = &fstest.MapFile{Data: data}; return nil },
	}
}

func TestDiskInMemory(t *testing.T) {
	t.Parallel()
	m := fstest.MapFS{"main.go": {Data: []byte("package main\n")}, ".geminiignore": {Data: []byte("*.log\n")}, "b.log": {Data: []byte("package log\n")}}
	w, warnings := workspace.New(workspace.Options{Root: "/memory", GeminiIgnore: true, Disk: inMemory(m)})
	grep := search.NewGrep(w, search.GrepOptions{Ripgrep: func() string { t.Error("ripgrep sees the real disk"); return "" }})
	for _, step := range []struct {
		tool       tool.Tool
		args, want string
	}{
		{file.NewWrite(w, nil, nil), `{"file_path": "a/new.go", "content": "package new\n"}`, "Successfully created"},
		{file.NewReplace(w, nil, nil, file.EditObserver{}), `{"file_path": "main.go", "instruction": "x", "old_string": "main", "new_string": "other"}`, "Successfully modified"},
		{file.NewReadFile(w, nil), `{"file_path": "main.go"}`, "package other"},
		{file.NewList(w), `{"dir_path": "a"}`, "new.go"},
		{search.NewGlob(w), `{"pattern": "**/*[.]{go,log}"}`, "Found 2 file(s)"},
		{grep, `{"pattern": "package"}`, "Found 2 matches"},
	} {
		inv, err := tool.Build(step.tool, []byte(step.args))
		if err != nil {
			t.Fatal(err)
		}
		if r := inv.Run(t.Context(), tool.Host{}); !strings.Contains(llm.PartsText(r.Content), step.want) {
			t.Errorf("%s: %q, %v", step.tool.Spec().Name, llm.PartsText(r.Content), r.Error)
		}
	}
	if tree := w.Tree(10); len(warnings) > 0 || !strings.Contains(tree, "new.go") || strings.Contains(tree, "b.log") {
		t.Errorf("%v\n%s", warnings, tree)
	}
}
