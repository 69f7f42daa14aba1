package record_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/record"
	"pollux/internal/workspace"
	"pollux/llm"
	"pollux/tool"
)

// named is a tool that is looked up and does not run.
type named struct{ spec tool.Spec }

func (n *named) Spec() *tool.Spec                               { return &n.spec }
func (n *named) Build(json.RawMessage) (tool.Invocation, error) { return n, nil }
func (n *named) Summary() string                                { return "" }
func (n *named) Locations() []tool.Location                     { return nil }
func (n *named) Confirmation(context.Context) (tool.Confirmation, error) {
	return nil, nil
}
func (n *named) Run(context.Context, tool.Host) *tool.Result { return &tool.Result{} }

// ofServer is a tool of an MCP server.
type ofServer struct {
	named
	readOnly any
}

func (o *ofServer) Server() string              { return "files" }
func (o *ofServer) RemoteName() string          { return "x" }
func (o *ofServer) Annotations() map[string]any { return map[string]any{"readOnlyHint": o.readOnly} }

// conversation is a recorded conversation with calls.
type conversation struct {
	*record.Changes
	t       *testing.T
	user    *projecttest.User
	record  *record.Record
	history []agent.Message
	denied  string // file that a policy denies to write
	calls   int
}

func newConversation(t *testing.T) *conversation {
	t.Helper()
	u := projecttest.NewUser(t)
	p := openProject(u)
	c := &conversation{t: t, user: u, record: open(t, p, record.Options{})}
	begin(t, c.record, "first")
	tools := map[string]tool.Tool{}
	for name, kind := range map[string]tool.Kind{"read_file": tool.KindRead, "write_file": tool.KindEdit, "run_shell_command": tool.KindExecute, "write_todos": tool.KindOther, "other": tool.KindOther, "agent": tool.KindAgent} {
		tools[name] = &named{tool.Spec{Name: name, Kind: kind}}
	}
	tools["mcp_read"] = &ofServer{named{tool.Spec{Name: "mcp_read", Kind: tool.KindOther}}, true}
	tools["mcp_write"] = &ofServer{named{tool.Spec{Name: "mcp_write", Kind: tool.KindOther}}, nil}
	c.Changes = &record.Changes{
		Record: c.record, History: func() []agent.Message { return c.history }, Workspace: project.NewWorkspace(p),
		Tool:   func(name string) (tool.Tool, bool) { one, ok := tools[name]; return one, ok },
		Denies: func(path string) bool { return path == c.denied },
	}
	return c
}

func (c *conversation) append(m agent.Message, calls ...agent.CallRecord) {
	c.t.Helper()
	c.history = append(c.history, m)
	if err := c.record.Journal().Append(c.t.Context(), agent.Entry{Message: m, Calls: calls}); err != nil {
		c.t.Fatal(err)
	}
}

// prompt appends a prompt.
func (c *conversation) prompt(text string) {
	c.append(agent.Message{ID: "p-" + text, Content: llm.User(llm.Text(text)), IsPrompt: true})
}

// call appends a call of a tool that has run, with changes of its record, and its result.
func (c *conversation) call(name, args string, changes ...func(*agent.CallRecord)) {
	c.t.Helper()
	c.calls++
	id := fmt.Sprint(name, "__", c.calls)
	r := agent.CallRecord{ID: id, Name: name, Args: json.RawMessage(args), Status: agent.Success, HasRun: true, Ended: time.Date(2026, 11, 21, 12, 0, c.calls, 0, time.UTC)}
	for _, change := range changes {
		change(&r)
	}
	c.append(agent.Message{ID: "c-" + id, Content: llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: r.Args}})})
	c.append(agent.Message{ID: "r-" + id, Content: llm.User(llm.Part{FunctionResponse: llm.Output(id, name, "ok")})}, r)
}

// write changes a file as write_file does, and appends the call.
func (c *conversation) write(name, text string) {
	c.t.Helper()
	path, before := c.user.Path(name), c.user.Read(name)
	d := &tool.DiffDisplay{FileName: name, FilePath: path, After: text}
	if _, err := os.Stat(path); err == nil {
		d.Before = &before
	}
	d.Diff = fmt.Sprintf("--- %s\n+++ %s\n@@ -1 +1 @@\n-%s\n+%s\n", name, name, strings.TrimSuffix(before, "\n"), strings.TrimSuffix(text, "\n"))
	if d.Before == nil {
		d.Diff = fmt.Sprintf("--- %s\n+++ %s\n@@ -0,0 +1 @@\n+%s\n", name, name, strings.TrimSuffix(text, "\n"))
	}
	c.user.Write(name, text)
	c.call("write_file", fmt.Sprintf(`{"file_path":%q,"content":%q}`, path, text), func(r *agent.CallRecord) {
		r.Display = d
		r.Executions = []agent.Execution{{Name: "write_file", Args: r.Args, Status: agent.Success, HasRun: true, Result: &tool.Result{Display: d}}}
	})
}

// TestCheckpoints checks which calls are checkpoints, and how much the conversation loses by a return to one.
func TestCheckpoints(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	c.prompt("One")
	c.call("read_file", `{"file_path":"a.txt"}`)
	c.call("write_todos", `{}`)
	c.call("mcp_read", `{}`)
	c.call("write_file", `{"file_path":"a.txt"}`, func(r *agent.CallRecord) { r.HasRun = false; r.Status = agent.Failed })
	if list := c.Checkpoints(); len(list) > 0 {
		t.Errorf("%+v", list)
	}
	c.call("write_file", `{"file_path":"a.txt"}`)
	c.call("run_shell_command", `{"command":"make all"}`, func(r *agent.CallRecord) { r.Status = agent.Failed })
	c.prompt("Two")
	c.call("mcp_write", `{}`)
	c.call("other", `{}`)
	c.call("agent", `{}`)
	c.call("unknown", `{}`)
	c.call("write_file", `{"file_path":"b.txt"}`, func(r *agent.CallRecord) { r.HasRun, r.IsInterrupted, r.Status = false, true, agent.CallCancelled })
	c.call("read_file", `{}`, func(r *agent.CallRecord) { // which a hook continued
		r.Executions = []agent.Execution{{Name: "read_file", HasRun: true, Result: &tool.Result{}}, {Name: "write_file", Args: json.RawMessage(`{"file_path":"c.txt"}`), HasRun: true, Result: &tool.Result{}}}
	})
	var got []string
	list := c.Checkpoints()
	for _, p := range list {
		got = append(got, p.Tool+" "+p.Describe())
	}
	want := "write_file a.txt|run_shell_command make all (failed)|mcp_write |other |agent |unknown |write_file b.txt (interrupted)|write_file c.txt"
	if all := strings.Join(got, "|"); all != want {
		t.Fatalf("checkpoints\n%s, want\n%s", all, want)
	}
	for i, want := range [][2]int{{1, 8}, {1, 7}, {0, 6}, {0, 5}} {
		if prompts, changes := c.Undone(list[i]); prompts != want[0] || changes != want[1] {
			t.Errorf("%s: %d prompts, %d changes", list[i].Name, prompts, changes)
		}
	}
	c.history = c.history[len(c.history)-2:] // as after a compression
	if list := c.Checkpoints(); len(list) != 1 || list[0].Target != "c.txt" {
		t.Errorf("%+v", list)
	}
}

// Checkpoints of the same time have different names.
func TestCheckpointNames(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	c.prompt("One")
	for range 3 {
		c.call("write_file", `{"file_path":"a.txt"}`, func(r *agent.CallRecord) { r.Ended = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) })
	}
	var names []string
	for _, p := range c.Checkpoints() {
		names = append(names, strings.TrimPrefix(p.Name, "2026-11-21T12-00-00_000Z-a.txt-write_file"))
	}
	if got := strings.Join(names, " "); got != " -2 -3" {
		t.Errorf("the names end in %q", got)
	}
}

// TestPlanUndo checks the plans that undo changes of files, and that a plan changes nothing before it is applied.
func TestPlanUndo(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	c.user.Write("a.txt", "one\n")
	c.prompt("One")
	c.write("a.txt", "two\n")
	c.prompt("Two")
	c.write("a.txt", "three\n")
	c.write("new.txt", "new\n")
	c.call("read_file", `{"file_path":"a.txt"}`)
	describe := func(files []record.FileUndo, isPartial bool) string {
		var list []string
		for _, f := range files {
			list = append(list, fmt.Sprint(strings.TrimPrefix(f.Path, c.user.Dir+string(os.PathSeparator)), " ", f.Removes, f.Problem))
		}
		return fmt.Sprint(strings.Join(list, ", "), " ", isPartial)
	}
	if got := describe(c.PlanUndo(t.Context(), "p-Two")); got != "new.txt true, a.txt false false" {
		t.Errorf("the plan is %s", got)
	}
	if got := describe(c.PlanUndo(t.Context(), "none")); got != " false" {
		t.Errorf("the plan for a message that does not exist is %s", got)
	}
	c.call("run_shell_command", `{"command":"make"}`)
	files, isPartial := c.PlanUndo(t.Context(), "p-Two")
	if !isPartial || c.user.Read("a.txt") != "three\n" {
		t.Errorf("partial %v", isPartial)
	}
	for _, f := range files {
		if err := f.Apply(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(c.user.Path("new.txt")); c.user.Read("a.txt") != "two\n" || err == nil {
		t.Errorf("after the undo: %q, %v", c.user.Read("a.txt"), err)
	}
	c.user.Write("a.txt", "three\n")
	c.user.Write("new.txt", "new\n")
	points := c.Checkpoints()
	if got := describe(c.PlanRestore(t.Context(), points[2])); got != "new.txt true true" {
		t.Errorf("the plan for the last file is %s", got)
	}
	if got := describe(c.PlanRestore(t.Context(), points[0])); got != "new.txt true, a.txt false true" {
		t.Errorf("the plan for all is %s", got)
	}
	c.denied = c.user.Path("a.txt")
	files, _ = c.PlanRestore(t.Context(), points[0])
	if len(files) != 2 || files[0].Problem != "" || files[1].Problem != "a policy denies changes of it" {
		t.Errorf("%+v", files)
	}
	c.denied = ""
	files, _ = c.PlanRestore(t.Context(), points[0])
	c.user.Write("a.txt", "changed\n")
	if err := files[1].Apply(t.Context()); err == nil || c.user.Read("a.txt") != "changed\n" {
		t.Errorf("a change since the plan is lost: %v", err)
	}
}

// A return to the second call of a response keeps the changes of the first one.
func TestPlanRestoreWithinAResponse(t *testing.T) {
	t.Parallel()
	c := newConversation(t)
	c.prompt("One")
	call, result := llm.Model(), llm.User()
	var calls []agent.CallRecord
	for i, name := range []string{"a.txt", "b.txt"} {
		path, id := c.user.Write(name, "new\n"), fmt.Sprint("write_file__", i)
		args := json.RawMessage(fmt.Sprintf(`{"file_path":%q,"content":"new\n"}`, path))
		call.Parts = append(call.Parts, llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: "write_file", Args: args}})
		result.Parts = append(result.Parts, llm.Part{FunctionResponse: llm.Output(id, "write_file", "ok")})
		calls = append(calls, agent.CallRecord{
			ID: id, Name: "write_file", Args: args, Status: agent.Success, HasRun: true, Ended: time.Now(),
			Display: &tool.DiffDisplay{FileName: name, FilePath: path, After: "new\n", Diff: "--- " + name + "\n+++ " + name + "\n@@ -0,0 +1 @@\n+new\n"},
		})
	}
	c.append(agent.Message{ID: "c", Content: call})
	c.append(agent.Message{ID: "r", Content: result}, calls...)
	points := c.Checkpoints()
	for i, want := range []string{"b.txt a.txt", "b.txt"} {
		files, _ := c.PlanRestore(t.Context(), points[i])
		var names []string
		for _, f := range files {
			names = append(names, strings.TrimPrefix(f.Path, c.user.Path("")+string(os.PathSeparator)))
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("a return to call %d undoes %s", i+1, got)
		}
	}
}

// Without a record there are no checkpoints, and nothing is undone.
func TestChangesWithoutRecord(t *testing.T) {
	t.Parallel()
	p := openProject(projecttest.NewUser(t))
	r, err := record.Open(t.Context(), p, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := record.Changes{Record: r, History: func() []agent.Message { return nil }, Workspace: new(workspace.Workspace)}
	if files, isPartial := c.PlanUndo(t.Context(), "x"); c.Checkpoints() != nil || files != nil || isPartial {
		t.Error("there is something to undo")
	}
}
