package memory_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/internal/memory"
	"pollux/internal/tools/file"
	"pollux/llm"
	"pollux/tool"
)

// call runs a call of a tool and returns the text that the model gets.
func call(t *testing.T, to tool.Tool, args map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	inv, err := tool.Build(to, raw)
	if err != nil {
		t.Fatal(err)
	}
	r := inv.Run(context.Background(), tool.Host{})
	if r.Error != nil {
		return "error: " + r.Error.Message + llm.PartsText(r.Content)
	}
	return llm.PartsText(r.Content)
}

// The first result from a directory brings the memory files there, whatever the tool, and no
// other result does.
func TestWrap(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(o memory.Options) tool.Tool
		args map[string]any
		want string // the beginning of the result
	}{
		"read_file":      {func(o memory.Options) tool.Tool { return file.NewReadFile(o.Workspace, nil) }, map[string]any{"file_path": "a/b/f.txt"}, "hello"},
		"list_directory": {func(o memory.Options) tool.Tool { return file.NewList(o.Workspace) }, map[string]any{"dir_path": "a/b"}, "Directory listing"},
		"write_file":     {func(o memory.Options) tool.Tool { return file.NewWrite(o.Workspace, nil, nil) }, map[string]any{"file_path": "a/b/new.txt", "content": "x"}, "Successfully created"},
		"replace":        {func(o memory.Options) tool.Tool { return file.NewReplace(o.Workspace, nil, nil, file.EditObserver{}) }, map[string]any{"file_path": "a/b/f.txt", "instruction": "x", "old_string": "hello", "new_string": "x"}, "Successfully modified"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{
				"p/.git/": "", "p/GEMINI.md": "top", "p/a/GEMINI.md": "in a @./x.md", "p/a/x.md": "X", "p/a/b/GEMINI.md": "in b", "p/a/b/f.txt": "hello",
			})
			o := p.options()
			m := memory.New(o)
			to := memory.Wrap(c.make(o), m)
			got := call(t, to, c.args)
			end := strings.ReplaceAll("\n\n--- Newly Discovered Project Context ---\n"+
				"--- Context from: DIR/a/GEMINI.md ---\nin a <!-- Imported from: ./x.md -->\nX\n<!-- End of import from: ./x.md -->\n--- End of Context from: DIR/a/GEMINI.md ---\n\n"+
				"--- Context from: DIR/a/b/GEMINI.md ---\nin b\n--- End of Context from: DIR/a/b/GEMINI.md ---\n--- End Project Context ---", "DIR", p.at("p"))
			if !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, end) {
				t.Errorf("got %q", got)
			}
			if got := call(t, memory.Wrap(file.NewReadFile(o.Workspace, nil), m), map[string]any{"file_path": "a/b/f.txt"}); strings.Contains(got, "Context") {
				t.Errorf("a second time: %q", got)
			}
			p.wantFiles(m, "project p/GEMINI.md", "discovered p/a/GEMINI.md", "discovered p/a/b/GEMINI.md")
		})
	}
}

// The model knows the memory file that it writes, and not those beside it.
func TestWrapOfWritten(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"p/.git/": "", "p/a/GEMINI.md": "in a"})
	o := p.options()
	o.Names = memory.NewNames(nil, true)
	m := memory.New(o)
	m.Texts() // a session begins with these
	write := memory.Wrap(file.NewWrite(o.Workspace, nil, nil), m)
	for _, name := range []string{"AGENTS.md", "b/AGENTS.md"} {
		if got := call(t, write, map[string]any{"file_path": name, "content": "written as " + name}); strings.Contains(got, "Context") {
			t.Errorf("%s: %q", name, got)
		}
	}
	got := call(t, write, map[string]any{"file_path": "a/AGENTS.md", "content": "written"})
	if !strings.Contains(got, "\nin a\n") || strings.Contains(got, "\nwritten\n") {
		t.Errorf("got %q", got)
	}
}

func TestWrapKeepsTheTool(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"p/s/GEMINI.md": "s", "p/s/p.png": "\x89PNG", "q/s/GEMINI.md": "q", "q/s/f": "x"})
	o := p.options()
	m := memory.New(o)
	// A failed call brings nothing.
	read := memory.Wrap(file.NewReadFile(o.Workspace, nil), m)
	if got := call(t, read, map[string]any{"file_path": "s/gone"}); !strings.HasPrefix(got, "error: ") || strings.Contains(got, "Context") {
		t.Errorf("got %q", got)
	}
	// A picture stays a part of its own.
	inv, err := tool.Build(read, json.RawMessage(`{"file_path":"s/p.png"}`))
	if err != nil {
		t.Fatal(err)
	}
	r := inv.Run(context.Background(), tool.Host{})
	if len(r.Content) != 2 || r.Content[0].InlineData == nil || !strings.Contains(r.Content[1].Text, "\ns\n") {
		t.Errorf("content = %+v", r.Content)
	}
	// Wrap keeps an editable call editable, and makes no other call so.
	edit, err := tool.Build(memory.Wrap(file.NewWrite(o.Workspace, nil, nil), m), json.RawMessage(`{"file_path":"f","content":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := tool.As[tool.Modifiable](edit); !ok {
		t.Error("an edit cannot be edited any more")
	}
	if _, ok := tool.As[tool.Modifiable](inv); ok {
		t.Error("a read can be edited")
	}
	if plain := file.NewReadFile(o.Workspace, nil); read.Spec().Name != plain.Spec().Name {
		t.Errorf("spec = %+v", read.Spec())
	}
	// Outside of the workspace is nothing to discover.
	if got := m.Discover(p.at("q/s/f"), "../q/s/f", "", "/", "\x00"); got != "" {
		t.Errorf("outside: %q", got)
	}
}

// Side by side, tools bring each file once.
func TestDiscoverAtOnce(t *testing.T) {
	t.Parallel()
	files := map[string]string{"p/.git/": ""}
	for i := range 20 {
		files[fmt.Sprintf("p/d%d/GEMINI.md", i)] = fmt.Sprintf("rule %d;", i)
	}
	p := newPlace(t, files)
	m := memory.New(p.options())
	var all sync.WaitGroup
	texts := make([]string, 200)
	for i := range texts {
		all.Go(func() {
			texts[i] = m.Discover(p.at(fmt.Sprintf("p/d%d", i%20)), filepath.Join(fmt.Sprintf("d%d", (i+7)%20), "gone"))
			m.Texts()
			m.Files()
		})
	}
	all.Wait()
	text := strings.Join(texts, "")
	for i := range 20 {
		if n := strings.Count(text, fmt.Sprintf("\nrule %d;\n", i)); n != 1 {
			t.Errorf("rule %d came %d times", i, n)
		}
	}
}

// A directory that has not changed is not searched again; one that has is, and a file that was empty, too.
func TestDiscoverLater(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"p/.git/": "", "p/a/x": "", "p/b/GEMINI.md": ""})
	old := time.Now().Add(-time.Hour)
	for _, dir := range []string{"p", "p/a", "p/b"} {
		if err := os.Chtimes(p.at(dir), old, old); err != nil {
			t.Fatal(err)
		}
	}
	m := memory.New(p.options())
	for range 2 {
		if got := m.Discover(p.at("p/a/x"), p.at("p/b/x")); got != "" {
			t.Errorf("nothing is there: %q", got)
		}
	}
	p.write("p/a/GEMINI.md", "new rule")
	p.write("p/b/GEMINI.md", "filled")
	if got := m.Discover(p.at("p/a/x"), p.at("p/b/x")); !strings.Contains(got, "new rule") || !strings.Contains(got, "filled") {
		t.Errorf("new files: %q", got)
	}
}
