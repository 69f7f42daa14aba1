package acp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/mcp/mcptest"
)

// fillsForms are the capabilities of a client that shows forms.
var fillsForms = map[string]any{"elicitation": map[string]any{"form": map[string]any{}}}

// fills answers a form.
func fills(content map[string]any) any { return map[string]any{"action": "accept", "content": content} }

// TestForm has the model ask the person with a form of the editor.
func TestForm(t *testing.T) {
	t.Parallel()
	const questions = `{"questions": [
		{"question": "Which database?", "header": "Database", "type": "choice", "options": [{"label": "SQLite", "description": "a file"}, {"label": "Postgres", "description": "a server"}]},
		{"question": "Which parts?", "header": "Parts", "type": "choice", "multiSelect": true, "options": [{"label": "API", "description": "x"}, {"label": "UI", "description": "y"}]},
		{"question": "Which name?", "header": "Name", "type": "text", "placeholder": "heron"},
		{"question": "Shall it log?", "header": "Logs", "type": "yesno"}]}`
	for name, tt := range map[string]struct {
		answer any
		want   string // in the result
	}{
		"choices":             {fills(map[string]any{"answer_01": "Postgres", "answer_02": []any{"API", "UI"}, "answer_03": "stork", "answer_04": "Yes"}), `{"answers":{"0":"Postgres","1":"API, UI","2":"stork","3":"Yes"}}`},
		"own words":           {fills(map[string]any{"answer_01": "Postgres", "answer_01_other": "MySQL", "answer_02_other": "all", "answer_03": nil}), `{"answers":{"0":"MySQL","1":"all"}}`},
		"no answers":          {fills(nil), `{"answers":{}}`},
		"other types":         {fills(map[string]any{"answer_03": 7, "answer_04": true}), `{"answers":{"2":"7","3":"Yes"}}`},
		"an unknown choice":   {fills(map[string]any{"answer_01": "Oracle"}), "there is no choice"},
		"several choices":     {fills(map[string]any{"answer_01": []any{"SQLite", "Postgres"}}), "it has several choices"},
		"a broken answer":     {fills(map[string]any{"answer_03": map[string]any{"a": 1}}), "neither a text nor a list"},
		"a long answer":       {fills(map[string]any{"answer_03": strings.Repeat("x", 100_000)}), "longer than 64 KiB"},
		"an error":            {&failure{Code: -32601, Message: "Method not found"}, "Method not found"},
		"declined":            {map[string]any{"action": "decline"}, "declined to answer"},
		"cancelled":           {map[string]any{"action": "cancel"}, ""},
		"an unknown action":   {map[string]any{"action": "perhaps", "content": map[string]any{"answer_01": "SQLite"}}, ""},
		"an answer of a fool": {map[string]any{"approved": true}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := "turn\n  expect tool ask_user\n  call ask_user " + strings.Join(strings.Fields(questions), " ") + "\n"
			if tt.want != "" {
				script += "turn\n  text Done.\n"
			}
			e := newEditor(t, setup{script: script, can: fillsForms})
			var asked map[string]any
			e.onAsk = func(method string, params map[string]any) any {
				if method != "elicitation/create" {
					t.Errorf("the server sends %s", method)
				}
				asked = params
				return tt.answer
			}
			stop := e.ask(e.open(), "Go")
			if want := map[bool]string{true: "end_turn", false: "cancelled"}[tt.want != ""]; stop != want {
				t.Errorf("the turn ends with %s, want %s", stop, want)
			}
			requests := e.model.Requests()
			last := strings.ReplaceAll(string(requests[len(requests)-1].Body), `\"`, `"`)
			if !strings.Contains(last, tt.want) {
				t.Errorf("the model gets %s", last[strings.LastIndex(last, "functionResponse")-1:])
			}
			call := e.kinds("tool_call")[0]
			if asked["toolCallId"] != call["toolCallId"] || asked["mode"] != "form" || asked["message"] != "The model asks you" {
				t.Errorf("the editor is asked %v", asked)
			}
			fields := asked["requestedSchema"].(map[string]any)["properties"].(map[string]any)
			first, _ := json.Marshal(fields["answer_01"])
			if want := `{"description":"Which database?","oneOf":[{"const":"SQLite","description":"a file","title":"SQLite"},{"const":"Postgres","description":"a server","title":"Postgres"}],"title":"Database","type":"string"}`; string(first) != want {
				t.Errorf("the first field is %s, want %s", first, want)
			}
			if len(fields) != 6 || fields["answer_02"].(map[string]any)["type"] != "array" || fields["answer_02_other"] == nil || fields["answer_03_other"] != nil {
				t.Errorf("the fields are %v", fields)
			}
		})
	}
}

// TestFormCancel cancels a turn while the editor shows a form, which is withdrawn.
func TestFormCancel(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{can: fillsForms, script: "turn\n  call ask_user {\"questions\": [{\"question\": \"Which name?\", \"header\": \"Name\", \"type\": \"text\"}]}\nturn\n  times always\n  text Back.\n"})
	e.onAsk = func(string, map[string]any) any { return hang }
	id := e.open()
	wait := e.begin("session/prompt", prompt(id, "Go"))
	e.await("elicitation/create")
	e.notify("session/cancel", map[string]any{"sessionId": id})
	if result, err := wait(); err != nil || result["stopReason"] != "cancelled" {
		t.Errorf("%v, %v", result, err)
	}
	e.await("withdrawn")
	if stop := e.ask(id, "Again"); stop != "end_turn" {
		t.Errorf("the next turn ends with %s", stop)
	}
}

// TestPage has an MCP server offer a page, which the editor opens.
func TestPage(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcptest.New("asking", mcptest.Process{}) }, nil))
	t.Cleanup(service.Close)
	for _, action := range []string{"accept", "decline"} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			e := newEditor(t, setup{
				can:    map[string]any{"elicitation": map[string]any{"url": map[string]any{}}},
				script: "turn\n  expect not tool ask_user\n  call mcp_asking_page {\"url\": \"https://example.com/in?a=1\"}\nturn\n  text Done.\n",
			})
			var asked map[string]any
			e.onAsk = func(method string, params map[string]any) any {
				if method == "session/request_permission" {
					for _, o := range params["options"].([]any) {
						if option := o.(map[string]any); option["kind"] == "allow_once" {
							return selects(option["optionId"].(string))
						}
					}
				}
				asked = params
				return map[string]any{"action": action}
			}
			id := e.ok("session/new", map[string]any{"cwd": e.dir, "mcpServers": []any{map[string]any{"type": "http", "name": "asking", "url": service.URL, "headers": []any{}}}})["sessionId"].(string)
			if stop := e.ask(id, "Go"); stop != "end_turn" || asked["mode"] != "url" || asked["url"] != "https://example.com/in?a=1" || asked["message"] != "Open this page of example.com." {
				t.Errorf("the turn ends with %s, and the editor is asked %v", stop, asked)
			}
			done := asked["elicitationId"]
			switch {
			case action == "accept":
				e.await(fmt.Sprint("done ", done))
			case !strings.Contains(strings.Join(e.seen(), "\n"), "Open the page yourself: https://example.com/in?a=1"):
				t.Errorf("the person reads %q", e.seen())
			}
		})
	}
}

// TestServerForm has an MCP server of the editor ask the person: whether to answer, by a permission request, and then with a form,
// but for a secret.
func TestServerForm(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcptest.New("asking", mcptest.Process{}) }, nil))
	t.Cleanup(service.Close)
	for name, tt := range map[string]struct {
		schema string
		forms  int
		want   string // in the result
	}{
		"a form":   {`{"type":"object","properties":{"city":{"type":"string","title":"City"},"size":{"type":"string","enum":["small","big"]}},"required":["city"]}`, 1, `\"city\":\"Lima\"`},
		"a secret": {`{"type":"object","properties":{"password":{"type":"string","title":"Password"}},"required":["password"]}`, 0, `\"decline\"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEditor(t, setup{can: fillsForms, script: "turn\n  call mcp_asking_ask " + fmt.Sprintf(`{"message": "Where is it?", "schema": %s}`, tt.schema) + "\nturn\n  text Done.\n"})
			forms := 0
			e.onAsk = func(method string, params map[string]any) any {
				if method == "session/request_permission" {
					for _, o := range params["options"].([]any) {
						if option := o.(map[string]any); option["kind"] == "allow_once" {
							return selects(option["optionId"].(string))
						}
					}
				}
				forms++
				fields := params["requestedSchema"].(map[string]any)
				if message, _ := params["message"].(string); !strings.HasPrefix(message, `MCP server "asking" asks`) || fmt.Sprint(fields["required"]) == "[answer_01]" {
					t.Errorf("the editor is asked %v", params)
				}
				return fills(map[string]any{"answer_01": "Lima", "answer_02": "big"})
			}
			id := e.ok("session/new", map[string]any{"cwd": e.dir, "mcpServers": []any{map[string]any{"type": "http", "name": "asking", "url": service.URL, "headers": []any{}}}})["sessionId"].(string)
			if stop := e.ask(id, "Go"); stop != "end_turn" {
				t.Errorf("the turn ends with %s", stop)
			}
			requests := e.model.Requests()
			if last := string(requests[len(requests)-1].Body); forms != tt.forms || !strings.Contains(strings.ReplaceAll(last, `\\\"`, `\"`), tt.want) {
				t.Errorf("%d forms; the model gets %s", forms, last[strings.LastIndex(last, "functionResponse")-1:])
			}
		})
	}
}
