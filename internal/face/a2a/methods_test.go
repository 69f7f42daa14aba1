package a2a

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	client "pollux/internal/a2a"
)

// TestErrors checks the codes of errors.
func TestErrors(t *testing.T) {
	t.Parallel()
	a := start(t, setup{})
	send := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"message/send","params":` + params + `}`
	}
	of := func(method, params string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	}
	for body, want := range map[string]int{
		"":                           -32700,
		"{":                          -32700,
		"{} {}":                      -32700,
		"\xff":                       -32700,
		"[]":                         -32600,
		`[{"jsonrpc":"2.0","id":1}]`: -32600,
		"null":                       -32600,
		"7":                          -32600,
		"{}":                         -32600,
		`{"jsonrpc":"1.0","id":1,"method":"tasks/get"}`:                -32600,
		`{"jsonrpc":"2.0","method":"tasks/get"}`:                       -32600,
		`{"jsonrpc":"2.0","id":{},"method":"tasks/get"}`:               -32600,
		`{"jsonrpc":"2.0","id":1.5,"method":"tasks/get"}`:              -32600,
		`{"jsonrpc":"2.0","id":null,"method":"tasks/get"}`:             -32600,
		`{"jsonrpc":"2.0","id":1,"method":7}`:                          -32600,
		`{"jsonrpc":"2.0","id":1}`:                                     -32600,
		of("tasks/delete", "{}"):                                       -32601,
		of("", "{}"):                                                   -32600,
		`{"jsonrpc":"2.0","id":1,"method":"message/send"}`:             -32602,
		of("message/send", "[]"):                                       -32602,
		of("message/send", "{}"):                                       -32602,
		send(`{"message":{"role":"user","messageId":"m","parts":[]}}`): -32602,
		send(`{"message":{"role":"agent","messageId":"m","parts":[{"kind":"text","text":"x"}]}}`):                                                                      -32602,
		send(`{"message":{"role":"user","parts":[{"kind":"text","text":"x"}]}}`):                                                                                       -32602,
		send(`{"message":{"kind":"task","role":"user","messageId":"m","parts":[{"kind":"text","text":"x"}]}}`):                                                         -32602,
		send(`{"message":{"role":"user","messageId":"m","parts":[{"kind":"text"}]}}`):                                                                                  -32602,
		send(`{"message":{"role":"user","messageId":"m","parts":[{"kind":"data","text":"x"}]}}`):                                                                       -32602,
		send(`{"message":{"role":"user","messageId":"m","parts":[{"kind":"text","text":7}]}}`):                                                                         -32602,
		send(`{"message":{"role":"user","messageId":"m","parts":[{"kind":"text","text":"x"}]},"configuration":{"historyLength":-1}}`):                                  -32602,
		send(`{"message":{"role":"user","messageId":"m","parts":[{"kind":"text","text":"x"}],"metadata":{"coderAgent":{"kind":"agent-settings","workspacePath":7}}}}`): -32602,
		send(`{"message":{"role":"user","messageId":"` + strings.Repeat("m", 300) + `","parts":[{"kind":"text","text":"x"}]}}`):                                        -32602,
		send(`{"message":{"role":"user","messageId":"m","parts":[{"kind":"file","file":{"uri":"file:///etc/passwd"}}]}}`):                                              -32005,
		send(`{"message":{"role":"user","messageId":"m","parts":[{"url":"http://x"}]}}`):                                                                               -32005,
		send(`{"message":{"role":"user","messageId":"m","taskId":"none","parts":[{"kind":"text","text":"x"}]}}`):                                                       -32001,
		of("tasks/get", `{"id":"none"}`):               -32001,
		of("tasks/get", `{"id":7}`):                    -32602,
		of("tasks/get", `{}`):                          -32602,
		of("tasks/cancel", `{"id":"none"}`):            -32001,
		of("tasks/resubscribe", `{"id":"none"}`):       -32001,
		of("GetTask", `{"id":"none"}`):                 -32001,
		of("CancelTask", `{"id":"none"}`):              -32001,
		of("SubscribeToTask", `{"id":"none"}`):         -32001,
		of("ListTasks", `{}`):                          -32004,
		of("tasks/pushNotificationConfig/set", `{}`):   -32003,
		of("CreateTaskPushNotificationConfig", `{}`):   -32003,
		of("agent/getAuthenticatedExtendedCard", `{}`): -32007,
		of("GetExtendedAgentCard", `{}`):               -32007,
	} {
		resp := a.open(t.Context(), http.MethodPost, "/", body, func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=utf-8") })
		var got struct {
			Version string          `json:"jsonrpc"`
			ID      json.RawMessage `json:"id"`
			Error   *failed         `json:"error"`
		}
		err := json.NewDecoder(resp.Body).Decode(&got)
		resp.Body.Close()
		if status := map[bool]int{true: 400, false: 200}[want == -32700]; resp.StatusCode != status {
			t.Errorf("%.150s: status %d, want %d", body, resp.StatusCode, status)
		}
		id := "1"
		if want == -32700 || want == -32600 && !strings.Contains(body, `"id":1,`) && !strings.HasSuffix(body, `"id":1}`) || strings.HasPrefix(body, "[") {
			id = "null"
		}
		if err != nil || got.Error == nil || got.Error.Code != want || got.Error.Message == "" || string(got.ID) != id || got.Version != "2.0" {
			t.Errorf("%.150s: %v, %+v, id %s; want %d, id %s", body, err, got.Error, got.ID, want, id)
		}
	}
	if status, text := a.do(http.MethodGet, "/", ""); status != http.StatusNotFound {
		t.Errorf("GET /: %d %s", status, text)
	}
	for version, want := range map[string]int{"0.3": -32001, "0.3.0": -32001, "1.0": -32001, "1.3": -32001, "2.0": -32009, "0.2": -32009} {
		resp := a.open(t.Context(), http.MethodPost, "/", requestOf("GetTask", map[string]any{"id": "none"}), func(r *http.Request) { r.Header.Set("A2A-Version", version) })
		var got struct{ Error *failed }
		if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || got.Error == nil || got.Error.Code != want {
			t.Errorf("version %s: %v, %+v", version, err, got.Error)
		}
		resp.Body.Close()
	}
}

// TestNewVersion checks a turn with a question in version 1.0 of the protocol, message by message.
func TestNewVersion(t *testing.T) {
	t.Parallel()
	a := start(t, setup{script: scriptOf("result run_shell_command_1 ")})
	newMessage := func(task string, p map[string]any) map[string]any {
		return map[string]any{"message": map[string]any{"role": "ROLE_USER", "messageId": "m1", "taskId": task, "parts": []any{p}}}
	}
	stream := func(params any) (words []string, last map[string]any) {
		resp := a.open(t.Context(), http.MethodPost, "/", requestOf("SendStreamingMessage", params), func(r *http.Request) { r.Header.Set("A2A-Version", "1.0") })
		defer resp.Body.Close()
		var all bytes.Buffer
		if _, err := all.ReadFrom(resp.Body); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(all.String()) {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: ")
			if !ok {
				continue
			}
			result, failure := a.response([]byte(data))
			if failure != nil {
				t.Fatal(failure)
			}
			for _, old := range []string{`"kind":"text"`, `"kind":"data"`, `"kind":"message"`, `"kind":"task"`, `"final"`, `"role":"agent"`, `"role":"user"`, `"state":"working"`} {
				if bytes.Contains(result, []byte(old)) {
					t.Errorf("%s is of version 0.3: %s", old, result)
				}
			}
			var e struct {
				Task   map[string]any `json:"task"`
				Status *struct {
					TaskID    string         `json:"taskId"`
					ContextID string         `json:"contextId"`
					Status    statusView     `json:"status"`
					Metadata  map[string]any `json:"metadata"`
				} `json:"statusUpdate"`
				Output map[string]any `json:"artifactUpdate"`
			}
			strict(t, result, &e)
			switch {
			case e.Task != nil:
				last = e.Task
				words = append(words, "task "+e.Task["status"].(map[string]any)["state"].(string))
			case e.Status != nil:
				words = append(words, e.Status.Status.State)
			}
		}
		return words, last
	}
	words, task := stream(newMessage("", map[string]any{"text": "Go"}))
	if got := strings.Join(words, " "); got != "task TASK_STATE_SUBMITTED TASK_STATE_WORKING TASK_STATE_WORKING TASK_STATE_WORKING TASK_STATE_INPUT_REQUIRED" {
		t.Error(got)
	}
	id := task["id"].(string)
	words, _ = stream(newMessage(id, map[string]any{"data": answer("run_shell_command_1", "proceed_once")}))
	if got := strings.Join(words, " "); !strings.HasPrefix(got, "task TASK_STATE_INPUT_REQUIRED TASK_STATE_WORKING ") || !strings.HasSuffix(got, " TASK_STATE_WORKING TASK_STATE_INPUT_REQUIRED") {
		t.Error(got)
	}
	result, _ := a.rpc("GetTask", map[string]any{"id": id, "historyLength": 1})
	var bare struct {
		ID     string           `json:"id"`
		Status statusView       `json:"status"`
		List   []map[string]any `json:"history"`
	}
	if err := json.Unmarshal(result, &bare); err != nil || bare.ID != id || bare.Status.State != "TASK_STATE_INPUT_REQUIRED" || len(bare.List) != 1 || bare.List[0]["role"] != "ROLE_AGENT" {
		t.Errorf("%s, %v", result, err)
	}
	result, _ = a.rpc("CancelTask", map[string]any{"id": id})
	if err := json.Unmarshal(result, &bare); err != nil || bare.Status.State != "TASK_STATE_CANCELED" {
		t.Errorf("%s, %v", result, err)
	}
	if _, failure := a.rpc("SubscribeToTask", map[string]any{"id": id}); failure == nil || failure.Code != -32004 {
		t.Errorf("%+v", failure)
	}
	if _, failure := a.rpc("SendMessage", newMessage(id, map[string]any{"text": "x"})); failure == nil || failure.Code != -32004 {
		t.Errorf("%+v", failure)
	}
}

// TestPolluxCallsPollux checks that Pollux's own client, which calls remote agents, works with the server: its conversation goes on,
// it reads a question, and a text answers that.
func TestPolluxCallsPollux(t *testing.T) {
	t.Parallel()
	for _, hasToken := range []bool{false, true} {
		t.Run(fmt.Sprint(hasToken), func(t *testing.T) {
			t.Parallel()
			a := start(t, setup{script: `
turn
  expect prompt One
  text First answer.
turn
  expect prompt Two
  expect anywhere First answer.
  call run_shell_command {"command": "echo x > x"}
turn
  expect error run_shell_command_1 Not that.
  text Then not.
`, options: func(o *Options) {
				if hasToken {
					o.Token = "0123456789abcdef"
				}
			}})
			o := client.Options{Name: "other", CardURL: a.url + ".well-known/agent-card.json"}
			if hasToken {
				o.Auth = &client.Auth{Type: "http", Scheme: "Bearer", Token: "0123456789abcdef"}
			}
			agent := client.New(o)
			if text, err := agent.Describe(t.Context()); err != nil || !strings.Contains(text, "Code Generation: ") {
				t.Errorf("%q, %v", text, err)
			}
			for _, tt := range [][2]string{{"One", "First answer."}, {"Two", `"command":"echo x \u003e x"`}, {"Not that.", "Then not."}} {
				if got, err := agent.Send(t.Context(), tt[0], nil); err != nil || !strings.Contains(got, tt[1]) {
					t.Errorf("%s: %q, %v", tt[0], got, err)
				}
			}
		})
	}
}
