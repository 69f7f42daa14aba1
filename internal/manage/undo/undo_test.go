package undo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
	"pollux/internal/project"
	"pollux/internal/snapshots"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// TestArguments checks the arguments in a shell and in a session, where no option is ignored.
func TestArguments(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	undo, redo := Commands()[0], Commands()[1]
	p.Check(undo, []managetest.Case{
		{Line: "", Want: "Nothing to undo."},
		{Line: "/", Want: "Nothing to undo."},
		{Line: "/ 3 --dry-run", Want: "Nothing to undo."},
		{Line: "log", Want: "No changes recorded."},
		{Line: "/log", Want: "No changes recorded."},
		{Line: "/ --dry", Want: "There is no option --dry.", Code: exit.Input},
		{Line: "/ --to", Want: "The option --to needs a value: --to=<value>", Code: exit.Input},
		{Line: "/ 1 2", Want: "name a number of changes", Code: exit.General},
		{Line: "/ 0", Want: "name a number of changes", Code: exit.General},
		{Line: "/ 1 --to=x", Want: "name a number of changes", Code: exit.General},
		{Line: "/ #7", Want: `there is no change "#7"`, Code: exit.General},
		{Line: "/restore", Want: "Name a file or directory.", Code: exit.Input},
		{Line: "/restore a --to=x", Want: "There is no option --to.", Code: exit.Input},
		{Line: "/restore a b", Want: "$DIR/a b can be undone", Code: exit.General},
	})
	p.Check(redo, []managetest.Case{
		{Line: "", Want: "Nothing to redo."},
		{Line: "/", Want: "Nothing to redo."},
		{Line: "/ 1", Want: "redo takes no arguments.", Code: exit.Input},
		{Line: "/ --to=x", Want: "There is no option --to.", Code: exit.Input},
	})
}

// TestSession undoes a change of the session, and brings a path with a space back.
func TestSession(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"general": {"defaultApprovalMode": "auto_edit"}}`)
	p.Script = `
turn
  call write_file {"file_path": "a b", "content": "new\n"}
turn
  text Written.
`
	file := p.Write("a b", "old\n")
	p.Prompt("Write.")
	undo, redo := Commands()[0], Commands()[1]
	check := func(line, want, content string) {
		t.Helper()
		command := undo
		if strings.HasPrefix(line, "/redo") {
			command, line = redo, "/"
		}
		p.Check(command, []managetest.Case{{Line: line, Want: want}})
		if data, err := os.ReadFile(file); err != nil || string(data) != content {
			t.Errorf("%s: %q, error %v", line, data, err)
		}
	}
	check("/ --dry-run", "1 path would change:\n  M a b", "new\n")
	check("/diff", "-old\n+new", "new\n")
	check("/", "Undone #1", "old\n")
	check("/redo", "Done again #2", "new\n")
	check("/restore a b", "Brought back #1", "old\n")
	check("/log", "undone", "old\n")
}

// TestBetween has a program in the background, whose changes are not undone with those of calls, and which is named.
func TestBetween(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	dir := filepath.Dir(p.Write("a", "serve\n"))
	opened, err := project.Open(t.Context(), p.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	s, err := snapshots.Store(opened)
	if err != nil {
		t.Fatal(err)
	}
	base, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer base.Close()
	add := func(h store.Header, name string) {
		t.Helper()
		w := base.Begin()
		path := filepath.Join(dir, name)
		now, err := state.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Commit(&store.Operation{Header: h, Changes: []store.Change{{Path: path, After: store.Version{State: now}}}}); err != nil {
			t.Fatal(err)
		}
	}
	serve := store.Header{Kind: store.Background, Session: "s", Title: "serve %d", Beside: []string{"your own edits"}}
	add(serve, "a")
	undo := Commands()[0]
	p.Check(undo, []managetest.Case{
		{Line: "", Want: "Nothing to undo. Not undone: what programs in the background (serve %d), or you, have changed between the calls (#1). To undo that, run pollux undo '#1'."},
		{Line: "#1 --dry-run", Want: "Among these changes may be your own edits."},
	})
	p.Write("b", "call\n")
	add(store.Header{Kind: store.Call, Session: "s", Title: "make", Beside: []string{"serve %d (in the background)"}}, "b")
	add(serve, "a")
	p.Check(undo, []managetest.Case{
		{Line: "--dry-run", Want: "D b\nAt the same time ran: serve %d (in the background). Some of these changes may be theirs.\nNot undone: what programs"},
		{Line: "--dry-run", Want: "(#3). To undo that, run pollux undo '#3'."},
		{Line: "log", Want: "serve %d (in the background, or you)"},
		{Line: "#3", Want: "Undone #3 (serve %d (in the background, or you)): 1 path."},
		{Line: "", Want: "Undone #2 (make): 1 path."},
	})
}
