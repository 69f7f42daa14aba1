package acp_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// checkOrder checks the order of the updates about calls, in all tests: each begins with tool_call, once, and nothing comes after its end.
func (e *editor) checkOrder(session string, update map[string]any) {
	id, _ := update["toolCallId"].(string)
	if id == "" {
		return
	}
	if e.states == nil {
		e.states = map[string]string{}
	}
	key := session + " " + id
	before, isKnown := e.states[key]
	kind, status := update["sessionUpdate"], fmt.Sprint(update["status"])
	isOver := before == "completed" || before == "failed"
	switch {
	case kind == "tool_call" && isKnown, kind == "tool_call_update" && !isKnown, isOver, before == "in_progress" && status == "pending":
		e.t.Errorf("after %q, the call %s gets %v", before, id, update)
	case update["status"] != nil:
		e.states[key] = status
	case !isKnown:
		e.states[key] = "pending"
	}
}

// forgetCalls forgets the calls of a session, which come again when it is loaded.
func (e *editor) forgetCalls(session string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key := range e.states {
		if strings.HasPrefix(key, session+" ") {
			delete(e.states, key)
		}
	}
}

// TestOrder runs calls of each kind, some side by side and some that are refused. Each is announced, begins and ends.
func TestOrder(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{files: map[string]string{"a.txt": "one\n", "b.txt": "two\n"}, script: `
turn
  call read_file {"file_path": "a.txt"}
  call read_file {"file_path": "b.txt"}
  call list_directory {"dir_path": "."}
  call grep_search {"pattern": "one"}
  call glob {"pattern": "*.txt"}
  call read_file {"file_path": "none.txt"}
  call no_such_tool {}
  call write_file {"file_path": "c.txt", "content": "three\n"}
  call replace {"file_path": "a.txt", "instruction": "x", "old_string": "one", "new_string": "1"}
  call run_shell_command {"command": "sleep 300 & read word; echo got:$word"}
  call run_shell_command {"command": "touch d.txt"}
turn
  text Done.
`})
	e.onAsk = func(_ string, params map[string]any) any {
		title := params["toolCall"].(map[string]any)["title"].(string)
		if strings.Contains(title, "touch") {
			return selects("cancel")
		}
		return selects("proceed_once")
	}
	if stop := e.ask(e.open(), "Go"); stop != "end_turn" {
		t.Errorf("the turn ends with %s", stop)
	}
	statuses := map[string][]string{}
	names, kinds := map[string]string{}, []string{}
	for _, u := range slices.Concat(e.kinds("tool_call"), e.kinds("tool_call_update")) {
		id := u["toolCallId"].(string)
		if name, ok := u["name"].(string); ok {
			names[id] = name + " " + fmt.Sprint(u["title"])
			kinds = append(kinds, fmt.Sprint(u["kind"]))
		}
		if status, ok := u["status"].(string); ok {
			statuses[id] = append(statuses[id], status)
		}
	}
	if len(statuses) != 11 {
		t.Errorf("there are %d calls", len(statuses))
	}
	for id, list := range statuses {
		want := "pending in_progress completed"
		switch name := names[id]; {
		case strings.Contains(name, "touch"), strings.Contains(name, "no_such_tool"):
			want = "pending failed"
		case strings.Contains(name, "none.txt"):
			want = "pending in_progress failed"
		}
		if got := strings.Join(list, " "); got != want {
			t.Errorf("%s is %s, want %s", names[id], got, want)
		}
	}
	for _, kind := range []string{"read", "search", "edit", "execute"} {
		if !slices.Contains(kinds, kind) {
			t.Errorf("no call has the kind %s: %q", kind, kinds)
		}
	}
	if got := e.file("d.txt"); !strings.HasPrefix(got, "!") {
		t.Error("the refused command ran")
	}
}

// TestManySessions opens and closes many sessions, and loads one twice. Nothing of them stays.
func TestManySessions(t *testing.T) { // not parallel: it counts goroutines
	e := newEditor(t, setup{script: "turn\n  times always\n  text Hi.\n"})
	open := func(n int) {
		for range n {
			id := e.open()
			if n <= 2 {
				e.ask(id, "Hi")
			}
			e.ok("session/close", map[string]any{"sessionId": id})
		}
	}
	open(2)
	before := runtime.NumGoroutine()
	open(50)
	deadline := time.Now().Add(20 * time.Second)
	for runtime.NumGoroutine() > before+10 {
		if time.Now().After(deadline) {
			t.Fatalf("there were %d goroutines, and now there are %d", before, runtime.NumGoroutine())
		}
		time.Sleep(20 * time.Millisecond)
	}
	id := e.open()
	e.ask(id, "Hi")
	for range 2 { // it is open, and begins again
		e.forget()
		e.ok("session/load", map[string]any{"sessionId": id, "cwd": e.dir, "mcpServers": []any{}})
		if n := len(e.kinds("user_message_chunk")); n != 1 {
			t.Errorf("the prompt comes %d times", n)
		}
	}
	if stop := e.ask(id, "Hi"); stop != "end_turn" {
		t.Errorf("the turn ends with %s", stop)
	}
}
