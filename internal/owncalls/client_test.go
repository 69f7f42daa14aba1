package owncalls_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/records"
	"pollux/llm"
	"pollux/tool"
)

// TestClientTools checks which tools a program can call.
func TestClientTools(t *testing.T) {
	t.Parallel()
	list := func(c *caller) string {
		var names []string
		for _, one := range c.ClientTools() {
			names = append(names, one.Spec().Name)
		}
		return strings.Join(names, " ")
	}
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"tools": {"exclude": ["glob"]}}`)
	more := []tool.Tool{&ofServer{program: program{spec: specOf("mcp_files_read", tool.KindRead)}}, &program{spec: specOf("mine", tool.KindRead)}}
	c := newCaller(t, u, nil, more, u.AtTerminal)
	if got := list(c); got != "list_directory read_file grep_search replace write_file run_shell_command list_background_processes read_background_output stop_background_process mine" {
		t.Errorf("the tools are %s", got)
	}
	if r := c.CallTool(t.Context(), "ask_user", nil, tool.Host{}, nil); r.Error == nil || r.Error.Type != tool.ErrNotRegistered {
		t.Errorf("a tool of the conversation runs: %+v", r)
	}
	if r := c.CallTool(t.Context(), "glob", json.RawMessage(`{"pattern":"*"}`), tool.Host{}, nil); r.Error == nil || r.Error.Type != tool.ErrNotRegistered {
		t.Errorf("a hidden tool runs: %+v", r)
	}
}

// TestCallTool checks calls of a program: they pass the gate, and are recorded, those that were refused included.
func TestCallTool(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("a.txt", "words")
	c := newCaller(t, u, nil, nil, u.AtTerminal)
	read := c.CallTool(t.Context(), "read_file", json.RawMessage(`{"file_path":"a.txt"}`), tool.Host{}, u.Approve)
	if read.Error != nil || !strings.Contains(llm.PartsText(read.Content), "words") || len(u.TakeApprovals()) > 0 {
		t.Errorf("%+v", read)
	}
	write := json.RawMessage(`{"file_path":"b.txt","content":"x"}`)
	if r := c.CallTool(t.Context(), "write_file", write, tool.Host{}, u.Approve); c.has("b.txt") || len(u.TakeApprovals()) != 1 {
		t.Errorf("%+v", r)
	}
	u.AnswerApprovals(tool.ProceedOnce)
	if r := c.CallTool(t.Context(), "write_file", write, tool.Host{}, u.Approve); r.Error != nil || u.Read("b.txt") != "x" {
		t.Errorf("%+v", r)
	}
	if r := c.CallTool(t.Context(), "read_file", json.RawMessage(`{"path":5}`), tool.Host{}, u.Approve); r.Error == nil {
		t.Error("a call without a file runs")
	}
	var statuses []string
	ids := map[string]bool{}
	for _, r := range c.kit.TakeRecords() {
		if call, ok := r.(records.ClientCall); ok {
			statuses = append(statuses, call.Finished.Call.Name+" "+string(call.Finished.Status))
			ids[call.Finished.Call.ID] = true
		}
	}
	if got := strings.Join(statuses, ", "); got != "read_file success, write_file cancelled, write_file success, read_file error" || len(ids) != 4 {
		t.Errorf("recorded are %s, %d ids", got, len(ids))
	}
}

// Calls that read run at the same time. One that may change something runs alone.
func TestCallToolTogether(t *testing.T) {
	t.Parallel()
	for kind, together := range map[tool.Kind]bool{tool.KindRead: true, tool.KindSearch: true, tool.KindFetch: true, tool.KindEdit: false, tool.KindOther: false} {
		u := projecttest.NewUser(t)
		one := &program{spec: specOf("mine", kind), began: make(chan struct{}, 2), proceed: make(chan struct{})}
		c := newCaller(t, u, nil, []tool.Tool{one}, func(o *project.Options) { o.ApprovalMode = "yolo" })
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if r := c.CallTool(t.Context(), "mine", json.RawMessage(`{}`), tool.Host{}, nil); r.Error != nil {
					t.Error(r.Error)
				}
			})
		}
		<-one.began
		if together {
			<-one.began
		} else {
			time.Sleep(5 * time.Millisecond) // in which the other one could begin
		}
		close(one.proceed)
		all.Wait()
		if got := one.isBoth.Load(); got != together {
			t.Errorf("%s: calls run at the same time: %v", kind, got)
		}
	}
}
