package acceptance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// serveRequests answers the requests of the program until the turn with this id ends. It returns the methods.
func (e *editor) serveRequests(id int, answer func(method string, params map[string]any) any) (methods []string) {
	e.t.Helper()
	for {
		m := e.next()
		method, _ := m["method"].(string)
		switch {
		case method == "" && m["id"] == float64(id):
			if result, _ := m["result"].(map[string]any); result["stopReason"] != "end_turn" {
				e.t.Errorf("the turn ends with %v", m)
			}
			return methods
		case m["id"] != nil && method != "":
			methods = append(methods, method)
			params, _ := m["params"].(map[string]any)
			e.answer(m["id"], answer(method, params))
		}
	}
}

// TestEditorTerminal runs a command in a terminal of the editor, with the program, if the settings say so.
func TestEditorTerminal(t *testing.T) {
	t.Parallel()
	for _, isOn := range []bool{true, false} {
		t.Run(fmt.Sprint(isOn), func(t *testing.T) {
			t.Parallel()
			e := newEditorProcess(t, "turn\n  call run_shell_command {\"command\": \"echo $PLACE\"}\nturn\n  expect result run_shell_command Output: "+
				map[bool]string{true: "editor", false: "pollux"}[isOn]+"\n  text Done.\n")
			settings := fmt.Sprintf(`{"tools": {"sandbox": false, "allowed": ["run_shell_command"]}, "pollux": {"acp": {"terminal": %v}}}`, isOn)
			if err := os.WriteFile(filepath.Join(e.cmd.Dir, ".gemini", "settings.json"), []byte(settings), 0o600); err != nil {
				t.Fatal(err)
			}
			e.cmd.Env = append(e.cmd.Env, "PLACE=pollux")
			e.run()
			e.send(1, "initialize", `{"protocolVersion":1,"clientCapabilities":{"terminal":true}}`)
			session := e.send(2, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, e.dir))["result"].(map[string]any)["sessionId"]
			e.begin(3, "session/prompt", fmt.Sprintf(asksToWork, session))
			output := ""
			methods := e.serveRequests(3, func(method string, params map[string]any) any {
				switch method {
				case "terminal/create":
					var args []string
					for _, a := range params["args"].([]any) {
						args = append(args, a.(string))
					}
					if strings.Contains(fmt.Sprint(params["env"]), "test-key") {
						t.Errorf("the editor gets the key: %v", params["env"])
					}
					c := exec.Command(params["command"].(string), args...)
					c.Env = []string{"PLACE=editor"}
					out, err := c.CombinedOutput()
					if err != nil {
						t.Error(err)
					}
					output = string(out)
					return map[string]any{"terminalId": "one"}
				case "terminal/output":
					return map[string]any{"output": output, "truncated": false}
				case "terminal/wait_for_exit":
					return map[string]any{"exitCode": 0}
				}
				return map[string]any{}
			})
			if got := slices.Contains(methods, "terminal/create"); got != isOn {
				t.Errorf("the editor got %q", methods)
			}
			e.in.Close()
			for e.out.Scan() {
				methods = append(methods, e.out.Text())
			}
			if err := e.cmd.Wait(); err != nil || isOn && !strings.Contains(strings.Join(methods, " "), "terminal/release") {
				t.Errorf("the program ends with %v; the editor got %q", err, methods)
			}
		})
	}
}

// TestEditorForm has the model ask a question with a form of the editor, with the program.
func TestEditorForm(t *testing.T) {
	t.Parallel()
	e := startEditor(t, "turn\n  call ask_user {\"questions\": [{\"question\": \"Which bird?\", \"header\": \"Bird\", \"type\": \"text\"}]}\nturn\n  expect result ask_user heron\n  text Done.\n")
	e.send(1, "initialize", `{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}`)
	session := e.send(2, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, e.dir))["result"].(map[string]any)["sessionId"]
	e.begin(3, "session/prompt", fmt.Sprintf(asksToWork, session))
	methods := e.serveRequests(3, func(string, map[string]any) any {
		return map[string]any{"action": "accept", "content": map[string]any{"answer_01": "heron"}}
	})
	if !slices.Equal(methods, []string{"elicitation/create"}) {
		t.Errorf("the editor got %q", methods)
	}
}
