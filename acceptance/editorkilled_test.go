package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEditorKilled ends the program with a signal at different points of a turn. The session loads with the prompt and all calls whose end
// the editor had seen.
func TestEditorKilled(t *testing.T) {
	t.Parallel()
	script := ""
	for i := range 4 {
		script += fmt.Sprintf("turn\n  text Step %d.\n  call run_shell_command {\"command\": \"echo step %d\"}\n", i, i)
	}
	script += "turn\n  text Done.\n  hang\nturn\n  times always\n  text Never.\n"
	for _, last := range []int{1, 4, 8, 12, 16, 21} { // messages of the program before the signal
		t.Run(fmt.Sprint(last), func(t *testing.T) {
			t.Parallel()
			e := startEditor(t, script, "--yolo")
			id := e.open()
			e.begin(3, "session/prompt", fmt.Sprintf(asksToWork, id))
			ended := map[string]bool{}
			for range last {
				note := func(u map[string]any) {
					if u["status"] == "completed" {
						ended[fmt.Sprint(u["toolCallId"])] = true
					}
				}
				eachUpdate(e.next(), note)
			}
			_ = e.cmd.Process.Kill()
			_ = e.cmd.Wait()
			updates := e.loadAgain(id)
			for call := range ended {
				if !slices.ContainsFunc(updates, func(u map[string]any) bool { return u["toolCallId"] == call && u["status"] == "completed" }) {
					t.Errorf("the call %s is lost", call)
				}
			}
			if len(ended) > 0 && (len(updates) == 0 || !strings.Contains(fmt.Sprint(updates[0]), "Work")) {
				t.Errorf("the session begins with %v", updates)
			}
		})
	}
}

// eachUpdate passes the update in a message on.
func eachUpdate(m map[string]any, f func(update map[string]any)) {
	params, _ := m["params"].(map[string]any)
	if update, ok := params["update"].(map[string]any); ok {
		f(update)
	}
}

// loadAgain loads a session in another process, and returns its updates.
func (e *editor) loadAgain(id string) (updates []map[string]any) {
	e.t.Helper()
	again := exec.Command(e.cmd.Path, "--acp")
	again.Env, again.Dir = e.cmd.Env, e.cmd.Dir
	again.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n" +
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":%q,"cwd":%q,"mcpServers":[]}}`, id, e.dir) + "\n")
	out, err := again.Output()
	if err != nil {
		e.t.Errorf("the program ends with %v", err)
	}
	for line := range bytes.Lines(out) {
		var m map[string]any
		if err := json.Unmarshal(line, &m); err != nil {
			e.t.Fatalf("no message: %s", line)
		}
		eachUpdate(m, func(u map[string]any) { updates = append(updates, u) })
	}
	return updates
}

// TestEditorAtOnce initializes a connection where a start has obstacles: it does not wait for any of them.
func TestEditorAtOnce(t *testing.T) {
	t.Parallel()
	var servers []string
	for i := range 20 {
		servers = append(servers, fmt.Sprintf(`"s%d": {"command": "sleep", "args": ["1000"]}`, i))
	}
	broken := `{"mcpServers": {` + strings.Join(servers, ", ") + `}, "tools": {"sandbox": true}}`
	for name, tt := range map[string]struct {
		settings string
		env      []string
		flags    []string
		mode     os.FileMode // of the home directory
	}{
		"servers that hang":     {settings: broken, mode: 0o700},
		"no key":                {settings: `{}`, env: []string{"GEMINI_API_KEY="}, mode: 0o700},
		"no home directory":     {settings: `{}`, env: []string{"HOME="}, mode: 0o700},
		"a read-only directory": {settings: `{}`, mode: 0o500},
		"broken settings":       {settings: `{"a": `, mode: 0o700},
		"no network":            {settings: `{}`, env: []string{"HTTPS_PROXY=http://127.0.0.1:1", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1"}, mode: 0o700},
		"a sandbox":             {settings: `{}`, flags: []string{"--sandbox"}, mode: 0o700},
		"debugging":             {settings: `{}`, flags: []string{"--debug"}, mode: 0o700},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEditorProcess(t, "turn\n  text Hi.\n", tt.flags...)
			home := e.cmd.Dir
			if err := os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(tt.settings), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(home, tt.mode); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(home, 0o700) }) // so that it can be removed
			e.cmd.Env = append(e.cmd.Env, tt.env...)
			e.run()
			began := time.Now()
			answer := e.send(1, "initialize", `{"protocolVersion":1,"clientCapabilities":{"auth":{"terminal":true}}}`)
			result, _ := answer["result"].(map[string]any)
			if took := time.Since(began); took > 5*time.Second { // of a busy machine; editors wait for 10
				t.Errorf("the answer takes %s", took)
			}
			if methods, _ := result["authMethods"].([]any); result["protocolVersion"] != 1.0 || len(methods) < 2 {
				t.Errorf("the answer is %v", answer)
			}
			if list := e.send(2, "session/list", `{}`); list["result"] == nil {
				t.Errorf("the sessions are %v", list)
			}
			e.in.Close()
			for e.out.Scan() {
			}
			if err := e.cmd.Wait(); err != nil {
				t.Errorf("the program ends with %v", err)
			}
		})
	}
}
