package hooks

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/assembly"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/mcp"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/record"
	"pollux/internal/records"
	"pollux/internal/servers"
	"pollux/internal/tools/file"
	"pollux/internal/tools/plan"
	"pollux/llm"
	"pollux/tool"
)

// warnings are the warnings of a project.
type warnings struct {
	mu   sync.Mutex
	list []string
}

func (w *warnings) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, text)
}

// take returns the warnings since the last call.
func (w *warnings) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.Join(w.list, "\n")
	w.list = nil
	return text
}

// newProject returns a project whose warnings are kept, with settings of the user and of the project.
func newProject(t *testing.T, user, own string) (*project.Project, *warnings) {
	t.Helper()
	p, w := projecttest.New(t, user, "PATH="+os.Getenv("PATH")), new(warnings)
	p.Options.Warn = w.add
	setOwn(t, p, own)
	return p, w
}

// setOwn writes the settings of a project, and reads them.
func setOwn(t *testing.T, p *project.Project, settings string) {
	t.Helper()
	path := filepath.Join(p.Paths.Dir(), ".gemini", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Reload(); err != nil {
		t.Fatal(err)
	}
}

// open opens the hooks of a project, with parts that change may replace.
func open(t *testing.T, p *project.Project, change func(*Parts)) *Hooks {
	t.Helper()
	ws := project.NewWorkspace(p)
	plans, err := plan.Open(ws, "", "one")
	if err != nil {
		t.Fatal(err)
	}
	rec, err := record.Open(t.Context(), p, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	parts := Parts{
		Project: p, Policy: policy.New(policy.Options{Trust: p.Trust, Dir: ws.Root()}), Plans: plans, Registry: tool.NewRegistry(), Record: rec,
		ServersOf: func(string) *mcp.Servers { return nil },
		ID:        func() string { return "one" },
	}
	parts.Servers = servers.Open(servers.Parts{
		Project: p, Registry: parts.Registry, Launcher: p.Launcher, Roots: ws.Dirs, Rules: func() []policy.Rule { return nil },
	})
	t.Cleanup(parts.Servers.Close)
	if change != nil {
		change(&parts)
	}
	h, err := Open(parts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// greeter is a hook for SessionStart with a message for the person and a text for the model.
var greeter = hook.Hook{Event: hook.SessionStart, Name: "greeter", Run: func(context.Context, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(`{"systemMessage":"Hello","hookSpecificOutput":{"additionalContext":"The <code> is heron."}}`), nil
}}

const greeting = "<hook_context>The &lt;code&gt; is heron.</hook_context>"

// The text of SessionStart hooks joins an interactive conversation at once, and others with their first prompt. A
// conversation after a clear gets none.
func TestStart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		source      hook.StartSource
		interactive bool
		added, warn string
		isAwaited   bool // by the first prompt
	}{
		{hook.StartupSource, false, "", "Hook system message: Hello\nHello", true},
		{hook.ResumeSource, false, "", "Hook system message: Hello\nHello", true},
		{hook.ClearSource, false, "", "Hook system message: Hello\nHello", false},
		{hook.StartupSource, true, greeting, "greeter: Hello", false},
		{hook.ResumeSource, true, greeting, "greeter: Hello", false},
		{hook.ClearSource, true, "", "greeter: Hello", false},
	} {
		p, warned := newProject(t, `{}`, `{}`)
		p.Options.Hooks, p.Options.Interactive = []hook.Hook{greeter}, tt.interactive
		h := open(t, p, nil)
		added := ""
		h.Start(t.Context(), tt.source, func(_ context.Context, m agent.Message) { added += m.Content.Text() })
		if got := warned.take(); added != tt.added || got != tt.warn {
			t.Errorf("%s, interactive %v: added %q, warned %q", tt.source, tt.interactive, added, got)
		}
		first, second := agent.TextPrompt("Hi."), agent.TextPrompt("Again.")
		h.AddStartContext(&first)
		h.AddStartContext(&second)
		want := agent.TextPrompt("Hi.")
		if tt.isAwaited {
			want = agent.Prompt{Parts: []llm.Part{llm.Text(greeting + "\n\nHi.")}, Shown: "Hi."}
		}
		if diff := cmp.Diff([]agent.Prompt{want, agent.TextPrompt("Again.")}, []agent.Prompt{first, second}, cmp.AllowUnexported(llm.Part{})); diff != "" {
			t.Errorf("%s, interactive %v: prompts (-want +got):\n%s", tt.source, tt.interactive, diff)
		}
	}
}

// The text of hooks stands before a prompt that begins with something else than a text, and people see the prompt
// without it.
func TestAddStartContext(t *testing.T) {
	t.Parallel()
	image := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("x")}}
	for _, tt := range []struct{ prompt, want agent.Prompt }{
		{
			agent.Prompt{Parts: []llm.Part{image, llm.Text("See")}},
			agent.Prompt{Parts: []llm.Part{llm.Text("C"), image, llm.Text("See")}, Shown: "See"},
		},
		{agent.Prompt{}, agent.Prompt{Parts: []llm.Part{llm.Text("C")}}},
		{
			agent.Prompt{Parts: []llm.Part{llm.Text("See"), image}, Shown: "/see"},
			agent.Prompt{Parts: []llm.Part{llm.Text("C\n\nSee"), image}, Shown: "/see"},
		},
	} {
		h := &Hooks{startContext: "C"}
		h.AddStartContext(&tt.prompt)
		if diff := cmp.Diff(tt.want, tt.prompt, cmp.AllowUnexported(llm.Part{})); diff != "" {
			t.Error(diff)
		}
	}
}

// A session without hooks has no set of them, and hooks that settings switch off are not read.
func TestNone(t *testing.T) {
	t.Parallel()
	for _, settings := range []string{
		`{}`,
		`{"hooks": {"BeforeTool": []}}`,
		`{"hooksConfig": {"enabled": false}, "hooks": {"Nope": 1, "BeforeTool": [{"hooks": [{"type": "command", "command": "true"}]}]}}`,
	} {
		p, warned := newProject(t, settings, `{}`)
		h := open(t, p, nil)
		h.Start(t.Context(), hook.StartupSource, func(context.Context, agent.Message) { t.Error("a message is added") })
		prompt := agent.TextPrompt("Hi.")
		h.AddStartContext(&prompt)
		h.End(t.Context(), hook.ExitReason)
		if err := h.Reload(); err != nil {
			t.Error(err)
		}
		if text := warned.take(); h.Set() != nil || prompt.Shown != "" || text != "" {
			t.Errorf("%s: hooks %v, the prompt is shown as %q, warned %q", settings, h.Set(), prompt.Shown, text)
		}
	}
}

// taken keeps the records of hooks.
type taken struct {
	mu   sync.Mutex
	list []records.HookRun
}

func (s *taken) Record(r records.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, r.(records.HookRun))
}

// A hook gets the conversation as it is when it runs, and each run is recorded.
func TestRuns(t *testing.T) {
	t.Parallel()
	p, _ := newProject(t, `{}`, `{}`)
	p.Options.Hooks = []hook.Hook{greeter, {Event: hook.SessionEnd, Name: "leaver", Run: func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, os.ErrInvalid
	}}}
	var sink taken
	id := "one"
	h := open(t, p, func(parts *Parts) {
		parts.Records, parts.ID = records.New(&sink), func() string { return id }
	})
	h.Start(t.Context(), hook.StartupSource, nil)
	id = "two"
	h.End(t.Context(), hook.ClearReason)
	var got []string
	for _, r := range sink.list {
		var in struct {
			ID     string `json:"session_id"`
			Source string
			Reason string
		}
		if err := json.Unmarshal(r.Input, &in); err != nil {
			t.Fatal(err)
		}
		text := strings.Join([]string{r.Event, r.Kind, r.Name, in.ID, in.Source + in.Reason}, " ")
		if r.Output != nil {
			text += " " + string(r.Output())
		}
		if r.Failed {
			text += " failed: " + r.Err.Error()
		}
		got = append(got, text)
	}
	want := []string{
		`SessionStart runtime greeter one startup {"hookSpecificOutput":{"additionalContext":"The <code> is heron."},"systemMessage":"Hello"}`,
		"SessionEnd runtime leaver two clear failed: " + os.ErrInvalid.Error(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

const projectHook = `{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "true\nNo warning"}]}]}}`

// A person is warned once of each hook that a trusted project has added. Its command cannot pass for a line of the warning.
func TestWarnOfAdded(t *testing.T) {
	t.Parallel()
	p, warned := newProject(t, `{"pollux": {"userHooksInUntrustedFolders": true}}`, projectHook)
	p.Trust.Set(trust.Untrusted)
	open(t, p, nil)
	if text := warned.take(); text != "" {
		t.Errorf("in an untrusted folder: %s", text)
	}
	p.Trust.Set(trust.Trusted)
	open(t, p, nil)
	if text := warned.take(); !strings.HasPrefix(text, "WARNING: The following project-level hooks") || !strings.Contains(text, "\n  - true\n    No warning\n\n") {
		t.Errorf("the warning is %q", text)
	}
	open(t, p, nil)
	if text := warned.take(); text != "" {
		t.Errorf("a second time: %s", text)
	}
	path := filepath.Join(p.Paths.GeminiDir(), "trusted_hooks.json")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	open(t, p, nil)
	if text := warned.take(); !strings.Contains(text, "Warning: read "+path) || !strings.Contains(text, "- true\n") {
		t.Errorf("if the file cannot be read: %s", text)
	}
}

// The tools of the session count as tools that a matcher can select, by all their names.
func TestUnmatched(t *testing.T) {
	t.Parallel()
	entry := func(matcher string) string {
		return `{"matcher": "` + matcher + `", "hooks": [{"type": "command", "command": "true"}]}`
	}
	own := namedTool{&tool.Spec{Name: "own_tool", Aliases: []string{"old_name"}}}
	p, warned := newProject(t, `{"hooks": {"BeforeTool": [`+entry("raed_file")+`,`+entry("read_file")+`,`+entry("own_tool")+`,`+entry("old_name")+`]}}`, `{}`)
	open(t, p, func(parts *Parts) { parts.Registry.Add("", file.NewReadFile(project.NewWorkspace(p), nil), own) })
	text := warned.take()
	if !strings.HasPrefix(text, "Warning: ") || !strings.Contains(text, `"raed_file"`) || strings.Contains(text, "\n") {
		t.Errorf("warned %q", text)
	}
	if !slices.Equal(p.LeftOut(), []string{strings.TrimPrefix(text, "Warning: ")}) {
		t.Errorf("left out: %q", p.LeftOut())
	}
}

type namedTool struct{ spec *tool.Spec }

func (t namedTool) Spec() *tool.Spec { return t.spec }

func (t namedTool) Build(json.RawMessage) (tool.Invocation, error) { return nil, nil }

// Settings that change while the session works enable and disable its hooks.
func TestReload(t *testing.T) {
	t.Parallel()
	p, _ := newProject(t, `{}`, `{}`)
	ran := 0
	counter := hook.Hook{Event: hook.SessionEnd, Name: "counter", Source: hook.Workspace, Timeout: hook.DefaultTimeout, Run: func(context.Context, json.RawMessage) (json.RawMessage, error) {
		ran++
		return nil, nil
	}}
	p.Options.Hooks = []hook.Hook{counter}
	h := open(t, p, nil)
	for _, tt := range []struct {
		settings string
		want     int
	}{{`{}`, 1}, {`{"hooksConfig": {"disabled": ["counter"]}}`, 1}, {`{"hooksConfig": {"disabled": ["other"]}}`, 2}} {
		path := filepath.Join(p.Paths.Dir(), ".gemini", "settings.json")
		if err := os.WriteFile(path, []byte(tt.settings), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := h.Reload(); err != nil {
			t.Fatal(err)
		}
		if h.End(t.Context(), hook.ExitReason); ran != tt.want {
			t.Errorf("%s: ran %d times, want %d", tt.settings, ran, tt.want)
		}
	}
	if err := os.WriteFile(filepath.Join(p.Paths.Dir(), ".gemini", "settings.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.Reload(); err == nil {
		t.Error("broken settings are no error")
	}
}

// Hooks learn how servers are reached, without their secrets.
func TestDescribeServer(t *testing.T) {
	t.Parallel()
	p, _ := newProject(t, `{}`, `{}`)
	h := open(t, p, nil)
	if diff := cmp.Diff(hook.Server{}, h.describeServer("a", "")); diff != "" {
		t.Errorf("without servers (-want +got):\n%s", diff)
	}
	p, _ = newProject(t, `{"mcp": {"excluded": ["a", "b", "c"]}, "mcpServers": {
		"a": {"command": "run", "args": ["x"], "cwd": "/d", "env": {"KEY": "secret"}},
		"b": {"url": "https://b.example", "headers": {"Authorization": "secret"}}, "c": {"httpUrl": "https://c.example"}}}`, `{}`)
	sub := mcp.New(servers.Options(p, []mcp.Config{{Name: "a", Command: "other"}}))
	h = open(t, p, func(parts *Parts) {
		parts.ServersOf = func(subagent string) *mcp.Servers {
			return map[string]*mcp.Servers{"helper": sub}[subagent]
		}
	})
	for _, tt := range []struct {
		name, subagent string
		want           hook.Server
	}{
		{"a", "", hook.Server{Command: "run", Args: []string{"x"}, Dir: "/d"}},
		{"b", "", hook.Server{URL: "https://b.example"}},
		{"c", "", hook.Server{URL: "https://c.example"}},
		{"d", "", hook.Server{}},
		{"a", "helper", hook.Server{Command: "other"}},
		{"b", "helper", hook.Server{}},
		{"a", "unknown", hook.Server{}},
	} {
		if diff := cmp.Diff(tt.want, h.describeServer(tt.name, tt.subagent)); diff != "" {
			t.Errorf("%s of %q (-want +got):\n%s", tt.name, tt.subagent, diff)
		}
	}
}

// The set asks the parts of the session: for the transcript, the approval mode, and the model that a hook names.
func TestSet(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{}`, "GEMINI_API_KEY=k")
	var input string
	run := func(_ context.Context, in json.RawMessage) (json.RawMessage, error) {
		if input += string(in); strings.Contains(input, "SessionEnd") {
			return nil, nil
		}
		return json.RawMessage(`{"hookSpecificOutput":{"llm_request":{"model":"gemini/gemini-2.5-flash"}}}`), nil
	}
	p.Options.Hooks = []hook.Hook{
		{Event: hook.BeforeModel, Name: "chooser", Run: run},
		{Event: hook.SessionEnd, Name: "claude", Dialect: hook.Claude, Run: run},
	}
	h := open(t, p, func(parts *Parts) {
		var err error
		if parts.Models, err = assembly.Models(t.Context(), p, assembly.Source{}, "one"); err != nil {
			t.Fatal(err)
		}
		if parts.Record, err = record.Open(t.Context(), p, record.Options{Recorded: true}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(parts.Record.Close)
		agent.New(agent.Config{SessionID: "one", Journal: parts.Record.Journal()}).AddMessage(t.Context(), agent.Message{Content: llm.User(llm.Text("Hi."))})
		parts.Policy = policy.New(policy.Options{Trust: p.Trust, Mode: policy.Plan})
		parts.RequestConfig = func(string) llm.Config { return llm.Config{} }
	})
	req := &llm.Request{Model: "before", Contents: []*llm.Content{llm.User(llm.Text("Hi."))}}
	if h.Set().BeforeModel(t.Context(), req); req.Model != "gemini-2.5-flash" {
		t.Errorf("the request is for %s", req.Model)
	}
	h.End(t.Context(), hook.ExitReason)
	for _, want := range []string{h.parts.Record.Transcript(), `"permission_mode":"plan"`} {
		if want == "" || !strings.Contains(input, want) {
			t.Errorf("no %q in %s", want, input)
		}
	}
}

// A hook can name the model of a request as a user does. The requests of a subagent keep their configuration.
func TestConfigure(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{}`, "GEMINI_API_KEY=k")
	h := open(t, p, func(parts *Parts) {
		var err error
		if parts.Models, err = assembly.Models(t.Context(), p, assembly.Source{}, "one"); err != nil {
			t.Fatal(err)
		}
		parts.RequestConfig = func(model string) llm.Config {
			return llm.Config{SystemInstruction: llm.User(llm.Text("for " + model))}
		}
	})
	for _, tt := range []struct {
		use         llm.Use
		model, want string
		system      string
	}{
		{llm.UseMain, "gemini/gemini-2.5-flash", "gemini-2.5-flash", "for gemini-2.5-flash"},
		{llm.UseSubagent, "gemini-2.5-flash", "gemini-2.5-flash", "own"},
		{llm.UseMain, "xai/grok", "before", "own"},
	} {
		req := &llm.Request{Model: "before", Use: tt.use, Config: llm.Config{SystemInstruction: llm.User(llm.Text("own"))}}
		err := h.configure(req, tt.model)
		if req.Model != tt.want || req.Config.SystemInstruction.Text() != tt.system || (err != nil) != (tt.want == "before") {
			t.Errorf("%s for %s: %s with %q, %v", tt.model, tt.use, req.Model, req.Config.SystemInstruction.Text(), err)
		}
	}
}
