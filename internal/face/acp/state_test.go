package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"pollux/internal/face/acp"
	"pollux/internal/process/processtest"
)

// current returns the mode and the model in a list of options.
func current(options any) string {
	s := ""
	for _, o := range options.([]any) {
		s += fmt.Sprint(o.(map[string]any)["currentValue"], " ")
	}
	return s
}

// TestState changes mode and model in all ways. The old and the new form of both stay equal, and the client hears of each change.
func TestState(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  expect model gemini-2.5-pro\n  text Hi.\n", settings: `{"tools": {"sandbox": false}, "security": {"disableYoloMode": true}}`})
	state := e.ok("session/new", map[string]any{"cwd": e.dir, "mcpServers": []any{}})
	id := state["sessionId"].(string)
	modes, models := state["modes"].(map[string]any), state["models"].(map[string]any)
	list := ""
	for _, m := range modes["availableModes"].([]any) {
		m := m.(map[string]any)
		list += fmt.Sprint(m["id"], "=", m["name"], " ")
	}
	if list != "default=Default autoEdit=Auto Edit plan=Plan " {
		t.Errorf("the modes are %s", list)
	}
	if got, want := current(state["configOptions"]), fmt.Sprint(modes["currentModeId"], " ", models["currentModelId"], " "); got != want || want != "default gemini-2.5-flash " {
		t.Errorf("the options are %s, modes and models %s", got, want)
	}
	last := func() string {
		updates := e.kinds("config_option_update")
		return current(updates[len(updates)-1]["configOptions"])
	}
	hears := func(state string) {
		t.Helper()
		processtest.WaitUntil(t, "the client hears of "+state, func() bool { return len(e.kinds("config_option_update")) > 0 && last() == state })
	}
	e.ok("session/set_mode", map[string]any{"sessionId": id, "modeId": "autoEdit"})
	hears("autoEdit gemini-2.5-flash ")
	e.ok("session/set_model", map[string]any{"sessionId": id, "modelId": "gemini-2.5-pro"})
	result := e.ok("session/set_config_option", map[string]any{"sessionId": id, "configId": "mode", "value": "plan"})
	if got := current(result["configOptions"]); got != "plan gemini-2.5-pro " {
		t.Errorf("the options are %s", got)
	}
	hears("plan gemini-2.5-pro ")
	e.ask(id, "/mode default")
	hears("default gemini-2.5-pro ")
	e.ask(id, "Hi")
	for _, wrong := range []struct{ method, name, value string }{
		{"session/set_mode", "modeId", "none"}, {"session/set_mode", "modeId", "yolo"}, {"session/set_model", "modelId", "openai/x"},
	} {
		e.fails(-32602, wrong.method, map[string]any{"sessionId": id, wrong.name: wrong.value})
	}
	if f := e.fails(-32602, "session/set_mode", map[string]any{"sessionId": id, "modeId": "auto"}); !strings.Contains(f.Message, "There is no mode auto. The modes are default, autoEdit, ") {
		t.Error(f.Message) // with the ids that the client has
	}
	e.fails(-32602, "session/set_config_option", map[string]any{"sessionId": id, "configId": "effort", "value": "high"})
	e.fails(-32602, "session/set_config_option", map[string]any{"sessionId": id, "configId": "mode", "value": true, "type": "boolean"})
	e.fails(-32002, "session/set_mode", map[string]any{"sessionId": "none", "modeId": "default"})
	if got := last(); got != "default gemini-2.5-pro " || len(e.kinds("current_mode_update")) != 3 {
		t.Errorf("the last update is %s; %v", got, e.kinds("current_mode_update"))
	}
}

// TestModelInTurn chooses a model during a turn. It answers from the next one on.
func TestModelInTurn(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  expect model gemini-2.5-flash\n  text Hm.\n  hang\nturn\n  expect model gemini-2.5-pro\n  text Hi.\n"})
	id := e.open()
	wait := e.begin("session/prompt", prompt(id, "Go"))
	e.await("agent_message_chunk Hm.")
	result := e.ok("session/set_config_option", map[string]any{"sessionId": id, "configId": "model", "value": "gemini-2.5-pro"})
	if got := current(result["configOptions"]); got != "default gemini-2.5-pro " {
		t.Errorf("the options are %s", got)
	}
	e.notify("session/cancel", map[string]any{"sessionId": id})
	if _, err := wait(); err != nil {
		t.Error(err)
	}
	e.ask(id, "Hi")
}

// TestPlan approves a plan: the question has the plan and the modes to go on with, and the client hears of the new mode.
func TestPlan(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{"proceed_always": "autoEdit", "proceed_once": "default", "cancel": "plan"} {
		t.Run(answer, func(t *testing.T) {
			t.Parallel()
			script := "turn\n  call write_file {\"file_path\": \"plans/plan.md\", \"content\": \"# Rename all\"}\nturn\n  call exit_plan_mode {\"plan_filename\": \"plan.md\"}\n"
			if answer != "cancel" {
				script += "turn\n  text Begun.\n"
			} else {
				script += "turn\n  text Then not.\n"
			}
			e := newEditor(t, setup{script: script, settings: `{"tools": {"sandbox": false}, "general": {"defaultApprovalMode": "plan", "plan": {"directory": "plans"}}}`})
			var asked map[string]any
			e.onAsk = func(_ string, params map[string]any) any {
				asked = params
				return selects(answer)
			}
			id := e.open()
			e.ask(id, "Plan it")
			if asked == nil {
				t.Fatalf("nothing was asked; %s; %v", e.takeSeen(), e.kinds("tool_call_update"))
			}
			if call := asked["toolCall"].(map[string]any); call["kind"] != "switch_mode" || !strings.Contains(fmt.Sprint(call["content"]), "# Rename all") {
				t.Errorf("asked %v", call)
			}
			state := e.ok("session/set_config_option", map[string]any{"sessionId": id, "configId": "model", "value": "gemini-2.5-flash"})
			if got := current(state["configOptions"]); got != want+" gemini-2.5-flash " {
				t.Errorf("the options are %s", got)
			}
			if n := len(e.kinds("current_mode_update")); (n == 1) != (want != "plan") {
				t.Errorf("%d updates", n)
			}
		})
	}
}

// TestEffort chooses how much a model thinks, which counts from the next request on and for this model only.
func TestEffort(t *testing.T) {
	t.Parallel()
	e := newEditor(t, setup{script: "turn\n  times always\n  text Hi.\n", isNew: true, options: func(o *acp.Options) { o.Session.Project.Model = "gemini-3.1-pro-preview" }})
	e.onAsk = func(string, map[string]any) any { return selects("trust") }
	state := e.ok("session/new", map[string]any{"cwd": e.dir, "mcpServers": []any{}})
	id := state["sessionId"].(string)
	options := state["configOptions"].([]any)
	if got := current(state["configOptions"]); got != "default gemini-3.1-pro-preview default " {
		t.Fatalf("the options are %s", got)
	}
	effort := options[2].(map[string]any)
	values := ""
	for _, v := range effort["options"].([]any) {
		values += fmt.Sprint(v.(map[string]any)["value"], "=", v.(map[string]any)["name"], " ")
	}
	if effort["category"] != "thought_level" || effort["type"] != "select" || values != "default=Default low=Low medium=Medium high=High " {
		t.Errorf("the option is %v", effort)
	}
	set := func(option, value string) string {
		return current(e.ok("session/set_config_option", map[string]any{"sessionId": id, "configId": option, "value": value})["configOptions"])
	}
	level := func() string {
		t.Helper()
		e.ask(id, "Hi")
		requests := e.model.Requests()
		_, rest, _ := strings.Cut(string(requests[len(requests)-1].Body), `"thinkingLevel":"`)
		level, _, _ := strings.Cut(rest, `"`)
		return level
	}
	if got := set("effort", "low"); got != "default gemini-3.1-pro-preview low " {
		t.Errorf("the options are %s", got)
	}
	e.await("config_option_update") // behind the answer
	updates := e.kinds("config_option_update")
	if len(updates) != 1 || current(updates[0]["configOptions"]) != "default gemini-3.1-pro-preview low " {
		t.Errorf("the updates are %v", updates)
	}
	if got := level(); got != "LOW" { // the session opens again, because the folder is trusted now
		t.Errorf("the level is %q", got)
	}
	if got := set("effort", "default"); got != "default gemini-3.1-pro-preview default " || level() != "HIGH" {
		t.Errorf("the options are %s", got)
	}
	set("effort", "low")
	if f := e.fails(-32602, "session/set_config_option", map[string]any{"sessionId": id, "configId": "effort", "value": "max"}); !strings.Contains(f.Message, "It has low, medium, high.") {
		t.Error(f.Message)
	}
	if got := set("model", "gemini-2.5-flash"); got != "default gemini-2.5-flash " || level() != "" {
		t.Errorf("the options of another model are %s", got)
	}
	e.fails(-32602, "session/set_config_option", map[string]any{"sessionId": id, "configId": "effort", "value": "low"})
	if got := set("model", "gemini-3.1-pro-preview"); got != "default gemini-3.1-pro-preview low " || level() != "LOW" {
		t.Errorf("the options are %s", got)
	}
}
