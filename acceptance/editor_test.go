package acceptance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// editor is a client of "pollux --acp".
type editor struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	dir string
}

// startEditor starts the program with a scripted model, in an empty home directory. The process has another directory than its sessions.
func startEditor(t *testing.T, script string, flags ...string) *editor {
	t.Helper()
	e := newEditorProcess(t, script, flags...)
	e.run()
	return e
}

// newEditorProcess is startEditor without the start of the program.
func newEditorProcess(t *testing.T, script string, flags ...string) *editor {
	t.Helper()
	model := scripttest.Serve(t, script, scriptmodel.Options{})
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, dir: filepath.Join(root, "work")}
	home := filepath.Join(root, "home")
	settings := `{"tools": {"sandbox": false, "allowed": ["run_shell_command"]}}`
	if err := errors.Join(os.Mkdir(e.dir, 0o700), os.MkdirAll(home+"/.gemini", 0o700), os.WriteFile(home+"/.gemini/settings.json", []byte(settings), 0o600)); err != nil {
		t.Fatal(err)
	}
	e.cmd = exec.Command("pollux", append(flags, "--acp")...) // TestMain has put it on the path
	e.cmd.Dir = home
	e.cmd.Env = processtest.Environ(
		"HOME="+home, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_FORCE_FILE_STORAGE=true",
		"GEMINI_API_KEY=test-key", "GEMINI_MODEL=gemini-2.5-flash", "GOOGLE_GEMINI_BASE_URL="+model.URL(),
	)
	return e
}

// run starts the program.
func (e *editor) run() {
	e.t.Helper()
	var err error
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		e.t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = e.cmd.Process.Kill() })
	e.out = bufio.NewScanner(out)
	e.out.Buffer(nil, 1<<20)
}

// send sends a request with an id, and waits for the answer. Each line before it must be a message, too.
func (e *editor) send(id int, method, params string) map[string]any {
	e.t.Helper()
	e.begin(id, method, params)
	for {
		if m := e.next(); m["id"] == float64(id) && m["method"] == nil {
			return m
		}
	}
}

func (e *editor) begin(id int, method, params string) {
	e.t.Helper()
	if _, err := fmt.Fprintf(e.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params); err != nil {
		e.t.Fatal(err)
	}
}

// next returns the next message.
func (e *editor) next() (m map[string]any) {
	e.t.Helper()
	if !e.out.Scan() {
		e.t.Fatal("the output has ended")
	}
	if err := json.Unmarshal(e.out.Bytes(), &m); err != nil || m["jsonrpc"] != "2.0" {
		e.t.Fatalf("no message: %s", e.out.Text())
	}
	return m
}

// open opens a session, and returns its id.
func (e *editor) open() string {
	e.t.Helper()
	e.send(1, "initialize", `{"protocolVersion":1}`)
	result, _ := e.send(2, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, e.dir))["result"].(map[string]any)
	return fmt.Sprint(result["sessionId"])
}

const asksToWork = `{"sessionId":%q,"prompt":[{"type":"text","text":"Work"}]}`

// TestEditor serves an editor with the program: a turn with the tools of a server of the editor, lines that
// are no messages, and the end of the input.
func TestEditor(t *testing.T) {
	t.Parallel()
	e := startEditor(t, "turn\n  expect header User-Agent acp-test-editor\n  expect tool mcp_toy_echo\n  call run_shell_command {\"command\": \"pwd; echo noise >&2\"}\nturn\n  text Done.\n", "--model", "gemini-2.5-pro")
	e.send(1, "initialize", `{"protocolVersion":1,"clientInfo":{"name":"test editor","version":"1"}}`)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(filepath.Dir(e.dir), "mcpserver") // by this name, the test is one
	if err := os.Symlink(self, server); err != nil {
		t.Fatal(err)
	}
	state := e.send(2, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[{"name":"broken","command":"/none","args":[],"env":[]},{"name":"toy","command":%q,"args":["plain"],"env":[]}]}`, e.dir, server))["result"].(map[string]any)
	if got := state["models"].(map[string]any)["currentModelId"]; got != "gemini-2.5-pro" {
		t.Errorf("the model is %v", got)
	}
	fmt.Fprintln(e.in, "Welcome to the shell")
	result := e.send(3, "session/prompt", fmt.Sprintf(asksToWork, state["sessionId"]))
	if data, _ := json.Marshal(result["result"]); !strings.HasPrefix(string(data), `{"_meta":{"quota":`) || !strings.HasSuffix(string(data), `"stopReason":"end_turn"}`) {
		t.Errorf("the turn ends with %v", result)
	}
	e.in.Close()
	for e.out.Scan() {
	}
	if err := e.cmd.Wait(); err != nil {
		t.Errorf("the program ends with %v", err)
	}
}

// TestEditorDies ends the editor, or the program, with a signal in the middle of a command: no process stays, and the session can be
// loaded.
func TestEditorDies(t *testing.T) {
	t.Parallel()
	for _, victim := range []string{"editor", "program"} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			e := startEditor(t, "turn\n  call run_shell_command {\"command\": \"echo $$ > pid; exec sleep 1000\"}\nturn\n  times always\n  text Never.\n", "--yolo")
			id := e.open()
			e.begin(3, "session/prompt", fmt.Sprintf(asksToWork, id))
			pid := processtest.AwaitPID(t, filepath.Join(e.dir, "pid"))
			if victim == "program" {
				_ = e.cmd.Process.Kill()
			} else {
				e.in.Close() // both pipes of a dead editor are closed
			}
			for e.out.Scan() {
			}
			_ = e.cmd.Wait()
			processtest.WaitUntil(t, "the end of the command", func() bool { return !processtest.IsRunning(pid) })
			again := exec.Command(e.cmd.Path, "--acp")
			again.Env, again.Dir = e.cmd.Env, e.cmd.Dir
			again.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
`)
			out, err := again.Output()
			if err != nil || !strings.Contains(string(out), id) {
				t.Errorf("the sessions are %s, %v", out, err)
			}
		})
	}
}

// TestEditorBuffers edits a file that the editor has not saved, with the program: the edit keeps the typed text.
func TestEditorBuffers(t *testing.T) {
	t.Parallel()
	e := startEditor(t, "turn\n  call replace {\"file_path\": \"notes.md\", \"instruction\": \"x\", \"old_string\": \"# Notes\", \"new_string\": \"# Plan\"}\n"+
		"turn\n  expect result replace Successfully modified\n  text Done.\n", "--approval-mode", "auto_edit")
	path := filepath.Join(e.dir, "notes.md")
	if err := os.WriteFile(path, []byte("# Notes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.send(1, "initialize", `{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true}}}`)
	id := e.send(2, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, e.dir))["result"].(map[string]any)["sessionId"]
	e.begin(3, "session/prompt", fmt.Sprintf(asksToWork, id))
	text := "# Notes\ntyped, not saved\n"
	for {
		m := e.next()
		params, _ := m["params"].(map[string]any)
		switch m["method"] {
		case "fs/read_text_file":
			e.answer(m["id"], map[string]any{"content": text})
		case "fs/write_text_file":
			text = params["content"].(string)
			if err := os.WriteFile(params["path"].(string), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			e.answer(m["id"], map[string]any{})
		}
		if m["id"] == float64(3) && m["method"] == nil {
			break
		}
	}
	if data, err := os.ReadFile(path); string(data) != "# Plan\ntyped, not saved\n" {
		t.Errorf("the file has %q, %v", data, err)
	}
	e.in.Close()
	for e.out.Scan() {
	}
	if err := e.cmd.Wait(); err != nil {
		t.Errorf("the program ends with %v", err)
	}
}

func (e *editor) answer(id, result any) {
	e.t.Helper()
	if err := json.NewEncoder(e.in).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "result": result}); err != nil {
		e.t.Fatal(err)
	}
}
