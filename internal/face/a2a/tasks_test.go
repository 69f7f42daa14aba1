package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"pollux/internal/face/a2a/schema"
	"pollux/internal/process/processtest"
)

func parseNewTask(t *testing.T, dir string) (string, *schema.Settings, string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"agentSettings": map[string]any{"kind": "agent-settings", "workspacePath": dir}})
	if err != nil {
		t.Fatal(err)
	}
	id, set, problem := schema.ParseNewTask(body)
	if problem != nil {
		return "", nil, problem.Message
	}
	return id, set, ""
}

// TestMany checks that 20 tasks at once do not disturb each other.
func TestMany(t *testing.T) {
	t.Parallel()
	script := ""
	for range 20 {
		script += "turn\n  text Yes.\n"
	}
	a := start(t, setup{script: script})
	var all sync.WaitGroup
	var mu sync.Mutex
	ids := map[string]bool{}
	for range 20 {
		all.Go(func() {
			s := a.stream("message/stream", messageTo("", "Go"))
			words := s.all()
			if want := "task submitted\nworking\ntext Yes.\ninput-required final"; words != want {
				t.Errorf("%s", words)
			}
			for _, e := range s.events {
				if e.TaskID != s.task {
					t.Errorf("an event of another task")
				}
			}
			mu.Lock()
			ids[s.task] = true
			mu.Unlock()
		})
	}
	all.Wait()
	if len(ids) != 20 {
		t.Errorf("%d tasks", len(ids))
	}
}

// TestLimits checks that an idle session makes room for another one and opens again, that a busy one does not, and that old tasks
// are forgotten.
func TestLimits(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: `
turn
  text one
turn
  text two
turn
  expect prompt Again
  expect anywhere one
  text three
turn
  call run_shell_command {"command": "echo x > x"}
`, isUnchecked: true, options: func(o *Options) { o.limits = limits{tasks: 3, sessions: 1} }})
	first, _ := a.say("", "First")
	a.say("", "Second")
	if id, words := a.say(first, "Again"); id != first || words != "working\ntext three\ninput-required final" {
		t.Errorf("it does not go on: %s", words)
	}
	waiting, words := a.say("", "Third")
	if !strings.Contains(words, "confirmation") {
		t.Fatal(words)
	}
	if _, words := a.say(first, "More"); !strings.Contains(words, "input-required final: 1 tasks work or wait for an answer, which is the limit.") {
		t.Errorf("%s", words)
	}
	if status, text := a.do(http.MethodPost, "/tasks", "{}"); status != http.StatusServiceUnavailable || !strings.Contains(text, "Cancel one with tasks/cancel, or try again later.") {
		t.Errorf("%d %s", status, text)
	}
	if _, failure := a.rpc("tasks/get", map[string]any{"id": waiting}); failure != nil {
		t.Errorf("a task that waits is forgotten: %+v", failure)
	}
	_, failure := a.rpc("tasks/get", map[string]any{"id": first})
	var list []metadata
	_, text := a.do(http.MethodGet, "/tasks/metadata", "")
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) > 3 {
		t.Errorf("%d tasks, %v, %+v", len(list), err, failure)
	}
}

// TestAllBusy checks the error for a task for which there is no room at all.
func TestAllBusy(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: "turn\n  call run_shell_command {\"command\": \"echo x > x\"}\n", isUnchecked: true, options: func(o *Options) { o.limits = limits{tasks: 1, sessions: 5} }})
	id, _ := a.say("", "Go")
	_, failure := a.rpc("message/send", messageTo("", "Go"))
	if failure == nil || failure.Code != tooBusy || !strings.HasPrefix(failure.Message, "The server has 1 tasks, and all of them work.") {
		t.Errorf("%+v", failure)
	}
	if _, failure := a.rpc("tasks/cancel", map[string]any{"id": id}); failure != nil {
		t.Error(failure)
	}
	if status, _ := a.do(http.MethodPost, "/tasks", "{}"); status != http.StatusCreated {
		t.Errorf("status %d after the cancellation", status)
	}
	if _, failure := a.rpc("tasks/get", map[string]any{"id": id}); failure == nil || failure.Code != -32001 {
		t.Errorf("the cancelled task is kept: %+v", failure)
	}
}

// TestCancel checks the cancellation of a task at each stage.
func TestCancel(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ script, at string }{
		"before the answer":  {"turn\n  hang\n", "working"},
		"in the answer":      {"turn\n  text Begun\n  hang\n", "text Begun"},
		"in a command":       {"turn\n  call run_shell_command {\"command\": \"echo $$ > pid; sleep 600\"}\n", "update run_shell_command_1 executing"},
		"at a question":      {"turn\n  call run_shell_command {\"command\": \"echo x > x\"}\n", "input-required final"},
		"after the turn":     {"turn\n  text Done.\n", "input-required final"},
		"in a retry's pause": {"turn\n  fail 503 UNAVAILABLE Overloaded.\nturn\n  hang\n", "working"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := setup{script: tt.script, isUnchecked: true}
			if name == "in a command" {
				set.options = func(o *Options) { o.Session.Project.ApprovalMode = "yolo" }
			}
			a := start(t, set)
			s := a.stream("message/stream", messageTo("", "Go"))
			s.until(tt.at)
			pid := 0
			if name == "in a command" {
				pid = processtest.AwaitPID(t, a.dir+"/pid")
			}
			result, failure := a.rpc("tasks/cancel", map[string]any{"id": s.task})
			if failure != nil {
				t.Fatalf("%+v", failure)
			}
			if task := a.parseTask(result); task.Status.State != "canceled" || *task.Status.Message.Parts[0].Text != "Task canceled by user request." {
				t.Errorf("%+v", task)
			}
			if tt.at != "input-required final" {
				if words := s.all(); !strings.HasSuffix(words, "\ncanceled final: Task canceled by user request.") {
					t.Errorf("the events are %s", words)
				}
			}
			if _, failure := a.rpc("tasks/cancel", map[string]any{"id": s.task}); failure == nil || failure.Code != -32002 {
				t.Errorf("again: %+v", failure)
			}
			if _, failure := a.rpc("message/send", messageTo(s.task, "More")); failure == nil || failure.Code != -32600 {
				t.Errorf("a message after the end: %+v", failure)
			}
			if pid != 0 {
				processtest.WaitUntil(t, "the command ends", func() bool { return !processtest.IsRunning(pid) })
			}
		})
	}
}

// TestGone checks that the run ends with the last client that follows it, that a later message goes on, and that another follower keeps
// it.
func TestGone(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: "turn\n  text Begun\n  hang\nturn\n  text Begun\n  hang\nturn\n  expect prompt More\n  text Yes.\n", isUnchecked: true})
	s := a.stream("message/stream", messageTo("", "Go"))
	s.until("text Begun")
	s.close()
	state := func() string {
		result, failure := a.rpc("tasks/get", map[string]any{"id": s.task})
		if failure != nil {
			t.Fatal(failure)
		}
		task := a.parseTask(result)
		text := task.Status.State
		if m := task.Status.Message; m != nil && m.Parts[0].Text != nil {
			text += ": " + *m.Parts[0].Text
		}
		return text
	}
	const aborted = "input-required: Execution aborted by client."
	processtest.WaitUntil(t, "the run ends", func() bool { return state() == aborted })

	s = a.stream("message/stream", messageTo(s.task, "Again"))
	s.until("text Begun")
	other := a.stream("tasks/resubscribe", map[string]any{"id": s.task})
	if e := other.next(); e.task == nil || e.task.Status.State != "working" {
		t.Errorf("%+v", e)
	}
	task, err := a.tasks().find(s.task)
	if err != nil {
		t.Fatal(err)
	}
	s.close()
	processtest.WaitUntil(t, "one client is left", func() bool {
		task.mu.Lock()
		defer task.mu.Unlock()
		return len(task.followers) == 1
	})
	if got := state(); got != "working: Begun" {
		t.Errorf("the state is %s while another client follows", got)
	}
	other.close()
	processtest.WaitUntil(t, "the run ends", func() bool { return state() == aborted })
	if _, words := a.say(s.task, "More"); words != "working\ntext Yes.\ninput-required final" {
		t.Errorf("the next turn: %s", words)
	}
}

// TestDetached checks that a run for which no client waits does not end with a connection.
func TestDetached(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: "turn\n  text Begun\n  hang\n", isUnchecked: true})
	p := messageTo("", "Go")
	p["configuration"] = map[string]any{"blocking": false}
	result, _ := a.rpc("message/send", p)
	id := a.parseTask(result).ID
	s := a.stream("tasks/resubscribe", map[string]any{"id": id})
	s.next()
	s.close()
	task, err := a.tasks().find(id)
	if err != nil {
		t.Fatal(err)
	}
	processtest.WaitUntil(t, "no client is left", func() bool {
		task.mu.Lock()
		defer task.mu.Unlock()
		return len(task.followers) == 0
	})
	if now := task.snapshot(nil); now.Status.State != schema.Working {
		t.Errorf("%+v", now.Status)
	}
}

// TestSlowClient checks that a client that does not read its events is left, and delays no other.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	slow := newFollower(json.RawMessage("1"), false, false, 2000)
	other := newFollower(json.RawMessage("2"), true, false, maxWaiting)
	task := newTask(&server{Options: Options{}}, "", "/", schema.Settings{})
	task.followers[slow], task.followers[other] = true, true
	task.mu.Lock()
	for i := range 100 {
		task.publish(&schema.StatusUpdate{TaskID: task.id, Status: schema.Status{State: schema.Working}, Metadata: schema.Metadata{"n": i}})
	}
	task.mu.Unlock()
	if events, _, isSlow := slow.take(); !isSlow || len(events) != 0 {
		t.Errorf("%d events, %v", len(events), isSlow)
	}
	if events, _, isSlow := other.take(); isSlow || len(events) != 100 || !strings.HasPrefix(string(events[0]), `{"jsonrpc":"2.0","id":2,"result":{"statusUpdate":{`) {
		t.Errorf("%d events, %v, %.100s", len(events), isSlow, events[0])
	}
}

// TestUnread checks with real connections that a client which never reads does not delay another one, and that its stream is cut.
func TestUnread(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 300_000 {
		fmt.Fprint(&long, i, " ")
	}
	a := start(t, setup{script: "turn\n  text " + long.String() + "\n  hang\nturn\n  text Yes.\n", isUnchecked: true, options: func(o *Options) { o.limits.waiting = 1 << 20 }})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp := a.open(ctx, http.MethodPost, "/", requestOf("message/stream", messageTo("", "Go")), nil)
	defer resp.Body.Close()
	processtest.WaitUntil(t, "the client is left", func() bool {
		for _, task := range a.tasks().all() {
			if now := task.snapshot(new(int)); now.Status.State == schema.InputRequired {
				return *now.Status.Message.Parts[0].Text == "Execution aborted by client."
			}
		}
		return false
	})
	if _, words := a.say("", "Go"); !strings.HasSuffix(words, "text Yes.\ninput-required final") {
		t.Errorf("the other client: %s", words)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Error("the stream ends as if it were complete")
	}
}

// tasks returns the tasks of the server.
func (a *testAgent) tasks() *tasks { return a.running.Load().tasks }

// TestMetadata checks the descriptions of tasks.
func TestMetadata(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: "turn\n  text Yes.\n"})
	if status, _ := a.do(http.MethodGet, "/tasks/metadata", ""); status != http.StatusNoContent {
		t.Errorf("without tasks: %d", status)
	}
	status, text := a.do(http.MethodPost, "/tasks", `{"contextId":"C","agentSettings":{"kind":"agent-settings","workspacePath":`+fmt.Sprintf("%q", a.dir)+`}}`)
	var id string
	if err := json.Unmarshal([]byte(text), &id); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s", status, text)
	}
	_, text = a.do(http.MethodGet, "/tasks/"+id+"/metadata", "")
	var one struct{ Metadata metadata }
	strict(t, []byte(text), &one)
	m := one.Metadata
	if m.ID != id || m.ContextID != "C" || m.State != "submitted" || m.Model != "gemini-2.5-flash" || m.Servers == nil || len(m.Tools) < 10 || m.Tools[0].Description == "" || m.Tools[0].Schema == nil {
		t.Errorf("%s", text)
	}
	for _, tool := range m.Tools {
		if tool.Name == "ask_user" {
			t.Error("the model can ask for typed answers, which clients do not have")
		}
	}
	if status, text := a.do(http.MethodGet, "/tasks/none/metadata", ""); status != http.StatusNotFound || text != `{"error":"Task not found"}` {
		t.Errorf("%d %s", status, text)
	}
	if _, words := a.say(id, "Go"); words != "working\ntext Yes.\ninput-required final" {
		t.Errorf("the first turn: %s", words)
	}
	_, failure := a.rpc("message/send", with(messageTo(id, "Go"), "message", with(messageTo(id, "Go")["message"].(map[string]any), "contextId", "D")))
	if failure == nil || failure.Code != -32602 {
		t.Errorf("another context: %+v", failure)
	}
}

// TestEarlyText checks that a text joins a turn whose session is not open yet.
func TestEarlyText(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: "turn\n  times always\n  text Yes.\n"})
	_, text := a.do(http.MethodPost, "/tasks", "{}")
	task, err := a.tasks().find(strings.Trim(text, `"`))
	if err != nil {
		t.Fatal(err)
	}
	task.token <- struct{}{} // as while a session opens
	s := a.stream("message/stream", messageTo(task.id, "One"))
	s.until("working")
	p := messageTo(task.id, "Two")
	p["configuration"] = map[string]any{"blocking": false}
	if _, failure := a.rpc("message/send", p); failure != nil {
		t.Error(failure)
	}
	<-task.token
	// The first request has the text if it is there in time, else the next one of the turn.
	words, requests := s.all(), a.model.Requests()
	if want := "working\n" + strings.Repeat("text Yes.\n", len(requests)) + "input-required final"; words != want {
		t.Errorf("%d requests: %s", len(requests), words)
	}
	if last := string(requests[len(requests)-1].Body); !strings.Contains(last, `"One"`) || !strings.Contains(last, "Two") {
		t.Errorf("the last request: %s", last)
	}
}
