// Package companiontest has a companion extension of an editor for tests. It is as strict as the one of Gemini CLI: it admits
// no page of a browser, no other host, and no one without its token.
package companiontest

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"pollux/internal/crash"
)

// Token is the token of all editors here.
const Token = "a-token-of-the-editor"

// Editor is an editor with a companion. Its methods may be called from any goroutine.
type Editor struct {
	server  *httptest.Server
	stopped chan struct{}
	stop    sync.Once

	mu      sync.Mutex
	tools   []string
	session string
	stream  chan []byte // of notifications, nil until the client has opened it
	state   any         // the last state, nil for none
	diffs   map[string]string
	edited  map[string]string // proposals that the person has changed
	opened  chan Change
	closed  chan string
	refused []string
	isMute  bool
	held    map[string]<-chan struct{} // what the answers to methods, or calls of tools, wait for
}

// Change is a change that the editor shows.
type Change struct{ Path, Text string }

// Start starts an editor whose companion has these tools; nil are openDiff and closeDiff. The caller calls Stop.
func Start(tools []string) *Editor {
	if tools == nil {
		tools = []string{"openDiff", "closeDiff"}
	}
	e := &Editor{tools: tools, diffs: map[string]string{}, edited: map[string]string{}, held: map[string]<-chan struct{}{}, stopped: make(chan struct{}), opened: make(chan Change, 100), closed: make(chan string, 100)}
	e.server = httptest.NewServer(http.HandlerFunc(e.serve))
	return e
}

// Stop ends the editor, and all connections with it.
func (e *Editor) Stop() {
	e.stop.Do(func() {
		close(e.stopped)
		e.server.CloseClientConnections()
		e.server.Close()
	})
}

// Port returns the port of the companion.
func (e *Editor) Port() string {
	u, err := url.Parse(e.server.URL)
	if err != nil {
		panic(err)
	}
	_, port, err := net.SplitHostPort(u.Host)
	if err != nil {
		panic(err)
	}
	return port
}

// List writes the file by which the companion is found, for an editor with this process id and these folders, below a directory for
// temporary files. It returns its path.
func (e *Editor) List(temp string, pid int, folders ...string) (string, error) {
	dir := filepath.Join(temp, "gemini", "ide")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, fmt.Sprintf("gemini-ide-server-%d-%s.json", pid, e.Port()))
	text := fmt.Sprintf(`{"port":%s,"workspacePath":%q,"authToken":%q}`, e.Port(), strings.Join(folders, string(os.PathListSeparator)), Token)
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// Opened has the changes that the client shows, Closed the paths of those that it closes.
func (e *Editor) Opened() <-chan Change { return e.opened }

// Closed has the paths of the changes that the client closes.
func (e *Editor) Closed() <-chan string { return e.closed }

// Refused returns why requests were refused.
func (e *Editor) Refused() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.refused...)
}

// Share lists the open files for the client: state is the member workspaceState.
func (e *Editor) Share(state any) {
	e.mu.Lock()
	e.state = state
	e.mu.Unlock()
	e.Notify("ide/contextUpdate", map[string]any{"workspaceState": state})
}

// Mute makes the companion accept connections and answer nothing.
func (e *Editor) Mute() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.isMute = true
}

// Hold makes the companion act on a method such as tools/list, or on calls of a tool, only after release is closed.
func (e *Editor) Hold(name string, release <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.held[name] = release
}

// await waits for the release of a method or tool.
func (e *Editor) await(name string) {
	e.mu.Lock()
	held, isHeld := e.held[name]
	e.mu.Unlock()
	if isHeld {
		select {
		case <-held:
		case <-e.stopped:
		}
	}
}

// Edit makes the person change the proposal that is shown for a file.
func (e *Editor) Edit(path, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.edited[path] = text
}

// Accept makes the person accept the change of a file, Reject reject it.
func (e *Editor) Accept(path string) {
	e.Notify("ide/diffAccepted", map[string]any{"filePath": path, "content": e.take(path)})
}

// Reject makes the person reject the change of a file.
func (e *Editor) Reject(path string) {
	e.take(path)
	e.Notify("ide/diffRejected", map[string]any{"filePath": path})
}

// take closes the change of a file, and returns its text.
func (e *Editor) take(path string) any {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, ok := e.diffs[path]
	if !ok {
		return nil
	}
	delete(e.diffs, path)
	if own, isEdited := e.edited[path]; isEdited {
		return own
	}
	return text
}

// Notify sends a notification, if a client listens.
func (e *Editor) Notify(method string, params any) {
	e.mu.Lock()
	stream := e.stream
	e.mu.Unlock()
	if stream == nil {
		return
	}
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		panic(err)
	}
	stream <- message
}

// serve answers a request as the extension does.
func (e *Editor) serve(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	isMute := e.isMute
	e.mu.Unlock()
	if isMute {
		select { // the server notices the end of a client only if it reads the request
		case <-r.Context().Done():
		case <-e.stopped:
		}
		return
	}
	switch port := e.Port(); {
	case r.Header.Get("Origin") != "":
		e.refuse(w, http.StatusForbidden, "Origin")
	case r.Host != "localhost:"+port && r.Host != "127.0.0.1:"+port:
		e.refuse(w, http.StatusForbidden, "Host "+r.Host)
	case r.Header.Get("Authorization") != "Bearer "+Token:
		e.refuse(w, http.StatusUnauthorized, "Authorization")
	case r.URL.Path != "/mcp":
		e.refuse(w, http.StatusNotFound, r.URL.Path)
	case r.Method == http.MethodGet:
		e.listen(w, r)
	case r.Method == http.MethodPost:
		e.answer(w, r)
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusOK)
	default:
		e.refuse(w, http.StatusMethodNotAllowed, r.Method)
	}
}

func (e *Editor) refuse(w http.ResponseWriter, status int, why string) {
	e.mu.Lock()
	e.refused = append(e.refused, why)
	e.mu.Unlock()
	http.Error(w, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"refused"},"id":null}`, status)
}

// listen serves the stream of notifications, the state first.
func (e *Editor) listen(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	if r.Header.Get("Mcp-Session-Id") != e.session || e.session == "" {
		e.mu.Unlock()
		e.refuse(w, http.StatusBadRequest, "session of a stream")
		return
	}
	stream := make(chan []byte, 100)
	e.stream = stream
	state := e.state
	e.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	go func() {
		defer crash.Recover()
		if state != nil {
			e.Notify("ide/contextUpdate", map[string]any{"workspaceState": state})
		}
		e.Notify("ping", nil)
	}()
	for {
		select {
		case message := <-stream:
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", message)
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// answer answers a message.
func (e *Editor) answer(w http.ResponseWriter, r *http.Request) {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			ProtocolVersion string
			Name            string
			Arguments       struct {
				FilePath, NewContent string
				SuppressNotification bool
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		e.refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	e.mu.Lock()
	session := e.session
	e.mu.Unlock()
	if (m.Method == "initialize") != (r.Header.Get("Mcp-Session-Id") == "") || m.Method != "initialize" && r.Header.Get("Mcp-Session-Id") != session {
		e.refuse(w, http.StatusBadRequest, "session of "+m.Method)
		return
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var result any
	switch m.Method {
	case "initialize":
		e.mu.Lock()
		e.session = "session-" + string(m.ID)
		w.Header().Set("Mcp-Session-Id", e.session)
		e.mu.Unlock()
		result = map[string]any{
			"protocolVersion": m.Params.ProtocolVersion, "serverInfo": map[string]any{"name": "gemini-cli-companion-mcp-server", "version": "1.0.0"},
			"capabilities": map[string]any{"logging": map[string]any{}, "tools": map[string]any{"listChanged": true}},
		}
	case "tools/list":
		e.await(m.Method)
		var list []any
		for _, name := range e.tools {
			list = append(list, map[string]any{"name": name, "description": "(IDE Tool)", "inputSchema": map[string]any{"type": "object"}})
		}
		result = map[string]any{"tools": list}
	case "tools/call":
		result = e.call(m.Params.Name, m.Params.Arguments.FilePath, m.Params.Arguments.NewContent)
	default:
		result = map[string]any{}
	}
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "event: message\ndata: %s\n\n", message)
}

// call runs a tool, and returns its result.
func (e *Editor) call(tool, path, text string) any {
	e.await(tool)
	switch tool {
	case "openDiff":
		e.mu.Lock()
		e.diffs[path] = text
		e.mu.Unlock()
		e.opened <- Change{path, text}
		return map[string]any{"content": []any{}}
	case "closeDiff":
		e.closed <- path
		answer, err := json.Marshal(map[string]any{"content": e.take(path)})
		if err != nil {
			panic(err)
		}
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": string(answer)}}}
	}
	return map[string]any{"isError": true, "content": []any{map[string]any{"type": "text", "text": "Unknown tool."}}}
}
