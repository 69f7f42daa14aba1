package a2a

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/internal/terminal"
)

// setup is the start of a test with a server.
type setup struct {
	script      string // of the model; "" is none
	settings    string
	env         []string
	isNew       bool // the folder is not trusted
	isUnchecked bool // the model may refuse requests, and need not play its script to the end
	options     func(o *Options)
}

// agent is a running server with a strict client: each message that it gets must be one of the protocol.
type testAgent struct {
	t         *testing.T
	url       string
	token     string
	root      string
	home, dir string
	model     *scriptmodel.Server
	log       *bytes.Buffer
	http      *http.Client
	stop      func() error
	running   atomic.Pointer[server]
}

// start starts a server with a scripted model, in a new home directory with a project.
func start(t *testing.T, s setup) *testAgent {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := &testAgent{t: t, root: root, home: filepath.Join(root, "home"), dir: filepath.Join(root, "home", "work"), log: &bytes.Buffer{}}
	if s.settings == "" {
		s.settings = `{"tools": {"sandbox": false}}`
	}
	a.write(filepath.Join(a.home, ".gemini", "settings.json"), s.settings)
	if !s.isNew {
		a.write(filepath.Join(a.home, ".gemini", "trustedFolders.json"), fmt.Sprintf(`{%q: "TRUST_FOLDER"}`, a.dir))
	}
	a.write(filepath.Join(a.dir, "keep"), "")
	env := []string{"HOME=" + a.home, "PATH=" + os.Getenv("PATH"), "GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + root + "/none.json", "GEMINI_FORCE_FILE_STORAGE=true"}
	if s.script != "" {
		a.model = scripttest.Serve(t, s.script, scriptmodel.Options{})
		t.Cleanup(func() {
			if err := a.model.Check(); err != nil && !s.isUnchecked {
				t.Error(err)
			}
		})
		env = append(env, "GEMINI_API_KEY=test-key-0123456789", "GOOGLE_GEMINI_BASE_URL="+a.model.URL(), "GEMINI_MODEL=gemini-2.5-flash")
	}
	address, out := io.Pipe()
	logged := terminal.NewWriter(a.log)
	o := Options{
		Dir: a.dir, Root: a.home, Out: out, Log: slog.New(slog.NewTextHandler(logged, nil)), Terminal: &terminal.Terminal{},
		Session: session.Options{Project: project.Options{Env: config.NewEnv(append(env, s.env...)...), Version: "1.2.3"}},
	}
	if s.options != nil {
		s.options(&o)
	}
	o.onServe = func(s *server) { a.running.Store(s) }
	a.token = o.Token
	ctx, cancel := context.WithCancelCause(context.Background())
	ended := make(chan error, 1)
	go func() {
		err := Serve(ctx, o)
		out.CloseWithError(err)
		ended <- err
	}()
	line, err := bufio.NewReader(address).ReadString('\n')
	if err != nil {
		cancel(nil)
		t.Fatalf("the server does not listen: %v", err)
	}
	a.url = strings.TrimSpace(line)
	a.http = &http.Client{Transport: &http.Transport{}}
	errStopped := errors.New("stopped")
	a.stop = func() error {
		cancel(errStopped)
		select {
		case err := <-ended:
			ended <- err
			if !errors.Is(err, errStopped) {
				return fmt.Errorf("the server ends with %v", err)
			}
			return nil
		case <-time.After(30 * time.Second):
			return errors.New("the server does not end")
		}
	}
	t.Cleanup(func() {
		a.http.CloseIdleConnections()
		if err := a.stop(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func (a *testAgent) write(path, text string) {
	a.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		a.t.Fatal(err)
	}
}

func (a *testAgent) file(name string) string {
	data, err := os.ReadFile(filepath.Join(a.dir, name))
	if err != nil {
		return "! " + filepath.Base(err.Error())
	}
	return string(data)
}

// do sends a request, and returns its status and body.
func (a *testAgent) do(method, path, body string) (status int, text string) {
	a.t.Helper()
	resp := a.open(context.Background(), method, path, body, nil)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

func (a *testAgent) open(ctx context.Context, method, path, body string, change func(r *http.Request)) *http.Response {
	a.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, a.url+strings.TrimPrefix(path, "/"), strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	if change != nil {
		change(r)
	}
	resp, err := a.http.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	return resp
}

// rpc calls a method, and returns the result or the error.
func (a *testAgent) rpc(method string, params any) (json.RawMessage, *failed) {
	a.t.Helper()
	status, text := a.do(http.MethodPost, "/", requestOf(method, params))
	if status != http.StatusOK {
		a.t.Fatalf("%s: status %d: %s", method, status, text)
	}
	return a.response([]byte(text))
}

func requestOf(method string, params any) string {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "r1", "method": method, "params": params})
	if err != nil {
		panic(err) // a fault of the test
	}
	return string(data)
}

type failed struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// response reads an answer of JSON-RPC to the request r1.
func (a *testAgent) response(data []byte) (json.RawMessage, *failed) {
	a.t.Helper()
	var r struct {
		Version string          `json:"jsonrpc"`
		ID      string          `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *failed         `json:"error"`
	}
	strict(a.t, data, &r)
	if r.Version != "2.0" || r.ID != "r1" || (r.Result == nil) == (r.Error == nil) {
		a.t.Fatalf("no answer of JSON-RPC: %.300s", data)
	}
	return r.Result, r.Error
}

// strict decodes JSON without unknown members.
func strict(t *testing.T, data []byte, v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v in %.500s", err, data)
	}
}

// part, said, taskView and event are the messages of version 0.3, as clients read them.
type part struct {
	Kind string         `json:"kind"`
	Text *string        `json:"text"`
	Data map[string]any `json:"data"`
}

type said struct {
	Kind      string         `json:"kind"`
	Role      string         `json:"role"`
	Parts     []part         `json:"parts"`
	MessageID string         `json:"messageId"`
	TaskID    string         `json:"taskId"`
	ContextID string         `json:"contextId"`
	Metadata  map[string]any `json:"metadata"`
}

type statusView struct {
	State     string    `json:"state"`
	Message   *said     `json:"message"`
	Timestamp time.Time `json:"timestamp"`
}

type artifact struct {
	ID    string `json:"artifactId"`
	Parts []part `json:"parts"`
}

type taskView struct {
	Kind      string         `json:"kind"`
	ID        string         `json:"id"`
	ContextID string         `json:"contextId"`
	Status    statusView     `json:"status"`
	History   []said         `json:"history"`
	Artifacts []artifact     `json:"artifacts"`
	Metadata  map[string]any `json:"metadata"`
}

type event struct {
	Kind      string     `json:"kind"`
	TaskID    string     `json:"taskId"`
	ContextID string     `json:"contextId"`
	Status    statusView `json:"status"`
	Final     *bool      `json:"final"`
	Artifact  artifact   `json:"artifact"`
	Append    *bool      `json:"append"`
	LastChunk *bool      `json:"lastChunk"`
	Metadata  struct {
		Agent struct {
			Kind string `json:"kind"`
		} `json:"coderAgent"`
		Model string         `json:"model"`
		Error string         `json:"error"`
		Usage map[string]int `json:"usageMetadata"`
	} `json:"metadata"`
	task *taskView // if it is one
}

// isFinal reports whether nothing follows.
func (e *event) isFinal() bool { return e.Final != nil && *e.Final }

// text returns the text of the message.
func (e *event) text() string {
	if e.Status.Message == nil || e.Status.Message.Parts[0].Text == nil {
		return ""
	}
	return *e.Status.Message.Parts[0].Text
}

// data returns the data of the message, nil for none.
func (e *event) data() map[string]any {
	if e.Status.Message == nil {
		return nil
	}
	return e.Status.Message.Parts[0].Data
}

// word describes an event.
func (e *event) word() string {
	switch {
	case e.task != nil:
		return "task " + e.task.Status.State
	case e.Kind == "artifact-update":
		return fmt.Sprintf("output %v %q", *e.Append, *e.Artifact.Parts[0].Text)
	}
	word := e.Metadata.Agent.Kind
	switch word {
	case "state-change":
		word = e.Status.State
		if e.isFinal() {
			word += " final"
		}
		if text := e.text(); text != "" {
			word += ": " + text
		}
	case "tool-call-update", "tool-call-confirmation":
		word = strings.TrimPrefix(word, "tool-call-") + " " + shortID(e.data()["request"].(map[string]any)["callId"].(string)) + " " + e.data()["status"].(string)
	case "text-content":
		word = "text " + e.text()
	case "thought":
		word = fmt.Sprintf("thought %v|%v", e.data()["subject"], e.data()["description"])
	}
	return word
}

// parseEvent reads an event, and checks that all that the protocol requires is there.
func (a *testAgent) parseEvent(data []byte) *event {
	a.t.Helper()
	var kind struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(data, &kind); err != nil {
		a.t.Fatal(err)
	}
	e := &event{}
	if kind.Kind == "task" {
		e.task = a.parseTask(data)
		e.TaskID, e.ContextID, e.Status = e.task.ID, e.task.ContextID, e.task.Status
		return e
	}
	strict(a.t, data, e)
	isStatus := e.Kind == "status-update" && e.Final != nil && !e.Status.Timestamp.IsZero() && e.Metadata.Agent.Kind != "" && e.Metadata.Model != ""
	isArtifact := e.Kind == "artifact-update" && e.Append != nil && e.LastChunk != nil && e.Artifact.ID != "" && len(e.Artifact.Parts) == 1
	if e.TaskID == "" || e.ContextID == "" || !isStatus && !isArtifact {
		a.t.Fatalf("no event of the protocol: %s", data)
	}
	a.checkMessage(e.Status.Message, e.TaskID)
	return e
}

func (a *testAgent) checkMessage(m *said, task string) {
	a.t.Helper()
	if m == nil {
		return
	}
	if m.Kind != "message" || m.Role != "agent" && m.Role != "user" || m.MessageID == "" || m.TaskID != task || m.ContextID == "" || len(m.Parts) == 0 {
		a.t.Fatalf("no message of the protocol: %+v", m)
	}
	for _, p := range m.Parts {
		if p.Kind != "text" && p.Kind != "data" || (p.Kind == "text") != (p.Text != nil) || (p.Kind == "data") != (p.Data != nil) {
			a.t.Fatalf("no part of the protocol: %+v", p)
		}
	}
}

func (a *testAgent) parseTask(data []byte) *taskView {
	a.t.Helper()
	v := &taskView{}
	strict(a.t, data, v)
	if v.Kind != "task" || v.ID == "" || v.ContextID == "" || v.Status.State == "" || v.Status.Timestamp.IsZero() || v.History == nil || v.Artifacts == nil {
		a.t.Fatalf("no task of the protocol: %s", data)
	}
	for i := range v.History {
		a.checkMessage(&v.History[i], v.ID)
	}
	a.checkMessage(v.Status.Message, v.ID)
	return v
}

// messageTo returns the parameters that send a message with parts: texts, or data.
func messageTo(task string, parts ...any) map[string]any {
	var list []any
	for _, p := range parts {
		if text, ok := p.(string); ok {
			list = append(list, map[string]any{"kind": "text", "text": text})
		} else {
			list = append(list, map[string]any{"kind": "data", "data": p})
		}
	}
	m := map[string]any{"kind": "message", "role": "user", "messageId": "m1", "parts": list}
	if task != "" {
		m["taskId"] = task
	}
	return map[string]any{"message": m}
}

// answer returns the data that answer a question about a call, by the id in its script.
func answer(call, outcome string) map[string]any {
	if i := strings.LastIndexByte(call, '_'); i > 0 { // Pollux adds the name of the tool
		call = call[:i] + "__" + call
	}
	return map[string]any{"callId": call, "outcome": outcome}
}

// shortID returns the id of a call in its script.
func shortID(id string) string { return id[strings.LastIndex("__"+id, "__"):] }

// stream is an open stream of events.
type stream struct {
	agent  *testAgent
	lines  *bufio.Scanner
	task   string
	words  []string
	events []*event
	close  func()
}

// stream opens a stream with a message or another method.
func (a *testAgent) stream(method string, params any) *stream {
	a.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	resp := a.open(ctx, http.MethodPost, "/", requestOf(method, params), nil)
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		text, _ := io.ReadAll(resp.Body)
		cancel()
		a.t.Fatalf("%s: no stream, but %s: %s", method, kind, text)
	}
	s := &stream{agent: a, lines: bufio.NewScanner(resp.Body), close: func() { cancel(); resp.Body.Close() }}
	s.lines.Buffer(nil, 64<<20)
	a.t.Cleanup(s.close)
	return s
}

// next returns the next event, nil at the end.
func (s *stream) next() *event {
	s.agent.t.Helper()
	for s.lines.Scan() {
		data, ok := strings.CutPrefix(s.lines.Text(), "data: ")
		if !ok {
			if s.lines.Text() != "" {
				s.agent.t.Fatalf("no event: %s", s.lines.Text())
			}
			continue
		}
		result, failure := s.agent.response([]byte(data))
		if failure != nil {
			s.agent.t.Fatalf("an error in the stream: %+v", failure)
		}
		e := s.agent.parseEvent(result)
		s.task = e.TaskID
		s.words, s.events = append(s.words, e.word()), append(s.events, e)
		return e
	}
	if err := s.lines.Err(); err != nil {
		s.words = append(s.words, "broken off")
	}
	return nil
}

// until reads events until the word of one has this prefix.
func (s *stream) until(prefix string) *event {
	s.agent.t.Helper()
	for {
		e := s.next()
		if e == nil {
			s.agent.t.Fatalf("no %s in\n%s", prefix, strings.Join(s.words, "\n"))
		}
		if strings.HasPrefix(e.word(), prefix) {
			return e
		}
	}
}

// all reads the stream to its end, whose last event must be final, and returns the words.
func (s *stream) all() string {
	s.agent.t.Helper()
	for s.next() != nil {
	}
	if n := len(s.events); n == 0 || !s.events[n-1].isFinal() {
		s.agent.t.Errorf("the last event is not final:\n%s", strings.Join(s.words, "\n"))
	}
	return strings.Join(s.words, "\n")
}

// say sends a message, and returns the words of the events.
func (a *testAgent) say(task string, parts ...any) (id, words string) {
	a.t.Helper()
	s := a.stream("message/stream", messageTo(task, parts...))
	words = s.all()
	return s.task, words
}

// wants compares texts.
func wants(t *testing.T, got, want string) {
	t.Helper()
	if want = strings.TrimSpace(want); strings.TrimSpace(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
