package companion_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"pollux/internal/companion"
	"pollux/internal/companion/companiontest"
	"pollux/internal/ide"
	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/listener"
)

// The test program is also a command that passes for an editor.
func TestMain(m *testing.M) {
	if os.Getenv("PASS_FOR_EDITOR") != "" {
		e := companiontest.Start(nil)
		fmt.Println(e.Port())
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const enabled = `{"ide": {"enabled": true}}`

// newProject returns a project at a terminal.
func newProject(t *testing.T, settings string, env ...string) *project.Project {
	t.Helper()
	p := projecttest.New(t, settings, env...)
	p.Options.Interactive = true
	return p
}

// start starts an editor that has a folder open, and a project in that folder with a home of its own.
func start(t *testing.T, env ...string) (*companiontest.Editor, *project.Project) {
	t.Helper()
	e := companiontest.Start(nil)
	t.Cleanup(e.Stop)
	p := newProject(t, enabled, append(env, "TMPDIR="+t.TempDir())...)
	return e, p
}

// list writes the file of an editor for a project.
func list(t *testing.T, e *companiontest.Editor, p *project.Project, pid int, folders ...string) string {
	t.Helper()
	path, err := e.List(p.Env().User().Get("TMPDIR"), pid, folders...)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// open opens a companion, and waits until the attempt to connect has ended.
func open(t *testing.T, p *project.Project) *companion.Companion {
	t.Helper()
	c := companion.Open(p, nil)
	t.Cleanup(c.Close)
	processtest.WaitUntil(t, "the attempt to connect has ended", func() bool { return c.Status().Phase != companion.Connecting })
	return c
}

// state is the list of an editor with one active file.
func state(path string) map[string]any {
	return map[string]any{"isTrusted": true, "openFiles": []any{map[string]any{
		"path": path, "timestamp": 2, "isActive": true, "cursor": map[string]any{"line": 3, "character": 4}, "selectedText": "chosen",
	}, map[string]any{"path": path + ".old", "timestamp": 1}}}
}

// TestState checks that the files which an editor shares reach the model, and those that it shares later.
func TestState(t *testing.T) {
	t.Parallel()
	e, p := start(t)
	list(t, e, p, os.Getpid(), p.Paths.Dir())
	e.Share(state("/w/a.go"))
	c := companion.Open(p, nil)
	t.Cleanup(c.Close)
	s, ok := c.State() // waits
	if !ok || len(s.Files) != 2 || s.Files[0] != (ide.File{Path: "/w/a.go", Time: 2, Active: true, Cursor: s.Files[0].Cursor, Selection: "chosen"}) || *s.Files[0].Cursor != (ide.Cursor{Line: 3, Character: 4}) {
		t.Fatalf("%+v, %v; refused: %q", s, ok, e.Refused())
	}
	w := c.Watcher()
	if text := w.Context(false); !strings.Contains(text, `"/w/a.go"`) || !strings.Contains(text, "chosen") {
		t.Errorf("the model reads %q", text)
	}
	e.Share(state("/w/b.go"))
	processtest.WaitUntil(t, "the editor has told of another file", func() bool { return c.Status().Files[0].Path == "/w/b.go" })
	if text := w.Context(false); !strings.Contains(text, `"filesOpened":["/w/b.go","/w/b.go.old"]`) {
		t.Errorf("the model reads %q", text)
	}
	processtest.WaitUntil(t, "the editor is connected", func() bool { return c.Status().Phase == companion.Connected })
	if st := c.Status(); st.Editor != "the editor" || st.Why != nil {
		t.Errorf("%+v", st)
	}
	if c.TakeDistrust() {
		t.Error("the folder is not trusted")
	}
	if got := e.Refused(); len(got) != 0 {
		t.Errorf("refused: %q", got)
	}
}

// TestOff checks that nothing connects where the user does not want that, and that it ends when they stop wanting it.
func TestOff(t *testing.T) {
	t.Parallel()
	e := companiontest.Start(nil)
	t.Cleanup(e.Stop)
	p := newProject(t, `{}`, "TMPDIR="+t.TempDir())
	list(t, e, p, os.Getpid(), p.Paths.Dir())
	e.Share(state("/w/a.go"))
	c := companion.Open(p, nil)
	if s, ok := c.State(); ok || c.Status().Phase != companion.Off {
		t.Errorf("connected: %+v", s)
	}
	if script := companion.Open(projecttest.New(t, enabled), nil); script.Status().Phase != companion.Off {
		t.Error("a script connects")
	}
	c.Connect()
	if _, ok := c.State(); !ok {
		t.Fatal("not connected")
	}
	c.Close()
	if s, ok := c.State(); ok || c.Status().Phase != companion.Off {
		t.Errorf("connected: %+v", s)
	}
}

// TestGiven checks a state that comes from a Go program.
func TestGiven(t *testing.T) {
	t.Parallel()
	e, p := start(t)
	list(t, e, p, os.Getpid(), p.Paths.Dir())
	connected := true
	c := companion.Open(p, func() (ide.State, bool) { return ide.State{Files: []ide.File{{Path: "/x"}}}, connected })
	if s, ok := c.State(); !ok || s.Files[0].Path != "/x" || c.Status().Phase != companion.Connected {
		t.Errorf("%+v, %v", s, ok)
	}
	connected = false
	if _, ok := c.State(); ok || c.Status().Phase != companion.Off || len(c.Status().Files) != 0 {
		t.Errorf("%+v", c.Status())
	}
}

// TestLost checks an editor that ends, and one that begins again with another port.
func TestLost(t *testing.T) {
	t.Parallel()
	e, p := start(t)
	path := list(t, e, p, os.Getpid(), p.Paths.Dir())
	e.Share(state("/w/a.go"))
	c := open(t, p)
	diff := c.Diff(t.Context(), "/w/a.go", "new")
	e.Stop()
	processtest.WaitUntil(t, "the end of the editor is known", func() bool { return c.Status().Phase == companion.Disconnected })
	if _, err := diff.Wait(); err == nil || c.Status().Why.Error() != "the editor has closed the connection" || len(c.Status().Files) != 0 {
		t.Errorf("%v, %+v", err, c.Status())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	again := companiontest.Start(nil)
	t.Cleanup(again.Stop)
	again.Share(state("/w/c.go"))
	list(t, again, p, os.Getpid(), p.Paths.Dir())
	processtest.WaitUntil(t, "a prompt connects again", func() bool {
		s, ok := c.State()
		return ok && s.Files[0].Path == "/w/c.go"
	})
}

// TestEarlyWord checks that files of which an editor tells before the connection is complete count from then on: until then
// nothing says both that there is no connection and which files are open.
func TestEarlyWord(t *testing.T) {
	t.Parallel()
	e, p := start(t, "TERM_PROGRAM=vscode")
	list(t, e, p, os.Getpid(), p.Paths.Dir())
	release := make(chan struct{})
	e.Hold("tools/list", release)
	c := companion.Open(p, nil)
	t.Cleanup(c.Close)
	heard := make(chan struct{}, 100)
	c.Watch(func() { heard <- struct{}{} })
	e.Share(state("/w/a.go"))
	<-heard
	if s := c.Status(); s.Phase != companion.Connecting || s.Editor != "VS Code" || s.Files != nil {
		t.Errorf("while it connects: %+v", s)
	}
	close(release)
	if s, ok := c.State(); !ok || len(s.Files) != 2 {
		t.Errorf("%+v, %v", s, ok)
	}
	if s := c.Status(); s.Phase != companion.Connected || len(s.Files) != 2 {
		t.Errorf("after it: %+v", s)
	}
}

// TestMute checks that a companion that never answers holds a prompt up for a short time only, and only once.
func TestMute(t *testing.T) {
	t.Parallel()
	e, p := start(t)
	list(t, e, p, os.Getpid(), p.Paths.Dir())
	e.Mute()
	c := companion.Open(p, nil)
	t.Cleanup(c.Close)
	if _, ok := c.State(); ok {
		t.Error("connected")
	}
	began := time.Now()
	for range 100 {
		c.State()
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("100 prompts wait for %v", took)
	}
}

// TestDistrust checks that an editor that does not trust the folder says so once for each change.
func TestDistrust(t *testing.T) {
	t.Parallel()
	e, p := start(t)
	list(t, e, p, os.Getpid(), p.Paths.Dir())
	e.Share(map[string]any{"isTrusted": false})
	c := companion.Open(p, nil)
	t.Cleanup(c.Close)
	if _, ok := c.State(); !ok || !c.TakeDistrust() || c.TakeDistrust() {
		t.Fatalf("not once: %+v", c.Status())
	}
	tell := func(isTrusted bool, path string) {
		e.Share(map[string]any{"isTrusted": isTrusted, "openFiles": []any{map[string]any{"path": path}}})
		processtest.WaitUntil(t, "the editor has told of "+path, func() bool { f := c.Status().Files; return len(f) == 1 && f[0].Path == path })
	}
	if tell(false, "/1"); c.TakeDistrust() {
		t.Error("again without a change")
	}
	tell(true, "/2")
	if tell(false, "/3"); !c.TakeDistrust() {
		t.Error("not after a change")
	}
}

// TestFind checks which editors are taken, and the reason if none is.
func TestFind(t *testing.T) {
	t.Parallel()
	other := t.TempDir()
	const noFolder, elsewhere, none = "no folder is open in the editor", "the editor has another folder open", "no editor with a companion extension"
	for _, tt := range []struct {
		name    string
		folders func(dir string) []string
		env     func(e *companiontest.Editor, dir string) []string
		pid     int
		change  func(path string) error
		want    string // a part of the reason; "" for a connection
	}{
		{name: "the folder", folders: func(dir string) []string { return []string{dir} }},
		{name: "a folder above", folders: func(dir string) []string { return []string{filepath.Dir(dir)} }},
		{name: "one of several", folders: func(dir string) []string { return []string{other, dir} }},
		{name: "another", folders: func(string) []string { return []string{other} }, want: elsewhere},
		{name: "a name that begins like it", folders: func(dir string) []string { return []string{dir[:len(dir)-1]} }, want: elsewhere},
		{name: "relative", folders: func(string) []string { return []string{"."} }, want: elsewhere},
		{name: "no folder", folders: func(string) []string { return nil }, want: noFolder},
		{name: "an editor that has ended", folders: func(dir string) []string { return []string{dir} }, pid: 1 << 30, want: none},
		{
			name: "a file that others can write", folders: func(dir string) []string { return []string{dir} },
			change: func(path string) error { return os.Chmod(path, 0o666) }, want: none,
		},
		{
			name: "a link", folders: func(dir string) []string { return []string{dir} },
			change: func(path string) error {
				if err := os.Rename(path, path+".real"); err != nil {
					return err
				}
				return os.Symlink(path+".real", path)
			}, want: none,
		},
		{name: "broken", folders: func(dir string) []string { return []string{dir} }, change: func(path string) error { return os.WriteFile(path, []byte("{"), 0o600) }, want: none},
		{
			name: "the environment", env: func(e *companiontest.Editor, dir string) []string {
				return []string{"GEMINI_CLI_IDE_SERVER_PORT=" + e.Port(), "GEMINI_CLI_IDE_AUTH_TOKEN=" + companiontest.Token, "GEMINI_CLI_IDE_WORKSPACE_PATH=" + dir}
			},
		},
		{
			name: "the environment without a folder", env: func(e *companiontest.Editor, _ string) []string {
				return []string{"GEMINI_CLI_IDE_SERVER_PORT=" + e.Port(), "GEMINI_CLI_IDE_AUTH_TOKEN=" + companiontest.Token}
			},
		},
		{
			name: "the environment of another folder", env: func(e *companiontest.Editor, _ string) []string {
				return []string{"GEMINI_CLI_IDE_SERVER_PORT=" + e.Port(), "GEMINI_CLI_IDE_AUTH_TOKEN=" + companiontest.Token, "GEMINI_CLI_IDE_WORKSPACE_PATH=" + other}
			}, want: elsewhere,
		},
		{
			name: "the environment with no folder open", env: func(e *companiontest.Editor, _ string) []string {
				return []string{"GEMINI_CLI_IDE_SERVER_PORT=" + e.Port(), "GEMINI_CLI_IDE_WORKSPACE_PATH="}
			}, want: noFolder,
		},
		{
			name: "another token", env: func(e *companiontest.Editor, dir string) []string {
				return []string{"GEMINI_CLI_IDE_SERVER_PORT=" + e.Port(), "GEMINI_CLI_IDE_AUTH_TOKEN=wrong", "GEMINI_CLI_IDE_WORKSPACE_PATH=" + dir}
			}, want: "does not answer",
		},
		{
			name: "no port", env: func(*companiontest.Editor, string) []string {
				return []string{"GEMINI_CLI_IDE_SERVER_PORT=http://evil.example"}
			},
			want: "GEMINI_CLI_IDE_SERVER_PORT is no port",
		},
		{name: "nothing", want: none},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := companiontest.Start(nil)
			t.Cleanup(e.Stop)
			temp := t.TempDir()
			env := []string{"TMPDIR=" + temp}
			dir := newProject(t, enabled).Paths.Dir()
			if tt.env != nil {
				env = append(env, tt.env(e, dir)...)
			}
			p := newProject(t, enabled, env...)
			if tt.env != nil { // the directory of the project that has this environment
				env = append([]string{"TMPDIR=" + temp}, tt.env(e, p.Paths.Dir())...)
				p.Options.Env = p.Options.Env.With(env...)
				p.ReadEnv()
			}
			if tt.folders != nil {
				pid := os.Getpid()
				if tt.pid != 0 {
					pid = tt.pid
				}
				path := list(t, e, p, pid, tt.folders(p.Paths.Dir())...)
				if tt.change != nil {
					if err := tt.change(path); err != nil {
						t.Fatal(err)
					}
				}
			}
			st := open(t, p).Status()
			switch {
			case tt.want == "" && st.Phase != companion.Connected:
				t.Errorf("not connected: %v; refused: %q", st.Why, e.Refused())
			case tt.want != "" && (st.Why == nil || !strings.Contains(st.Why.Error(), tt.want)):
				t.Errorf("%v, want %q", st.Why, tt.want)
			}
		})
	}
}

// TestChoose checks that of several editors with the folder the terminal's own is taken, else the one with the nearest folder.
func TestChoose(t *testing.T) {
	t.Parallel()
	outer, p := start(t)
	inner := companiontest.Start(nil)
	t.Cleanup(inner.Stop)
	list(t, outer, p, os.Getpid(), filepath.Dir(p.Paths.Dir()))
	list(t, inner, p, os.Getppid(), p.Paths.Dir())
	for i, e := range []*companiontest.Editor{outer, inner} {
		e.Share(state("/" + strconv.Itoa(i)))
	}
	for env, want := range map[string]string{
		"X=": "/1", "GEMINI_CLI_IDE_SERVER_PORT=" + outer.Port(): "/0", fmt.Sprintf("GEMINI_CLI_IDE_PID=%d", os.Getpid()): "/0",
	} {
		p.Options.Env = p.Options.Env.Without("GEMINI_CLI_IDE_SERVER_PORT", "GEMINI_CLI_IDE_PID").With(env)
		p.ReadEnv()
		c := companion.Open(p, nil)
		if s, ok := c.State(); !ok || s.Files[0].Path != want {
			t.Errorf("%s: %+v, %v", env, s, c.Status().Why)
		}
		c.Close()
	}
}

// TestNames checks the names of editors.
func TestNames(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{
		"TERM_PROGRAM=vscode":                      "VS Code",
		"TERM_PROGRAM=vscode CURSOR_TRACE_ID=1":    "Cursor",
		"TERMINAL_EMULATOR=JetBrains-JediTerm":     "the JetBrains IDE",
		"TERM_PROGRAM=vscode POSITRON=0":           "VS Code",
		"TERM_PROGRAM=iTerm.app":                   "the editor",
		"TERM_PROGRAM=vscode TERM_PRODUCT=Trae":    "Trae",
		"TERM_PROGRAM=tmux VSCODE_IPC_HOOK_CLI=/x": "VS Code",
	} {
		p := projecttest.New(t, `{}`, strings.Fields(env)...)
		if name, _ := companion.Terminal(p.Env().User()); name != want {
			t.Errorf("%s: %q, want %q", env, name, want)
		}
	}
}

// TestDiff checks the decisions of a person about a change in the editor.
func TestDiff(t *testing.T) {
	t.Parallel()
	e, p := start(t)
	list(t, e, p, os.Getpid(), p.Paths.Dir())
	c := open(t, p)
	show := func(path, text string) *companion.Diff {
		d := c.Diff(t.Context(), path, text)
		if d == nil {
			t.Fatal("the editor shows no change")
		}
		if got := <-e.Opened(); got != (companiontest.Change{Path: path, Text: text}) {
			t.Fatalf("the editor shows %+v", got)
		}
		return d
	}
	d := show("/w/a", "one\n")
	if c.Diff(t.Context(), "/w/b", "x") != nil {
		t.Error("two changes at a time")
	}
	e.Reject("/w/other") // another change says nothing about this one
	e.Accept("/w/a")
	if got, err := d.Wait(); err != nil || got != (companion.Choice{IsAccepted: true, Text: "one\n"}) {
		t.Errorf("accepted: %+v, %v", got, err)
	}
	if text := d.Close(t.Context()); text != "one\n" || len(e.Closed()) != 0 {
		t.Errorf("a change that is settled: %q", text)
	}

	d = show("/w/a", "one\n")
	e.Edit("/w/a", "two\r\n")
	e.Accept("/w/a")
	if got, err := d.Wait(); err != nil || got != (companion.Choice{IsAccepted: true, Text: "two\n"}) {
		t.Errorf("edited: %+v, %v", got, err)
	}

	d = show("/w/r", "one")
	e.Reject("/w/r")
	if got, err := d.Wait(); err != nil || got.IsAccepted {
		t.Errorf("rejected: %+v, %v", got, err)
	}

	d = show("/w/a", "one\n")
	if text := d.Close(t.Context()); text != "two\n" || <-e.Closed() != "/w/a" {
		t.Errorf("closed: %q", text)
	}
	if _, err := d.Wait(); err == nil {
		t.Error("a closed change has a choice")
	}
	if got := e.Refused(); len(got) != 0 {
		t.Errorf("refused: %q", got)
	}
}

// TestSlowDiff checks that a change which an editor shows only after the person has answered elsewhere is closed then.
func TestSlowDiff(t *testing.T) {
	t.Parallel()
	e, p := start(t)
	list(t, e, p, os.Getpid(), p.Paths.Dir())
	release := make(chan struct{})
	e.Hold("openDiff", release)
	c := open(t, p)
	d := c.Diff(t.Context(), "/w/a", "one\n")
	if d == nil {
		t.Fatal("the editor shows no change")
	}
	if text := d.Close(t.Context()); text != "one\n" || len(e.Closed()) != 0 {
		t.Errorf("before it is shown: %q, %d closed", text, len(e.Closed()))
	}
	close(release)
	if got := <-e.Closed(); got != "/w/a" {
		t.Errorf("closed: %q", got)
	}
	if len(e.Opened()) != 1 {
		t.Error("closed before it was shown")
	}
}

// TestNoDiff checks an editor that only shares files.
func TestNoDiff(t *testing.T) {
	t.Parallel()
	e := companiontest.Start([]string{"openDiff"})
	t.Cleanup(e.Stop)
	p := newProject(t, enabled, "TMPDIR="+t.TempDir())
	list(t, e, p, os.Getpid(), p.Paths.Dir())
	c := open(t, p)
	if c.Status().Phase != companion.Connected || c.Diff(t.Context(), "/w/a", "x") != nil {
		t.Errorf("%+v", c.Status())
	}
}

// TestImpostor has a command in the sandbox pass for an editor: by a file that says where it listens, and at the port that the environment of the terminal
// names.
func TestImpostor(t *testing.T) {
	t.Parallel()
	s, err := sandbox.New(sandbox.Options{
		Dirs: func() []string { return nil }, Profile: func([]string) sandbox.Profile { return sandbox.Profile{Devices: []string{os.DevNull}} },
	})
	if err != nil || !listener.Sees {
		t.Skip("NOT TESTED: this system does not confine commands as Linux does:", err)
	}
	t.Cleanup(s.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, hold := io.Pipe()
	said, out := io.Pipe()
	ended := make(chan error, 1)
	l := process.NewLauncher(s.Confine)
	go func() {
		_, err := l.Run(context.Background(), &process.Command{
			For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: self, Env: []string{"PASS_FOR_EDITOR=1"}, Dir: t.TempDir(), Stdin: in, Stdout: out, Stderr: out,
		})
		ended <- err
		_ = out.CloseWithError(err)
	}()
	t.Cleanup(func() {
		_ = hold.Close()
		<-ended
	})
	port, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(port, err)
	}
	port = strings.TrimSpace(port)
	e, _ := start(t)
	for name, env := range map[string][]string{
		"by a file": nil, "by the environment": {"GEMINI_CLI_IDE_SERVER_PORT=" + port, "GEMINI_CLI_IDE_AUTH_TOKEN=" + companiontest.Token},
	} {
		p := newProject(t, enabled, append(env, "TMPDIR="+t.TempDir())...)
		if env == nil {
			path := list(t, e, p, os.Getpid(), p.Paths.Dir())
			forged := fmt.Sprintf(`{"port": %s, "workspacePath": %q, "authToken": "x", "stdio": {"command": "touch", "args": [%q]}}`, port, p.Paths.Dir(), path+".run")
			if err := os.WriteFile(path, []byte(forged), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := open(t, p)
		if why := c.Status().Why; why == nil || !strings.Contains(why.Error(), "a command in the sandbox listens at port "+port+" in its place") {
			t.Errorf("%s: %v", name, why)
		}
		found, _ := filepath.Glob(filepath.Join(p.Env().User().Get("TMPDIR"), "gemini", "ide", "*.run"))
		if len(found) > 0 {
			t.Errorf("%s: Pollux runs a program of the file", name)
		}
	}
	// Nor does one count that Pollux does not see, unless the environment names it.
	e.Stop()
	p := newProject(t, enabled, "TMPDIR="+t.TempDir())
	list(t, e, p, os.Getpid(), p.Paths.Dir())
	if why := open(t, p).Status().Why; why == nil || !strings.Contains(why.Error(), "it is not visible which program listens at port "+e.Port()) {
		t.Errorf("no program: %v", why)
	}
	p = newProject(t, enabled, "TMPDIR="+t.TempDir(), "GEMINI_CLI_IDE_SERVER_PORT="+e.Port())
	if why := open(t, p).Status().Why; why == nil || !strings.Contains(why.Error(), "cannot reach 127.0.0.1:"+e.Port()) {
		t.Errorf("no program, by the environment: %v", why)
	}
	// The environment counts beside a file with the same port and another token.
	other, _ := start(t)
	p = newProject(t, enabled, "TMPDIR="+t.TempDir(), "GEMINI_CLI_IDE_SERVER_PORT="+other.Port(), "GEMINI_CLI_IDE_AUTH_TOKEN="+companiontest.Token)
	path := list(t, other, p, os.Getpid(), p.Paths.Dir())
	if err := os.WriteFile(path, []byte(fmt.Sprintf(`{"port": %s, "workspacePath": %q, "authToken": "x"}`, other.Port(), p.Paths.Dir())), 0o600); err != nil {
		t.Fatal(err)
	}
	if st := open(t, p).Status(); st.Phase != companion.Connected {
		t.Errorf("%+v", st)
	}
}
