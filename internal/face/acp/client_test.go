package acp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/internal/config"
	"pollux/internal/face/acp"
	"pollux/internal/project"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// editor is a strict client: each line that it gets must be a message of the protocol.
type editor struct {
	t       *testing.T
	schema  *schemas
	home    string
	dir     string
	model   *scriptmodel.Server
	in      io.WriteCloser
	ended   chan error
	onAsk   func(method string, params map[string]any) any // answers requests; nil fails the test
	onEvent func(update map[string]any)

	mu      sync.Mutex
	lastID  int
	answers map[string]chan message
	updates []map[string]any
	heard   *sync.Cond
	log     []string          // of the other side, as one word each
	states  map[string]string // of calls, by session and call
}

// message is a message as it arrives.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  map[string]any  `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *failure        `json:"error"`
}

// failure is the error of a request.
type failure struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

func (f *failure) Error() string { return fmt.Sprintf("%d %s %s", f.Code, f.Message, f.Data) }

// hang is an answer of onAsk that never comes.
const hang = "hang"

// setup is the start of a test with an editor.
type setup struct {
	script      string // of the model; "" is none
	settings    string
	env         []string
	files       map[string]string // in the directory
	isNew       bool              // the folder is not trusted yet
	isUnchecked bool              // the model may refuse requests
	isRaw       bool              // the connection is not initialized
	can         map[string]any    // the capabilities of the client
	options     func(o *acp.Options)
}

// newEditor starts a server with a scripted model, in a new home directory with a project.
func newEditor(t *testing.T, s setup) *editor {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, schema: loadSchemas(t), home: filepath.Join(root, "home"), dir: filepath.Join(root, "work")}
	if s.settings == "" {
		s.settings = `{"tools": {"sandbox": false}}`
	}
	e.write(filepath.Join(e.home, ".gemini", "settings.json"), s.settings)
	if !s.isNew {
		e.write(filepath.Join(e.home, ".gemini", "trustedFolders.json"), fmt.Sprintf(`{%q: "TRUST_FOLDER"}`, root))
	}
	e.write(filepath.Join(e.dir, "keep"), "")
	for name, text := range s.files {
		e.write(filepath.Join(e.dir, name), text)
	}
	env := []string{"HOME=" + e.home, "PATH=" + os.Getenv("PATH"), "GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + root + "/none.json", "GEMINI_FORCE_FILE_STORAGE=true"}
	if s.script != "" {
		e.model = scripttest.Serve(t, s.script, scriptmodel.Options{})
		t.Cleanup(func() {
			if err := e.model.Check(); err != nil && !s.isUnchecked {
				t.Error(err)
			}
		})
		env = append(env, "GEMINI_API_KEY=test-key-0123456789", "GOOGLE_GEMINI_BASE_URL="+e.model.URL(), "GEMINI_MODEL=gemini-2.5-flash")
	}
	o := acp.Options{
		Log: io.Discard, Terminal: &terminal.Terminal{},
		Session: session.Options{Project: project.Options{Env: config.NewEnv(append(env, s.env...)...), Version: "1.2.3"}},
	}
	if s.options != nil {
		s.options(&o)
	}
	e.start(o, s)
	return e
}

// start starts a server and initializes the connection.
func (e *editor) start(o acp.Options, s setup) {
	e.t.Helper()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	e.in, e.ended, e.answers = in, make(chan error, 1), map[string]chan message{}
	e.heard = sync.NewCond(&e.mu)
	o.In, o.Out = toServer, fromServer
	go func() {
		err := acp.Serve(context.Background(), o)
		fromServer.Close()
		e.ended <- err
	}()
	read := make(chan struct{})
	go func() { defer close(read); e.read(out) }()
	e.t.Cleanup(func() { e.end(); <-read })
	if s.isRaw {
		return
	}
	if s.can == nil {
		s.can = map[string]any{}
	}
	e.ok("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": s.can})
}

// end ends the input, and waits for the end of the server.
func (e *editor) end() {
	e.in.Close()
	select {
	case err := <-e.ended:
		if err != nil {
			e.t.Errorf("the server ends with %v", err)
		}
		e.ended <- nil
	case <-time.After(30 * time.Second):
		e.t.Error("the server does not end")
	}
}

func (e *editor) write(path, text string) {
	e.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) file(name string) string {
	data, err := os.ReadFile(filepath.Join(e.dir, name))
	if err != nil {
		return "! " + err.Error()
	}
	return string(data)
}

// read takes all lines of the server.
func (e *editor) read(out io.Reader) {
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 100<<20)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil || m.Version != "2.0" {
			e.t.Errorf("no message: %.200s, %v", lines.Text(), err)
			continue
		}
		e.take(m)
	}
}

func (e *editor) take(m message) {
	switch {
	case m.Method == "session/update":
		e.schema.check(e.t, "SessionNotification", m.Params)
		update := m.Params["update"].(map[string]any)
		e.mu.Lock()
		e.updates = append(e.updates, update)
		e.log = append(e.log, word(update))
		e.checkOrder(m.Params["sessionId"].(string), update)
		e.heard.Broadcast()
		e.mu.Unlock()
		if e.onEvent != nil {
			e.onEvent(update)
		}
	case m.Method == "$/cancel_request":
		e.mu.Lock()
		e.log = append(e.log, "withdrawn")
		e.heard.Broadcast()
		e.mu.Unlock()
	case m.Method == "elicitation/complete":
		e.mu.Lock()
		e.log = append(e.log, fmt.Sprint("done ", m.Params["elicitationId"]))
		e.heard.Broadcast()
		e.mu.Unlock()
	case m.Method != "":
		e.schema.check(e.t, map[string]string{"session/request_permission": "RequestPermissionRequest", "fs/read_text_file": "ReadTextFileRequest", "fs/write_text_file": "WriteTextFileRequest", "elicitation/create": "CreateElicitationRequest", "terminal/create": "CreateTerminalRequest", "terminal/output": "TerminalOutputRequest", "terminal/wait_for_exit": "WaitForTerminalExitRequest", "terminal/kill": "KillTerminalRequest", "terminal/release": "ReleaseTerminalRequest"}[m.Method], m.Params)
		e.mu.Lock()
		e.log = append(e.log, m.Method)
		e.heard.Broadcast()
		e.mu.Unlock()
		if e.onAsk == nil {
			e.t.Errorf("%s: %v", m.Method, m.Params)
			return
		}
		go func() {
			switch answer := e.onAsk(m.Method, m.Params).(type) {
			case string:
				if answer != hang {
					e.line(answer)
				}
			case *failure:
				e.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": answer})
			default:
				e.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": answer})
			}
		}()
	default:
		e.mu.Lock()
		answers := e.answers[string(m.ID)]
		e.mu.Unlock()
		if answers == nil {
			e.t.Errorf("an answer without a request: %s", m.ID)
			return
		}
		answers <- m
	}
}

// word describes an update in a few words.
func word(u map[string]any) string {
	kind := u["sessionUpdate"].(string)
	switch kind {
	case "tool_call", "tool_call_update":
		return fmt.Sprint(kind, " ", u["status"])
	case "agent_message_chunk", "agent_thought_chunk", "user_message_chunk":
		return kind + " " + textOf(u)
	}
	return kind
}

// textOf returns the text of a chunk.
func textOf(u map[string]any) string {
	content, _ := u["content"].(map[string]any)
	text, _ := content["text"].(string)
	return text
}

func (e *editor) send(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		e.t.Error(err)
		return
	}
	e.line(string(data))
}

// line sends a line; after the end of the server it is lost.
func (e *editor) line(text string) { _, _ = io.WriteString(e.in, text+"\n") }

func (e *editor) notify(method string, params any) {
	e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// begin sends a request, and returns a function that waits for its result.
func (e *editor) begin(method string, params any) func() (map[string]any, error) {
	e.mu.Lock()
	e.lastID++
	id := fmt.Sprintf("%d", e.lastID)
	if e.lastID%2 == 0 {
		id = fmt.Sprintf("%q", "r"+id)
	}
	answers := make(chan message, 2)
	e.answers[id] = answers
	e.mu.Unlock()
	if p, ok := params.(map[string]any); ok && method == "session/load" {
		e.forgetCalls(fmt.Sprint(p["sessionId"]))
	}
	e.send(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params})
	return func() (map[string]any, error) {
		e.t.Helper()
		select {
		case m := <-answers:
			if m.Error != nil {
				return nil, m.Error
			}
			var result map[string]any
			if err := json.Unmarshal(m.Result, &result); err != nil {
				e.t.Errorf("%s: the result is %s", method, m.Result)
			}
			e.schema.check(e.t, resultOf[method], result)
			return result, nil
		case <-time.After(60 * time.Second):
			e.t.Fatalf("%s has no answer; the log is\n%s", method, strings.Join(e.seen(), "\n"))
			return nil, nil
		}
	}
}

var resultOf = map[string]string{
	"initialize": "InitializeResponse", "session/new": "NewSessionResponse", "session/load": "LoadSessionResponse", "session/resume": "ResumeSessionResponse",
	"session/list": "ListSessionsResponse", "session/prompt": "PromptResponse", "session/set_mode": "SetSessionModeResponse",
	"session/set_config_option": "SetSessionConfigOptionResponse", "session/close": "CloseSessionResponse", "session/delete": "DeleteSessionResponse",
	"authenticate": "AuthenticateResponse", "logout": "LogoutResponse",
}

func (e *editor) call(method string, params any) (map[string]any, error) {
	e.t.Helper()
	return e.begin(method, params)()
}

// ok is call for a request that succeeds.
func (e *editor) ok(method string, params any) map[string]any {
	e.t.Helper()
	result, err := e.call(method, params)
	if err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
	return result
}

// fails is call for a request that fails with a code.
func (e *editor) fails(code int, method string, params any) *failure {
	e.t.Helper()
	result, err := e.call(method, params)
	f, _ := errors.AsType[*failure](err)
	if f == nil || f.Code != code || f.Message == "" {
		e.t.Errorf("%s %v: %v, %v; want the code %d", method, params, result, err, code)
		return &failure{}
	}
	return f
}

// open opens a session in the directory.
func (e *editor) open() string {
	e.t.Helper()
	return e.openIn(e.dir)
}

func (e *editor) openIn(dir string) string {
	e.t.Helper()
	return e.ok("session/new", map[string]any{"cwd": dir, "mcpServers": []any{}})["sessionId"].(string)
}

func text(s string) map[string]any { return map[string]any{"type": "text", "text": s} }

func prompt(id string, blocks ...any) map[string]any {
	for i, b := range blocks {
		if s, ok := b.(string); ok {
			blocks[i] = text(s)
		}
	}
	return map[string]any{"sessionId": id, "prompt": blocks}
}

// ask sends a prompt, and returns why its turn has ended.
func (e *editor) ask(id string, blocks ...any) string {
	e.t.Helper()
	return e.ok("session/prompt", prompt(id, blocks...))["stopReason"].(string)
}

// seen returns the messages of the server, in words.
func (e *editor) seen() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.log)
}

// takeSeen returns the messages of the server since its last call, without updates of no interest.
func (e *editor) takeSeen() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := slices.DeleteFunc(e.log, func(s string) bool {
		return slices.Contains([]string{"available_commands_update", "usage_update", "session_info_update"}, s)
	})
	e.log = nil
	return strings.Join(list, "\n")
}

// await waits until the server has sent something that begins with these words.
func (e *editor) await(prefix string) {
	e.t.Helper()
	stop := time.AfterFunc(60*time.Second, func() { e.heard.Broadcast() })
	defer stop.Stop()
	deadline := time.Now().Add(60 * time.Second)
	e.mu.Lock()
	defer e.mu.Unlock()
	for !slices.ContainsFunc(e.log, func(s string) bool { return strings.HasPrefix(s, prefix) }) {
		if time.Now().After(deadline) {
			e.t.Fatalf("%q does not come: %q", prefix, e.log)
		}
		e.heard.Wait()
	}
}

// kinds returns the updates of a kind.
func (e *editor) kinds(kind string) (list []map[string]any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.updates {
		if u["sessionUpdate"] == kind {
			list = append(list, u)
		}
	}
	return list
}

// said returns the text of the agent.
func (e *editor) said() string {
	var b strings.Builder
	for _, u := range e.kinds("agent_message_chunk") {
		b.WriteString(textOf(u))
	}
	return b.String()
}

// selects answers a permission request with an option.
func selects(id string) any {
	return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": id}}
}

// lastRequest returns the id of the request that was sent last.
func (e *editor) lastRequest() any {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.lastID%2 == 0 {
		return fmt.Sprintf("r%d", e.lastID)
	}
	return e.lastID
}
