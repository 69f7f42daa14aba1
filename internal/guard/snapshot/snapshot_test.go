package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/undo"
	"pollux/internal/undo/store"
	"pollux/internal/workspace"
	"pollux/tool"
)

// fake is a tool that runs a function.
type fake struct {
	spec  tool.Spec
	run   func()
	lines tool.LineChange // of the result
}

func (f fake) Spec() *tool.Spec { return &f.spec }

func (f fake) Build(json.RawMessage) (tool.Invocation, error) { return f, nil }

func (f fake) Summary() string { return "Summary of " + f.spec.Name }

func (f fake) Locations() []tool.Location { return nil }

func (f fake) Confirmation(context.Context) (tool.Confirmation, error) { return nil, nil }

func (f fake) Run(context.Context, tool.Host) *tool.Result {
	if f.run != nil {
		f.run()
	}
	r := tool.Text("done")
	r.Lines = f.lines
	return r
}

// foreseen is a tool with an effect.
type foreseen struct {
	fake
	effect tool.Effect
}

func (f foreseen) Effect(json.RawMessage) tool.Effect { return f.effect }

// remote is a tool of an MCP server.
type remote struct {
	fake
	isReadOnly bool
}

func (remote) Server() string { return "server" }

func (r remote) RemoteName() string { return r.spec.Name }

func (r remote) Annotations() map[string]any { return map[string]any{"readOnlyHint": r.isReadOnly} }

// session is a workspace with a recorder.
type session struct {
	storeErr  error
	dir, home string
	store     *store.Store
	parts     Parts
	warnings  []string
}

func newSession(t testing.TB) *session {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &session{dir: filepath.Join(dir, "project"), home: filepath.Join(dir, "home"), store: store.Open(filepath.Join(dir, "undo"), store.DefaultLimit)}
	for _, path := range []string{s.dir, filepath.Join(s.home, "x"), filepath.Join(dir, "out")} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ws, errs := workspace.New(workspace.Options{Root: s.dir, Home: s.home})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	r := undo.New(undo.Options{
		Store: func() (*store.Store, error) { return s.store, s.storeErr }, Roots: func() []string { return []string{s.dir} },
		Left: func(root string, why error) { s.warnings = append(s.warnings, root+": "+why.Error()) },
	})
	t.Cleanup(r.Close)
	s.parts = Parts{Recorder: r, Workspace: ws, Session: func() string { return "session" }, Home: s.home, Store: func() (*store.Store, error) { return s.store, s.storeErr }, IsReported: func() bool { return true }, Warn: func(text string) { s.warnings = append(s.warnings, text) }}
	return s
}

// call lets a gate with these steps run a call.
func (s *session) call(t testing.TB, call *agent.ToolCall, as tool.Tool, around guard.Step) *agent.Execution {
	t.Helper()
	call.Name = as.Spec().Name
	if call.Args == nil {
		call.Args = json.RawMessage("{}")
	}
	g := guard.New(guard.Options{Policy: policy.New(policy.Options{Mode: policy.Yolo}), Around: []guard.Step{around}})
	list := g.Admit(t.Context(), call, as, nil).Run(t.Context(), agent.Host{})
	return &list[len(list)-1]
}

func spec(name string, kind tool.Kind) fake {
	return fake{spec: tool.Spec{Name: name, Kind: kind, Schema: json.RawMessage(`{"type":"object"}`)}}
}

// TestScope checks which paths a call may change.
func TestScope(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	s.parts.Skip = func() []string { return []string{filepath.Join(s.home, ".gemini", "tmp")} }
	st := &step{Parts: s.parts}
	out := filepath.Join(filepath.Dir(s.dir), "out")
	shell := func(command string) json.RawMessage {
		data, _ := json.Marshal(map[string]string{"command": command})
		return data
	}
	anywhere := undo.Scope{Anywhere: true}
	more := func(names ...string) undo.Scope {
		for i, name := range names {
			names[i] = filepath.Join(filepath.Dir(s.dir), "more", name)
		}
		return undo.Scope{Anywhere: true, Paths: names}
	}
	files := append(more("a.txt", "b.txt", "c", "[d]").Paths, filepath.Join(s.home, "own"))
	for i := range mostPaths {
		files = append(files, filepath.Join(filepath.Dir(s.dir), "many", strconv.Itoa(i)+".o"))
	}
	for _, name := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name string
		tool tool.Tool
		args json.RawMessage
		want undo.Scope
	}{
		{"an edit", foreseen{spec("write_file", tool.KindEdit), tool.Effect{Paths: []string{"/a"}}}, nil, undo.Scope{Paths: []string{"/a"}}},
		{"a call that is known to read", foreseen{spec("x", tool.KindExecute), tool.Effect{Reads: true, Paths: []string{"/a"}}}, nil, undo.Scope{}},
		{"an edit of no known file", foreseen{spec("x", tool.KindEdit), tool.Effect{}}, nil, anywhere},
		{"a tool that reads", spec("read_file", tool.KindRead), nil, undo.Scope{}},
		{"a tool that searches", spec("grep", tool.KindSearch), nil, undo.Scope{}},
		{"an agent", spec("agent", tool.KindAgent), nil, undo.Scope{}},
		{"a list of tasks", foreseen{spec("x", tool.KindOther), tool.ChangesNoFile{}.Effect(nil)}, nil, undo.Scope{Paths: []string{}}},
		{"another tool", spec("other", tool.KindOther), nil, anywhere},
		{"a tool of a server", remote{spec("mcp_x", tool.KindOther), false}, nil, anywhere},
		{"a tool of a server that reads", remote{spec("mcp_x", tool.KindOther), true}, nil, undo.Scope{}},
		{"another tool with the name of ours", spec("write_todos", tool.KindOther), nil, anywhere},
		{"a tool of a server with the name of ours", remote{spec("write_todos", tool.KindOther), false}, nil, anywhere},
		{"a command in the workspace", spec("sh", tool.KindExecute), shell("rm -rf a ./b ../project/c"), anywhere},
		{"a command without a command", spec("sh", tool.KindExecute), json.RawMessage(`{"command":{}}`), anywhere},
		{"a command that is no shell", spec("sh", tool.KindExecute), shell("echo ' >(("), anywhere},
		{"a command outside", spec("sh", tool.KindExecute), shell("rm -rf " + out + " ../out/x -x"), undo.Scope{Anywhere: true, Paths: []string{out, out + "/x"}}},
		{"a redirection", spec("sh", tool.KindExecute), shell("echo x >>../out/y <../out/z"), undo.Scope{Anywhere: true, Paths: []string{out + "/y"}}},
		{"the home directory", spec("sh", tool.KindExecute), shell("rm ~/x ~ " + s.home + " ../ / ~/$Y"), undo.Scope{Anywhere: true, Paths: []string{s.home + "/x"}}},
		{"a pattern", spec("sh", tool.KindExecute), shell("rm ../more/*.txt ../more/x*y ../more/$X ../more/$(echo c)"), more("a.txt", "b.txt", "x*y")},
		{"braces", spec("sh", tool.KindExecute), shell("rm ../more/{a,b}.txt"), more("a.txt", "b.txt")},
		{"a pattern in quotes", spec("sh", tool.KindExecute), shell("rm '../more/[d]' '../more/*'"), more("[d]", "*")},
		{"a pattern behind quotes", spec("sh", tool.KindExecute), shell(`rm "../more"/[d] '../more'/[!abc]*`), more("[d]")},
		{"very many files", spec("sh", tool.KindExecute), shell("rm ../many/*.o ../more/a*"), undo.Scope{Anywhere: true, Paths: []string{filepath.Join(filepath.Dir(s.dir), "many"), filepath.Join(filepath.Dir(s.dir), "more/a.txt")}}},
		{"braces in each other", spec("sh", tool.KindExecute), shell("rm ../more/{a,{b,c}.x}.txt ../more/HEAD@{1} ../more/{ ../more/{a..b}.txt"), more("a.txt", "b.x.txt", "c.x.txt", "HEAD@{1}", "{", "b.txt")},
		{"braces with directories", spec("sh", tool.KindExecute), shell("rm ../more/{d/e,../more/f}"), more("d/e", "f")},
		{"all in the home directory", spec("sh", tool.KindExecute), shell("rm -rf ~/*"), undo.Scope{Anywhere: true, Paths: []string{s.home + "/own", s.home + "/x"}}},
		{"variables", spec("sh", tool.KindExecute), shell(`rm $HOME/x "${HOME}/y" "$HOME"/z $HOMES/a "$HOME/$Y"`), undo.Scope{Anywhere: true, Paths: []string{s.home + "/x", s.home + "/y", s.home + "/z"}}},
		{"records of Pollux", spec("sh", tool.KindExecute), shell("cat ~/.gemini/tmp/background-processes/1.log ~/.gemini/tmp; rm ~/.gemini/settings.json >~/.gemini/tmp/x"), undo.Scope{Anywhere: true, Paths: []string{s.home + "/.gemini/settings.json"}}},
		{"the system", spec("sh", tool.KindExecute), shell("dd if=x of=y >/dev/sda /proc/self/mem /sys/x /run/y /usr /tmp"), anywhere},
		{"a directory in the root", spec("sh", tool.KindExecute), shell("rm -rf /no-such-data"), undo.Scope{Anywhere: true, Paths: []string{"/no-such-data"}}},
		{"a quoted path", spec("sh", tool.KindExecute), shell("rm '../out/a b'"), undo.Scope{Anywhere: true, Paths: []string{out + "/a b"}}},
		{"a directory of its own", spec("sh", tool.KindExecute), json.RawMessage(`{"command":"rm -f x","dir_path":"../out"}`), undo.Scope{Anywhere: true, Paths: []string{out + "/x"}}},
	} {
		var got undo.Scope
		ran := s.call(t, &agent.ToolCall{Args: test.args}, test.tool, guard.Step{Before: func(_ context.Context, call *agent.PreparedCall) error {
			got = st.scope(call)
			return nil
		}})
		if diff := cmp.Diff(test.want, got); diff != "" || !ran.HasRun {
			t.Errorf("%s (-want +got), ran %v:\n%s", test.name, ran.HasRun, diff)
		}
	}
}

// TestRecord records calls, with their origin.
func TestRecord(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	step := Step(s.parts)
	path := filepath.Join(s.dir, "a")
	write := func() { _ = os.WriteFile(path, []byte("x"), 0o600) }
	remove := func() { _ = os.Remove(path) }
	shell := spec("sh", tool.KindExecute)
	shell.run = write
	s.call(t, &agent.ToolCall{ID: "1", PromptID: "p"}, shell, step)
	shell.run = nil
	s.call(t, &agent.ToolCall{ID: "2", PromptID: "p"}, shell, step)
	shell.run = remove
	s.call(t, &agent.ToolCall{ID: "3", PromptID: "q", Typed: true}, shell, step)
	edit := foreseen{spec("edit", tool.KindEdit), tool.Effect{Paths: []string{path}}}
	edit.run = write
	s.call(t, &agent.ToolCall{ID: "4", PromptID: "q", FromClient: true}, edit, step)
	reads := spec("read", tool.KindRead)
	reads.run = remove
	s.call(t, &agent.ToolCall{ID: "5", PromptID: "q"}, reads, step)
	list, damaged, err := s.store.List()
	if err != nil || len(damaged) > 0 {
		t.Fatal(damaged, err)
	}
	var got []string
	for _, h := range list {
		got = append(got, strings.Join([]string{string(h.Kind), h.Session, h.Prompt, h.Call, h.Tool, h.Title}, ", "))
	}
	want := []string{
		"call, session, p, 1, sh, Summary of sh",
		"command, session, q, 3, sh, Summary of sh",
		"command, session, q, 4, edit, Summary of edit",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(s.warnings) > 0 {
		t.Errorf("operations (-want +got):\n%s%q", diff, s.warnings)
	}
}

// TestRecordRemote records the name of a tool of an MCP server that people know.
func TestRecordRemote(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	order := remote{spec("mcp_shop_order", tool.KindOther), false}
	order.spec.DisplayName = "order (shop MCP Server)"
	order.run = func() { _ = os.WriteFile(filepath.Join(s.dir, "a"), nil, 0o600) }
	s.call(t, &agent.ToolCall{ID: "1"}, order, Step(s.parts))
	list, _, err := s.store.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("operations %+v, error %v", list, err)
	}
	if h := list[0]; h.Tool != "mcp_shop_order" || h.Name != "order (shop MCP Server)" || h.Title != "Summary of mcp_shop_order" {
		t.Errorf("header %+v", h)
	}
}

// TestNoStore runs calls without undo where there is no place for it, and warns once.
func TestNoStore(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	if err := os.WriteFile(s.store.Dir(), nil, 0o600); err != nil { // no directory can be there
		t.Fatal(err)
	}
	for _, as := range []tool.Tool{spec("sh", tool.KindExecute), foreseen{spec("edit", tool.KindEdit), tool.Effect{Paths: []string{filepath.Join(s.dir, "a")}}}} {
		if ran := s.call(t, &agent.ToolCall{}, as, Step(s.parts)); !ran.HasRun || ran.Result.Error != nil {
			t.Errorf("%s: ran %v, %+v", as.Spec().Name, ran.HasRun, ran.Result.Error)
		}
	}
	if len(s.warnings) != 1 || !strings.HasPrefix(s.warnings[0], ": ") {
		t.Errorf("warnings %q", s.warnings)
	}
}

// TestRefuse does not run a call whose changes could not be taken back because the disk is full.
func TestRefuse(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	s.storeErr = syscall.ENOSPC
	for _, as := range []tool.Tool{spec("sh", tool.KindExecute), foreseen{spec("edit", tool.KindEdit), tool.Effect{Paths: []string{filepath.Join(s.dir, "a")}}}} {
		ran := s.call(t, &agent.ToolCall{}, as, Step(s.parts))
		text := ran.Result.Error.Message
		if ran.HasRun || !strings.Contains(text, "its changes could not be taken back: ") || !strings.Contains(text, "set pollux.undo.enabled to false") {
			t.Errorf("%s: ran %v, %s", as.Spec().Name, ran.HasRun, text)
		}
	}
	if ran := s.call(t, &agent.ToolCall{}, spec("read", tool.KindRead), Step(s.parts)); !ran.HasRun {
		t.Error("a call that reads did not run")
	}
}
