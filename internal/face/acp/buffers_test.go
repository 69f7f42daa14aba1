package acp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// desk has the texts of an editor for the files of a project.
type desk struct {
	e *editor

	mu      sync.Mutex
	unsaved map[string]string // texts by the names of their files
	calls   []string          // each as "read NAME" or "write NAME"
	format  func(text string) string
	fail    func(method, name string) any // an answer in place of the usual one, nil for that
}

// newDesk starts a server for an editor that serves files, in which everything is allowed.
func newDesk(t *testing.T, s setup, unsaved map[string]string) *desk {
	t.Helper()
	if s.settings == "" {
		s.settings = `{"tools": {"sandbox": false, "allowed": ["run_shell_command", "replace", "write_file"]}}`
	}
	if s.can == nil {
		s.can = map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}}
	}
	d := &desk{e: newEditor(t, s), unsaved: unsaved}
	d.e.onAsk = d.answer
	return d
}

func (d *desk) answer(method string, params map[string]any) any {
	path, _ := params["path"].(string)
	name, err := filepath.Rel(d.e.dir, path)
	if err != nil || !filepath.IsLocal(name) {
		d.e.t.Errorf("%s of %s, which is not in the project", method, path)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, strings.TrimSuffix(strings.TrimPrefix(method, "fs/"), "_text_file")+" "+name)
	if d.fail != nil {
		if answer := d.fail(method, name); answer != nil {
			return answer
		}
	}
	switch method {
	case "fs/read_text_file":
		if text, ok := d.unsaved[name]; ok {
			return map[string]any{"content": text}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return &failure{Code: -32002, Message: "Resource not found: " + path}
		}
		return map[string]any{"content": strings.ReplaceAll(strings.TrimPrefix(string(data), "\uFEFF"), "\r\n", "\n")}
	case "fs/write_text_file":
		text := params["content"].(string)
		if d.format != nil {
			text = d.format(text)
		}
		delete(d.unsaved, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return &failure{Code: -32603, Message: err.Error()}
		}
		return map[string]any{}
	}
	d.e.t.Errorf("the server sends %s", method)
	return nil
}

func (d *desk) taken() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.calls, ", ")
}

// results returns the requests to the model, with the results of its calls.
func (d *desk) results() string {
	var b strings.Builder
	for _, r := range d.e.model.Requests() {
		fmt.Fprintf(&b, "%s\n", r.Body)
	}
	return b.String()
}

// TestBuffers works on files whose texts an editor has changed and not saved. The model sees those texts, its edits keep
// them, and other contents never go to the editor.
func TestBuffers(t *testing.T) {
	t.Parallel()
	const latin = "caf\xe9\n"
	for name, tt := range map[string]struct {
		script  string
		unsaved map[string]string
		left    map[string]string // the files afterwards
		calls   string            // that the editor got, the first ones
	}{
		"read": {
			script:  "turn\n  call read_file {\"file_path\": \"main.go\"}\nturn\n  expect result read_file package unsaved\n  text Done.\n",
			unsaved: map[string]string{"main.go": "package unsaved\n"}, left: map[string]string{"main.go": "package saved\n"}, calls: "read main.go",
		},
		"edit": {
			script: "turn\n  call replace {\"file_path\": \"main.go\", \"instruction\": \"x\", \"old_string\": \"unsaved\", \"new_string\": \"edited\"}\n" +
				"turn\n  expect result replace Successfully modified\n  text Done.\n",
			unsaved: map[string]string{"main.go": "package unsaved\n// mine\n"}, left: map[string]string{"main.go": "package edited\n// mine\n"},
		},
		"create": {
			script: "turn\n  call write_file {\"file_path\": \"new/a.go\", \"content\": \"package a\\n\"}\n" +
				"turn\n  expect result write_file created and wrote\n  text Done.\n",
			left: map[string]string{"new/a.go": "package a\n"}, calls: "read new/a.go",
		},
		"a text that was never saved": {
			script: "turn\n  call read_file {\"file_path\": \"draft.md\"}\n" +
				"turn\n  expect result read_file # Draft\n  call replace {\"file_path\": \"draft.md\", \"instruction\": \"x\", \"old_string\": \"Draft\", \"new_string\": \"Plan\"}\n" +
				"turn\n  expect result replace Successfully modified\n  text Done.\n",
			unsaved: map[string]string{"draft.md": "# Draft\nmine\n"}, left: map[string]string{"draft.md": "# Plan\nmine\n"},
		},
		"another encoding": {
			script: "turn\n  call replace {\"file_path\": \"latin.txt\", \"instruction\": \"x\", \"old_string\": \"caf\", \"new_string\": \"Caf\"}\n" +
				"turn\n  expect result replace Successfully modified\n  text Done.\n",
			left: map[string]string{"latin.txt": "C" + latin[1:]}, calls: "-",
		},
		"ends of lines": {
			script: "turn\n  call replace {\"file_path\": \"dos.txt\", \"instruction\": \"x\", \"old_string\": \"one\", \"new_string\": \"two\"}\n" +
				"turn\n  expect result replace Successfully modified\n  text Done.\n",
			left: map[string]string{"dos.txt": "two\r\nend\r\n"},
		},
		"own files": {
			script: "turn\n  call read_file {\"file_path\": \"../home/.gemini/GEMINI.md\"}\nturn\n  text Done.\n",
			calls:  "-",
		},
		"search": {
			script:  "turn\n  call grep_search {\"pattern\": \"saved\"}\nturn\n  expect result grep_search package saved\n  text Done.\n",
			unsaved: map[string]string{"main.go": "package unsaved\n"}, calls: "-",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, setup{script: tt.script, files: map[string]string{
				"main.go": "package saved\n", "latin.txt": latin, "dos.txt": "one\r\nend\r\n",
			}}, tt.unsaved)
			if d.unsaved == nil {
				d.unsaved = map[string]string{}
			}
			d.e.ask(d.e.open(), "Go")
			for name, want := range tt.left {
				if got := d.e.file(name); got != want {
					t.Errorf("%s has %q, want %q", name, got, want)
				}
			}
			switch calls := d.taken(); {
			case tt.calls == "-" && calls != "":
				t.Errorf("the editor got %s", calls)
			case tt.calls != "-" && !strings.HasPrefix(calls, tt.calls):
				t.Errorf("the editor got %s, want %s", calls, tt.calls)
			}
		})
	}
}

// TestBufferFailures lets the editor fail. The disk is never written in its place, and an unsaved text
// is never lost.
func TestBufferFailures(t *testing.T) {
	t.Parallel()
	const edit = "turn\n  call replace {\"file_path\": \"main.go\", \"instruction\": \"x\", \"old_string\": \"saved\", \"new_string\": \"edited\"}\n"
	for name, tt := range map[string]struct {
		fail   any
		method string // that fails
		want   string // in the result for the model
		left   string
	}{
		"write refused":     {&failure{Code: -32603, Message: "read-only workspace"}, "fs/write_text_file", "the editor refuses: read-only workspace", "package saved\n"},
		"a missing content": {map[string]any{}, "fs/read_text_file", "the editor does not tell its text", "package saved\n"},
		"not served":        {&failure{Code: -32603, Message: "not in a worktree"}, "fs/read_text_file", "Successfully modified", "package edited\n"},
		"no such method":    {&failure{Code: -32601, Message: "Method not found"}, "fs/read_text_file", "Successfully modified", "package edited\n"},
		"said to be missing": {
			&failure{Code: -32603, Message: "Internal error", Data: []byte(`"ENOENT: no such file or directory"`)}, "fs/read_text_file", "Successfully modified", "package edited\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, setup{script: edit + "turn\n  text Done.\n", files: map[string]string{"main.go": "package saved\n"}}, map[string]string{})
			d.fail = func(method, _ string) any {
				if method == tt.method {
					return tt.fail
				}
				return nil
			}
			d.e.ask(d.e.open(), "Go")
			if got := d.e.file("main.go"); got != tt.left {
				t.Errorf("the file has %q", got)
			}
			if got := d.results(); !strings.Contains(got, tt.want) {
				t.Errorf("the model got %s", got)
			}
		})
	}
	for _, method := range []string{"fs/read_text_file", "fs/write_text_file"} {
		t.Run("cancelled in "+method, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, setup{script: edit + "turn\n  times always\n  text Done.\n", files: map[string]string{"main.go": "package saved\n"}}, map[string]string{})
			d.fail = func(called, _ string) any {
				if called == method {
					return hang
				}
				return nil
			}
			id := d.e.open()
			wait := d.e.begin("session/prompt", prompt(id, "Go"))
			d.e.await(method)
			d.e.notify("session/cancel", map[string]any{"sessionId": id})
			if result, err := wait(); err != nil || result["stopReason"] != "cancelled" {
				t.Errorf("%v, %v", result, err)
			}
			d.e.await("withdrawn")
			if got := d.e.file("main.go"); got != "package saved\n" {
				t.Errorf("the file has %q", got)
			}
			d.e.ask(id, "Go on")
		})
	}
	t.Run("reads without writes", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, setup{
			script: strings.Replace(edit, "saved", "typed", 1) + "turn\n  text Done.\n", files: map[string]string{"main.go": "package saved\n"},
			can: map[string]any{"fs": map[string]any{"readTextFile": true}},
		}, map[string]string{"main.go": "package typed\n// mine\n"})
		d.e.ask(d.e.open(), "Go")
		if got := d.e.file("main.go"); got != "package edited\n// mine\n" || strings.Contains(d.taken(), "write") {
			t.Errorf("the file has %q, the editor got %s", got, d.taken())
		}
	})
	t.Run("a link out of the project", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, setup{script: edit + "turn\n  text Done.\n"}, map[string]string{})
		outside := filepath.Join(d.e.home, "main.go")
		d.e.write(outside, "package saved\n")
		if err := os.Symlink(outside, filepath.Join(d.e.dir, "main.go")); err != nil {
			t.Fatal(err)
		}
		d.e.ask(d.e.open(), "Go")
		if got := d.e.file("main.go"); got != "package saved\n" || d.taken() != "" {
			t.Errorf("the file has %q, the editor got %s", got, d.taken())
		}
	})
	t.Run("writes without reads", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, setup{
			script: edit + "turn\n  text Done.\n", files: map[string]string{"main.go": "package saved\n"},
			can: map[string]any{"fs": map[string]any{"writeTextFile": true}},
		}, map[string]string{})
		d.e.ask(d.e.open(), "Go")
		if got := d.e.file("main.go"); got != "package edited\n" || d.taken() != "" {
			t.Errorf("the file has %q, the editor got %s", got, d.taken())
		}
	})
}

// TestBufferFormat checks that the model learns how the editor has formatted its text, and that its next edit finds it.
func TestBufferFormat(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{script: `
turn
  call replace {"file_path": "main.go", "instruction": "x", "old_string": "old()", "new_string": "new( )"}
turn
  expect result replace has formatted the file
  expect result replace +new()
  call replace {"file_path": "main.go", "instruction": "x", "old_string": "new()", "new_string": "newer()"}
turn
  expect result replace Successfully modified
  call write_file {"file_path": "b.go", "content": "b( )\n"}
turn
  expect result write_file has formatted the file
  call write_file {"file_path": "b.go", "content": "c()\n"}
turn
  expect result write_file Successfully overwrote
  text Done.
`, files: map[string]string{"main.go": "package a\n\nold()\n"}}, map[string]string{})
	d.format = func(text string) string { return strings.ReplaceAll(text, "( )", "()") }
	d.e.ask(d.e.open(), "Go")
	if got, other := d.e.file("main.go"), d.e.file("b.go"); got != "package a\n\nnewer()\n" || other != "c()\n" {
		t.Errorf("the files have %q and %q", got, other)
	}
	if got := d.results(); strings.Contains(got, "changed since you last") {
		t.Errorf("the model reads of a change by others: %s", got)
	}
	for _, u := range d.e.kinds("tool_call_update") {
		if text := fmt.Sprint(u["content"]); strings.Contains(text, "new( )") && u["status"] == "completed" {
			t.Errorf("the editor is shown a text that it does not have: %s", text)
		}
	}
}

// TestBufferUndo undoes an edit of a text that was not saved: the text that the person has typed comes back.
func TestBufferUndo(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{script: `
turn
  call write_file {"file_path": "main.go", "content": "package all\n"}
turn
  call write_file {"file_path": "main.go", "content": "package all\n"}
turn
  text Done.
`, files: map[string]string{"main.go": "package saved\n"}}, map[string]string{"main.go": "package typed\n" + strings.Repeat("// typed\n", 100)})
	id := d.e.open()
	d.e.ask(id, "Go")
	if got := d.e.file("main.go"); got != "package all\n" {
		t.Fatalf("the file has %q", got)
	}
	d.e.ask(id, "/undo")
	if got := d.e.file("main.go"); !strings.HasPrefix(got, "package typed\n// typed\n") {
		t.Errorf("after /undo the file has %q; %s", got, d.e.said())
	}
}

// TestBufferLink works in a project whose path has a link: the editor knows files by the path that it has sent.
func TestBufferLink(t *testing.T) {
	t.Parallel()
	d := newDesk(t, setup{
		script: "turn\n  call read_file {\"file_path\": \"main.go\"}\nturn\n  expect result read_file package typed\n  text Done.\n",
		files:  map[string]string{"main.go": "package saved\n"},
	}, map[string]string{"main.go": "package typed\n"})
	link := filepath.Join(d.e.home, "link")
	if err := os.Symlink(d.e.dir, link); err != nil {
		t.Fatal(err)
	}
	d.e.dir = link
	d.e.ask(d.e.open(), "Go")
	if d.taken() != "read main.go" {
		t.Errorf("the editor got %s", d.taken())
	}
}
