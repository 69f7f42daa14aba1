package session_test

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"pollux/agent"
	"pollux/internal/guard/trust"
	"pollux/internal/host"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/internal/workspace"
)

// editor is a host that has a file open, and runs commands in a terminal of its own.
type editor struct {
	path   string
	buffer fstest.MapFS // the unsaved content of path, as "buffer"

	mu  sync.Mutex
	ran []process.Purpose
}

func (e *editor) disk() workspace.Disk {
	return workspace.Disk{
		Open: func(path string) (fs.File, error) {
			if path == e.path {
				return e.buffer.Open("buffer")
			}
			return nil, workspace.ErrNotServed
		},
		Write: func(path string, data []byte) error {
			if path == e.path {
				e.buffer["buffer"] = &fstest.MapFile{Data: bytes.Clone(data)}
				return nil
			}
			return workspace.ErrNotServed
		},
	}
}

func (e *editor) launch(next process.Handler) process.Handler {
	return func(ctx context.Context, c *process.Command) (*process.Process, error) {
		e.mu.Lock()
		e.ran = append(e.ran, c.For)
		e.mu.Unlock()
		c.Env = append(c.Env, "IN_TERMINAL=yes")
		return next(ctx, c)
	}
}

// TestHost opens a session in an editor: the model reads and changes the unsaved buffer, and its commands pass the editor.
func TestHost(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.file(h.dir+"/main.go", "package saved\n")
	e := &editor{path: h.dir + "/main.go", buffer: fstest.MapFS{"buffer": {Data: []byte("package unsaved\n")}}}
	model := scripttest.Gemini(t, `
turn
  call read_file {"file_path": "main.go"}
turn
  expect result read_file package unsaved
  call replace {"file_path": "main.go", "instruction": "rename", "old_string": "unsaved", "new_string": "renamed"}
turn
  call run_shell_command {"command": "echo terminal: $IN_TERMINAL; cat main.go"}
turn
  expect result run_shell_command terminal: yes
  expect result run_shell_command package saved
  text Done.
`)
	s, err := session.Open(t.Context(), session.Options{
		Project: project.Options{
			Dir: h.dir, Env: h.env, Folder: trust.Trusted, ApprovalMode: "yolo",
			Host: host.Host{Disk: e.disk(), Launch: []process.Middleware{e.launch}},
		},
		Generator: model,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var text strings.Builder
	for ev, err := range s.Run(t.Context(), agent.TextPrompt("rename the package")) {
		if err != nil {
			t.Fatal(err)
		}
		if piece, ok := ev.(agent.Text); ok {
			text.WriteString(piece.Text)
		}
	}
	if text.String() != "Done." || string(e.buffer["buffer"].Data) != "package renamed\n" || h.read(t, e.path) != "package saved\n" {
		t.Errorf("%q, buffer %q, file %q", text.String(), e.buffer["buffer"].Data, h.read(t, e.path))
	}
	want := process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}
	if len(e.ran) == 0 || e.ran[len(e.ran)-1] != want {
		t.Errorf("the editor saw %+v", e.ran)
	}
}
