package acp_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// TestNewErrors checks the errors for places where no session can work.
func TestNewErrors(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  text Hi.\n", files: map[string]string{"a.txt": ""}})
	servers := func(list ...any) map[string]any { return map[string]any{"cwd": e.dir, "mcpServers": list} }
	for name, params := range map[string]any{
		"relative":              map[string]any{"cwd": "work", "mcpServers": []any{}},
		"missing":               map[string]any{"cwd": e.dir + "/none", "mcpServers": []any{}},
		"a file":                map[string]any{"cwd": e.dir + "/a.txt", "mcpServers": []any{}},
		"no directory":          map[string]any{"mcpServers": []any{}},
		"a number":              map[string]any{"cwd": 7, "mcpServers": []any{}},
		"a list":                []any{},
		"nothing":               nil,
		"additional":            map[string]any{"cwd": e.dir, "additionalDirectories": []any{"x"}},
		"a server of a client":  servers(map[string]any{"type": "acp", "name": "x", "id": "1"}),
		"a server without name": servers(map[string]any{"command": "x"}),
		"a server of nothing":   servers(map[string]any{"name": "x"}),
	} {
		if f := e.fails(-32602, "session/new", params); f.Message == "" || len(f.Data) == 0 {
			t.Errorf("%s: %v", name, f)
		}
	}
	e.fails(-32601, "session/fork", map[string]any{})
	e.fails(-32002, "session/prompt", prompt("none", "Hi"))
	e.fails(-32002, "session/load", map[string]any{"sessionId": uuid.NewString(), "cwd": e.dir, "mcpServers": []any{}})
	e.fails(-32002, "session/close", map[string]any{"sessionId": "none"})
	e.ok("session/delete", map[string]any{"sessionId": "none"})
	e.fails(-32602, "session/list", map[string]any{"cursor": "x"})
	id := e.open()
	for name, blocks := range map[string][]any{
		"empty": {}, "blank": {text(" ")}, "unknown": {map[string]any{"type": "video"}}, "no base64": {map[string]any{"type": "image", "data": "?", "mimeType": "image/png"}},
		"no resource": {map[string]any{"type": "resource"}},
	} {
		if f := e.fails(-32602, "session/prompt", prompt(id, blocks...)); !strings.Contains(f.Message, "prompt") {
			t.Errorf("%s: %v", name, f)
		}
	}
	if stop := e.ask(id, "Hi"); stop != "end_turn" {
		t.Error(stop)
	}
}

// TestBeforeInitialize checks that requests before initialize are refused, and that initialize can come again.
func TestBeforeInitialize(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{isRaw: true})
	e.fails(-32600, "session/new", map[string]any{"cwd": e.dir, "mcpServers": []any{}})
	e.fails(-32602, "initialize", map[string]any{})
	e.fails(-32602, "initialize", map[string]any{"protocolVersion": "1"})
	for _, version := range []int{1, 2, 0} {
		if got := e.ok("initialize", map[string]any{"protocolVersion": version, "clientCapabilities": nil, "clientInfo": nil, "unknown": 1})["protocolVersion"]; got != 1.0 {
			t.Errorf("version %v", got)
		}
	}
}

// TestTwoDirectories opens sessions in two projects on one connection. Each has its own settings, memory and .env, and the
// directory of the process has no part in them.
func TestTwoDirectories(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: `
turn
  expect prompt One
  expect anywhere Speak of herons.
  expect not anywhere Speak of owls.
  call run_shell_command {"command": "pwd > place.txt; echo $WORD >> place.txt"}
turn
  text One.
turn
  expect prompt Two
  expect anywhere Speak of owls.
  expect not anywhere Speak of herons.
  call run_shell_command {"command": "pwd > place.txt; echo $WORD >> place.txt"}
turn
  text Two.
`})
	other := filepath.Join(filepath.Dir(e.dir), "other")
	for dir, bird := range map[string]string{e.dir: "herons", other: "owls"} {
		e.write(dir+"/GEMINI.md", "Speak of "+bird+".")
		e.write(dir+"/.gemini/settings.json", `{"general": {"defaultApprovalMode": "`+map[string]string{"herons": "default", "owls": "plan"}[bird]+`"}}`)
		e.write(dir+"/.env", "WORD="+bird+"\n")
	}
	e.onAsk = func(_ string, params map[string]any) any {
		if call := params["toolCall"].(map[string]any); strings.HasPrefix(call["toolCallId"].(string), "question-") {
			return selects("option_1")
		}
		return selects("proceed_once")
	}
	link := filepath.Join(filepath.Dir(e.dir), "link")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	one := e.ok("session/new", map[string]any{"cwd": e.dir, "mcpServers": []any{}})
	two := e.ok("session/new", map[string]any{"cwd": link, "mcpServers": []any{}})
	for _, s := range []struct {
		state map[string]any
		mode  string
	}{{one, "default"}, {two, "plan"}} {
		if got := s.state["modes"].(map[string]any)["currentModeId"]; got != s.mode {
			t.Errorf("the mode is %v, want %s", got, s.mode)
		}
	}
	e.ok("session/set_mode", map[string]any{"sessionId": two["sessionId"], "modeId": "default"})
	e.ask(one["sessionId"].(string), "One")
	e.ask(two["sessionId"].(string), "Two")
	for dir, bird := range map[string]string{e.dir: "herons", other: "owls"} {
		got, err := os.ReadFile(dir + "/place.txt")
		if want := dir + "\n"; err != nil || !strings.HasPrefix(string(got), want) {
			t.Errorf("the command for %s ran in %q, %v; %s", bird, got, err, e.takeSeen())
		}
	}
}

// TestReplay loads a session: the client gets all that it got before, and the model goes on with it.
func TestReplay(t *testing.T) {
	t.Parallel()
	s := setup{script: `
turn
  think **Look** I read it first.
  text I rename it.
  call replace {"file_path": "main.go", "instruction": "rename", "old_string": "old", "new_string": "new"}
  call write_todos {"todos": [{"description": "Rename", "status": "completed"}, {"description": "Test", "status": "in_progress"}]}
turn
  call run_shell_command {"command": "echo heron"}
turn
  text Done.
turn
  expect prompt And now?
  expect anywhere I rename it.
  text The same.
turn
  text Still.
`, files: map[string]string{"main.go": "package old\n"}}
	e := newEditor(t, s)
	e.onAsk = func(string, map[string]any) any { return selects("proceed_once") }
	id := e.open()
	e.ask(id, "Rename it")
	live, ids := calls(e), e.messageIDs()
	texts := e.said()
	e.ok("session/close", map[string]any{"sessionId": id})
	e.fails(-32002, "session/prompt", prompt(id, "closed"))

	list := e.ok("session/list", map[string]any{})["sessions"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["sessionId"] != id || list[0].(map[string]any)["cwd"] != e.dir || list[0].(map[string]any)["title"] != "Rename it" {
		t.Errorf("the sessions are %v", list)
	}
	if list := e.ok("session/list", map[string]any{"cwd": e.home})["sessions"].([]any); len(list) != 0 {
		t.Errorf("elsewhere there are %v", list)
	}

	e.forget()
	state := e.ok("session/load", map[string]any{"sessionId": id, "cwd": e.dir, "mcpServers": []any{}})
	if state["sessionId"] != nil || state["modes"] == nil || state["models"] == nil || state["configOptions"] == nil {
		t.Errorf("the state is %v", state)
	}
	if again := calls(e); !reflect.DeepEqual(again, live) {
		t.Errorf("the calls are\n%v\nand were\n%v", strings.Join(again, "\n"), strings.Join(live, "\n"))
	}
	known := e.messageIDs()
	delete(known, "user_message_chunk Rename it")
	if !reflect.DeepEqual(known, ids) || len(ids) != 3 {
		t.Errorf("the ids of messages are\n%v\nand were\n%v", known, ids)
	}
	if e.said() != texts {
		t.Errorf("the answer is %q, and was %q", e.said(), texts)
	}
	want := `user_message_chunk Rename it
agent_thought_chunk **Look**
I read it first.

agent_message_chunk I rename it.
tool_call completed
tool_call completed
tool_call completed
agent_message_chunk Done.
plan`
	if got := e.takeSeen(); got != want {
		t.Errorf("the messages are\n%s\nwant\n%s", got, want)
	}
	if plan := e.kinds("plan"); len(plan) != 1 || len(plan[0]["entries"].([]any)) != 2 {
		t.Errorf("the plan is %v", plan)
	}
	e.ask(id, "And now?")

	e.forget()
	e.ok("session/resume", map[string]any{"sessionId": id, "cwd": e.dir})
	if got := e.takeSeen(); got != "" {
		t.Errorf("a resumed session begins with %s", got)
	}
	e.ask(id, "Once more")
	for text, id := range e.messageIDs() {
		if slices.Contains(slices.Collect(maps.Values(ids)), id) {
			t.Errorf("%s has the id %s of an earlier message", text, id)
		}
	}
	e.ok("session/delete", map[string]any{"sessionId": id})
	if list := e.ok("session/list", map[string]any{})["sessions"].([]any); len(list) != 0 {
		t.Errorf("the sessions are %v", list)
	}
	e.fails(-32002, "session/load", map[string]any{"sessionId": id, "cwd": e.dir, "mcpServers": []any{}})
}

// messageIDs returns the ids of messages, by their kinds and texts.
func (e *editor) messageIDs() map[string]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	ids := map[string]string{}
	texts := map[string]string{}
	for _, u := range e.updates {
		kind := u["sessionUpdate"].(string) + " "
		if id, _ := u["messageId"].(string); id != "" {
			delete(ids, kind+texts[kind+id])
			texts[kind+id] += textOf(u)
			ids[kind+texts[kind+id]] = id
		} else if strings.HasSuffix(kind, "_chunk ") {
			e.t.Errorf("no messageId: %v", u)
		}
	}
	return ids
}

// forget forgets all updates until now.
func (e *editor) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates, e.log = nil, nil
}

// calls returns the calls of a session as they are at the end.
func calls(e *editor) (list []string) {
	byID := map[string]map[string]any{}
	var order []string
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.updates {
		id, _ := u["toolCallId"].(string)
		if id == "" {
			continue
		}
		if byID[id] == nil {
			byID[id] = map[string]any{}
			order = append(order, id)
		}
		for name, value := range u {
			if name != "sessionUpdate" {
				byID[id][name] = value
			}
		}
	}
	for _, id := range order {
		list = append(list, fmt.Sprint(byID[id]))
	}
	return list
}

// TestPages lists more sessions than an answer has.
func TestPages(t *testing.T) {
	t.Parallel()
	const many = 120
	e := newEditor(t, setup{script: "turn\n  text Hi.\n"})
	id := e.open()
	e.ask(id, "Hi")
	e.ok("session/close", map[string]any{"sessionId": id})
	files, err := filepath.Glob(e.home + "/.gemini/tmp/*/chats/*.json*")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for range many - 1 {
		next := uuid.NewString()
		name := strings.Replace(filepath.Base(files[0]), id[28:], next[28:], 1)
		e.write(filepath.Join(filepath.Dir(files[0]), name), strings.ReplaceAll(string(text), id, next))
	}
	seen := map[any]bool{}
	var cursor any
	for range 3 {
		params := map[string]any{"cwd": e.dir}
		if cursor != nil {
			params["cursor"] = cursor
		}
		page := e.ok("session/list", params)
		for _, s := range page["sessions"].([]any) {
			seen[s.(map[string]any)["sessionId"]] = true
		}
		if cursor = page["nextCursor"]; cursor == nil {
			break
		}
	}
	if len(seen) != many || cursor != nil {
		t.Errorf("%d sessions, cursor %v", len(seen), cursor)
	}
}

// TestOpenElsewhere loads a session that another process has open.
func TestOpenElsewhere(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  text Hi.\nturn\n  text Again.\n"})
	id := e.open()
	e.ask(id, "Hi")
	e.ok("session/load", map[string]any{"sessionId": id, "cwd": e.dir, "mcpServers": []any{}}) // the same client
	if stop := e.ask(id, "Hi"); stop != "end_turn" {
		t.Error(stop)
	}
	if _, err := e.call("session/load", map[string]any{"sessionId": id, "cwd": e.home, "mcpServers": []any{}}); err == nil {
		t.Error("a session of another directory is loaded")
	} else if f, _ := errors.AsType[*failure](err); !strings.Contains(f.Message, e.dir) {
		t.Error(err)
	}
}
