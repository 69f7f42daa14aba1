package undo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/internal/exit"
	"pollux/internal/manage"
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
		{Line: "/ --merge --overwrite", Want: "Remove one of them.", Code: exit.Input},
		{Line: "--merge --overwrite", Want: "Remove one of them.", Code: exit.Input},
		{Line: "/diff --merge", Want: "There is no option --merge.", Code: exit.Input},
		{Line: "/diff --to=x", Want: "no change since prompt x", Code: exit.General},
		{Line: "/restore a --merge --overwrite", Want: "Remove one of them.", Code: exit.Input},
		{Line: "/restore", Want: "Name a file or directory.", Code: exit.Input},
		{Line: "/restore a --to=x", Want: "There is no option --to.", Code: exit.Input},
		{Line: "/restore a b", Want: "$DIR/a b can be undone", Code: exit.General},
	})
	p.Check(redo, []managetest.Case{
		{Line: "", Want: "Nothing to redo."},
		{Line: "/", Want: "Nothing to redo."},
		{Line: "/ 1", Want: "redo takes no arguments.", Code: exit.Input},
		{Line: "/ --merge --overwrite", Want: "Remove one of them.", Code: exit.Input},
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

// TestMerge takes a change and its undo back, and keeps the edits of the person.
func TestMerge(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"general": {"defaultApprovalMode": "auto_edit"}}`)
	p.Script = `
turn
  call write_file {"file_path": "a", "content": "1\ncall\n3\n4\n"}
turn
  text Written.
`
	file := p.Write("a", "1\n2\n3\n4\n")
	p.Prompt("Write.")
	undo, redo := Commands()[0], Commands()[1]
	check := func(c *manage.Command, test managetest.Case, content string) {
		t.Helper()
		p.Check(c, []managetest.Case{test})
		if data, err := os.ReadFile(file); err != nil || string(data) != content {
			t.Errorf("%s: %q, error %v", test.Line, data, err)
		}
	}
	p.Write("a", "1\nmine\n3\n4\n")
	check(undo, managetest.Case{Line: "/", Want: "add --merge, which keeps those changes, or --overwrite.", Code: exit.General}, "1\nmine\n3\n4\n")
	check(undo, managetest.Case{Line: "/ --merge", Want: "a: the same lines were changed since: 2\nTo bring them back without what was changed since, use --overwrite instead.", Code: exit.General}, "1\nmine\n3\n4\n")
	p.Write("a", "1\ncall\n3\nmine\n")
	check(undo, managetest.Case{Line: "/ --merge --dry-run", Want: "1 path would change:\n  M a (what was changed since is kept)"}, "1\ncall\n3\nmine\n")
	check(undo, managetest.Case{Line: "/ --merge", Want: "Undone #1 (Writing to a): 1 path.\n  M a (what was changed since is kept)"}, "1\n2\n3\nmine\n")
	p.Write("a", "0\n2\n3\nmine\n")
	check(redo, managetest.Case{Line: "/", Want: "a: it was changed since", Code: exit.General}, "0\n2\n3\nmine\n")
	p.Write("a", "1\n2\n3\nmine\nmore\n")
	check(redo, managetest.Case{Line: "/ --merge", Want: "Done again #2"}, "1\ncall\n3\nmine\nmore\n")
	check(undo, managetest.Case{Line: "/restore a --merge", Want: "Brought back #1"}, "1\n2\n3\nmine\nmore\n")
}

// TestLook previews undos, also one that would change nothing.
func TestLook(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"general": {"defaultApprovalMode": "auto_edit"}}`)
	p.Script = `
turn
  call write_file {"file_path": "a", "content": "1\ncall\n"}
turn
  call write_file {"file_path": "b", "content": "new\n"}
turn
  text Written.
`
	p.Write("a", "1\n2\n")
	p.Prompt("Write.")
	opened, err := project.Open(t.Context(), p.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	changes, err := Changes(t.Context(), opened, "other", 10)
	if err != nil || len(changes) != 2 || changes[0].Name() != "#2" || changes[0].Title != "Writing to b" || !changes[0].IsOther || changes[0].Ended.IsZero() {
		t.Fatalf("changes %+v, error %v", changes, err)
	}
	look := func(i int) *Preview {
		t.Helper()
		v, err := Look(t.Context(), opened, changes[i])
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := look(0); v.Summary != "1 file created (+1, -0)" || v.Paths != 1 || len(v.Stays) > 0 || v.CanOverwrite || !strings.HasSuffix(v.Patch, "\n+new\n") ||
		len(v.Files) != 1 || strings.Join(v.Files[0], " ") != "b 1 + new" {
		t.Errorf("%+v", v)
	}
	p.Write("a", "1\nmine\n")
	if v := look(1); v.Summary != "1 file changed (+1, -1)" || v.Paths != 0 || !v.CanOverwrite || len(v.Stays) != 1 || !strings.HasPrefix(v.Stays[0], "a: ") {
		t.Errorf("%+v", v)
	}
	p.Check(Commands()[0], []managetest.Case{{Line: "#2", Want: "Undone #2"}})
	if again, err := Changes(t.Context(), opened, "other", 1); err != nil || len(again) != 1 || !again[0].IsUndone || again[0].Number != 2 {
		t.Errorf("changes %+v, error %v", again, err)
	}
	p.Check(Commands()[0], []managetest.Case{{Line: "#2", Want: "#2: undone already.", Code: exit.General}})
}

// TestHead keeps whole lines, and counts what it leaves out as written.
func TestHead(t *testing.T) {
	t.Parallel()
	h := head{most: 8}
	for _, text := range []string{"one\n", "two\nthree\n", "4\n"} {
		if n, err := h.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	}
	if h.String() != "one\ntwo\n" || !h.isCut {
		t.Errorf("%q, %v", h.String(), h.isCut)
	}
}

// TestList lists the person's files first, with their lines, and each repository in one line.
func TestList(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Script = `
turn
  call run_shell_command {"command": "git init -q -b main . && git config user.email a@b && git config user.name n && printf '1\n2\n' >a && git add a && git commit -qm 1"}
turn
  text Made.
turn
  call run_shell_command {"command": "printf '1\nmore\nlines\n' >a && printf 'x\\000y' >binary && ln -s a link && chmod 640 .env && mkdir empty && git checkout -q -b topic && git commit -qam 2 && git tag v1"}
turn
  text Changed.
turn
  call run_shell_command {"command": "mkdir many && cd many && for i in $(seq 10 60); do echo $i >f$i; done"}
turn
  text Many.
`
	p.Write(".env", "SECRET=1\n")
	p.Options.ApprovalMode = "yolo"
	undo := Commands()[0]
	p.Prompt("Make.")
	p.Prompt("Change.")
	p.Prompt("Many.")
	p.Check(undo, []managetest.Case{
		{Line: "--dry-run", Want: "52 paths would change:\n  D many/f10  +0 -1\n"},
		{Line: "--dry-run", Want: "\n  D many/f29  +0 -1\n  and 31 more; --all lists them"},
		{Line: "--dry-run --all", Want: "52 paths would change:\n  D many\n  D many/f10  +0 -1\n"},
		{Line: "--dry-run --all", Want: "\n  D many/f60  +0 -1"},
		{Line: "#2 --dry-run", Want: "and the git repository would change:\n"},
		{Line: "#2 --dry-run", Want: "\n  M .git: "},
		{Line: "#2 --dry-run", Want: "  M .env\n  M a  +1 -2\n  D binary  binary\n  D empty\n  D link\n  M .git: HEAD, branch topic, index, tag v1, "},
		{Line: "#2 --dry-run --all", Want: "\n  D .git/refs/heads/topic"},
		{Line: "#1 --dry-run", Want: "\n  D .git\n"},
	})
}

// TestRest undoes the paths that an undo has left, when asked to overwrite them, and takes that back alone.
func TestRest(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Options.ApprovalMode = "yolo"
	p.Script = `
turn
  call run_shell_command {"command": "echo call >a; echo call >b"}
turn
  text Written.
`
	a, b := p.Write("a", "1\n"), p.Write("b", "1\n")
	p.Prompt("Write.")
	p.Write("a", "mine\n")
	undo, redo := Commands()[0], Commands()[1]
	check := func(c *manage.Command, test managetest.Case, wantA, wantB string) {
		t.Helper()
		p.Check(c, []managetest.Case{test})
		for path, want := range map[string]string{a: wantA, b: wantB} {
			if data, err := os.ReadFile(path); err != nil || string(data) != want {
				t.Errorf("%s: %s is %q, error %v", test.Line, path, data, err)
			}
		}
	}
	check(undo, managetest.Case{Line: "", Want: "Undone #1 (echo call >a; echo call >b): 1 path.\n  M b  +1 -1\nThese paths stay as they are:\n  a: it was changed since"}, "mine\n", "1\n")
	check(undo, managetest.Case{Line: "", Want: "Nothing to undo."}, "mine\n", "1\n")
	check(undo, managetest.Case{Line: "#1", Want: "a: it was changed since", Code: exit.General}, "mine\n", "1\n")
	check(undo, managetest.Case{Line: "#1 --overwrite", Want: "Undone #1 (echo call >a; echo call >b): 1 path.\n  M a"}, "1\n", "1\n")
	check(undo, managetest.Case{Line: "#1 --overwrite", Want: "#1: undone already.", Code: exit.General}, "1\n", "1\n")
	check(redo, managetest.Case{Line: "", Want: "Done again #3"}, "mine\n", "1\n")
	check(undo, managetest.Case{Line: "", Want: "Nothing to undo."}, "mine\n", "1\n")
	check(redo, managetest.Case{Line: "", Want: "Done again #2"}, "mine\n", "call\n")
}

// TestTitle names the tool of an MCP server as people know it.
func TestTitle(t *testing.T) {
	t.Parallel()
	for want, h := range map[string]store.Header{
		"order (shop MCP Server) n=1": {Tool: "mcp_shop_order", Name: "order (shop MCP Server)", Title: "n=1"},
		"order (shop MCP Server)":     {Tool: "mcp_shop_order", Name: "order (shop MCP Server)"},
		"Writing to a":                {Tool: "write_file", Title: "Writing to a"},
		"write_file":                  {Tool: "write_file"},
	} {
		if got := title(h); got != want {
			t.Errorf("title %q, want %q", got, want)
		}
	}
}

// TestMeanwhile points out that a person may have edited files while a command ran for long.
func TestMeanwhile(t *testing.T) {
	t.Parallel()
	ran := func(kind store.Kind, isAnywhere bool, d time.Duration) *store.Operation {
		began := time.Now()
		return &store.Operation{Header: store.Header{Number: 7, Kind: kind, IsAnywhere: isAnywhere, Began: began, Ended: began.Add(d)}}
	}
	const want = "#7 ran for 5m 0s: files that you have edited meanwhile are among these changes.\n"
	if got := others([]*store.Operation{ran(store.Call, true, 5*time.Minute), ran(store.Call, true, time.Second)}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, o := range []*store.Operation{ran(store.Call, false, time.Hour), ran(store.Undo, true, time.Hour), ran(store.Background, true, time.Hour)} {
		if got := others([]*store.Operation{o}); got != "" {
			t.Errorf("%s: %q", o.Kind, got)
		}
	}
}

// TestUnsettled shows the log, with a warning, although changes of an earlier call cannot be recorded, and changes no file.
func TestUnsettled(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{"general": {"defaultApprovalMode": "auto_edit"}}`)
	p.Script = `
turn
  call write_file {"file_path": "a", "content": "new\n"}
turn
  text Written.
`
	p.Write("a", "old\n")
	p.Prompt("Write.")
	opened, err := project.Open(t.Context(), p.Options)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	s, err := snapshots.Store(opened)
	if err != nil {
		t.Fatal(err)
	}
	bases := filepath.Join(s.Dir(), "bases")
	if err := os.RemoveAll(bases); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(bases, bases); err != nil {
		t.Fatal(err)
	}
	const warning = "Warning: the log may lack changes. Read the undo log: "
	p.Check(Commands()[0], []managetest.Case{
		{Line: "log", Want: "#1"},
		{Line: "log", Want: warning},
		{Line: "/log", Want: warning},
		{Line: "diff", Want: "-old\n+new"},
		{Line: "diff", Want: warning},
		{Line: "diff #7", Want: "run pollux undo log\nread the undo log: ", Code: exit.General},
		{Line: "", Want: "read the undo log: ", Code: exit.General},
		{Line: "restore a", Want: "read the undo log: ", Code: exit.General},
	})
}
