package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/guard"
	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/llm"
	"pollux/tool"
)

// stage is a set of hooks with its reports.
type stage struct {
	*Set
	dir string

	mu       sync.Mutex
	messages []string
	calls    []Call
}

func open(t *testing.T, o Options) *stage {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("NOT TESTED: bash is not installed")
	}
	st := &stage{dir: t.TempDir()}
	o.Dir = st.dir
	o.SessionID = func() string { return "s-1" }
	o.PlansDir = func() string { return "/plans" }
	if o.Environ == nil {
		o.Environ = func(process.Origin) []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + st.dir} }
	}
	if o.Allowed == nil {
		o.Allowed = func(Source) bool { return true }
	}
	o.Message = func(text string) {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.messages = append(st.messages, text)
	}
	o.Observe = func(c Call) {
		st.mu.Lock()
		defer st.mu.Unlock()
		st.calls = append(st.calls, c)
	}
	st.Set = NewSet(o)
	t.Cleanup(st.Close)
	return st
}

// command returns a hook for an event.
func command(e Event, text string) Hook {
	return Hook{Event: e, Command: text, Timeout: time.Minute, Source: User}
}

func prints(e Event, output string) Hook { return command(e, "cat <<'END'\n"+output+"\nEND") }

func hooked(name, args string) guard.HookedCall {
	t, err := tool.Func(name, "x", func(context.Context, struct{}) (string, error) { return "", nil })
	if err != nil {
		panic(err)
	}
	return guard.HookedCall{ToolCall: &agent.ToolCall{Name: name}, Tool: t, Current: json.RawMessage(args)}
}

// saved returns the input that a hook has stored.
func (st *stage) saved(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(st.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var in map[string]any
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return in
}

// TestPayloads checks the input of each event.
func TestPayloads(t *testing.T) {
	t.Parallel()
	var hooks []Hook
	for _, e := range Events() {
		hooks = append(hooks, command(e, "cat > "+string(e)))
	}
	st := open(t, Options{Hooks: hooks})
	ctx := t.Context()
	c := hooked("look", `{"path":"<a>"}`)
	c.Requested = "first"
	st.SessionStart(ctx, StartupSource)
	st.BeforeAgent(ctx, "a & b")
	st.PreCompress(ctx, agent.CompressAuto)
	req := sampleRequest()
	st.BeforeModel(ctx, req)
	st.AfterModel(ctx, req, &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text("hi"))}}})
	st.Before(ctx, c)
	st.Notify(ctx, c, &tool.ExecConfirmation{Title: "Run", Command: "git log", Roots: []string{"git"}})
	changed := c
	changed.Changes = &tool.Changes{Operation: 3, Deleted: 1, Removed: 2, Files: []tool.FileChange{{Path: "a", Change: tool.FileDeleted, Removed: 2}}, Report: "for the model"}
	st.After(ctx, changed, tool.Fail(tool.ErrFileNotFound, "gone"))
	st.AfterAgent(ctx, "p", "r", true)
	st.SessionEnd(ctx, ExitReason)
	const messages = `[{"role":"user","content":"one two"},{"role":"model","content":"hm<answer>"},{"role":"user","content":"three"}]`
	for e, want := range map[Event]string{
		SessionStart:        `{"source":"startup"}`,
		BeforeAgent:         `{"prompt":"a & b"}`,
		PreCompress:         `{"trigger":"auto"}`,
		BeforeModel:         `{"llm_request":{"model":"m1","messages":` + messages + `,"config":{"temperature":1,"topP":0.95,"maxOutputTokens":100}}}`,
		BeforeToolSelection: `{"llm_request":{"model":"m1","messages":` + messages + `,"config":{"temperature":1,"topP":0.95,"maxOutputTokens":100}}}`,
		AfterModel: `{"llm_request":{"model":"m1","messages":` + messages + `,"config":{"temperature":1,"topP":0.95,"maxOutputTokens":100}},
			"llm_response":{"text":"hi","candidates":[{"content":{"role":"model","parts":["hi"]},"index":0}]}}`,
		BeforeTool: `{"tool_name":"look","tool_input":{"path":"<a>"},"original_request_name":"first"}`,
		Notification: `{"notification_type":"ToolPermission","message":"Tool Run requires execution",
			"details":{"type":"exec","title":"Run","command":"git log","rootCommand":"git"}}`,
		AfterTool: `{"tool_name":"look","tool_input":{"path":"<a>"},"original_request_name":"first",
			"tool_response":{"llmContent":"gone","returnDisplay":"gone","error":{"message":"gone","type":"file_not_found"}},
			"changed":{"operation":3,"deleted":1,"linesRemoved":2,"files":[{"path":"a","change":"deleted","linesRemoved":2}]}}`,
		AfterAgent: `{"prompt":"p","prompt_response":"r","stop_hook_active":true}`,
		SessionEnd: `{"reason":"exit"}`,
	} {
		in := st.saved(t, string(e))
		if in["session_id"] != "s-1" || in["transcript_path"] != "" || in["cwd"] != st.dir || in["hook_event_name"] != string(e) {
			t.Errorf("%s: %v", e, in)
		}
		if _, err := time.Parse("2006-01-02T15:04:05.000Z", fmt.Sprint(in["timestamp"])); err != nil {
			t.Errorf("%s: %v", e, err)
		}
		for _, key := range []string{"session_id", "transcript_path", "cwd", "hook_event_name", "timestamp"} {
			delete(in, key)
		}
		var wanted map[string]any
		if err := json.Unmarshal([]byte(want), &wanted); err != nil {
			t.Fatal(e, err)
		}
		if got, want := string(encode(in)), string(encode(wanted)); got != want {
			t.Errorf("%s: %s\nwant %s", e, got, want)
		}
	}
	if len(st.messages) > 0 {
		t.Errorf("messages: %q", st.messages)
	}
	if raw, _ := os.ReadFile(filepath.Join(st.dir, "BeforeAgent")); !strings.Contains(string(raw), "a & b") || strings.HasSuffix(string(raw), "\n") {
		t.Errorf("the input is %q", raw)
	}
}

// TestEffects checks the effects of the outputs of each event.
func TestEffects(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	with := func(e Event, output string) *stage { return open(t, Options{Hooks: []Hook{prints(e, output)}}) }
	wantVerdict := func(name string, got, want agent.Verdict) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	wantVerdict("start", with(SessionStart, `{"continue":false,"decision":"deny","systemMessage":"m","hookSpecificOutput":{"additionalContext":"c"}}`).SessionStart(ctx, ResumeSource),
		agent.Verdict{Context: "c", SystemMessage: "m"})
	wantVerdict("prompt", with(BeforeAgent, `{"decision":"block","reason":"r","systemMessage":"m"}`).BeforeAgent(ctx, "p"),
		agent.Verdict{Block: true, Reason: "r", SystemMessage: "m"})
	wantVerdict("stop before block", with(BeforeAgent, `{"continue":false,"decision":"block","reason":"r","stopReason":"s"}`).BeforeAgent(ctx, "p"),
		agent.Verdict{Stop: true, Reason: "s"})
	wantVerdict("clear", with(AfterAgent, `{"decision":"deny","hookSpecificOutput":{"clearContext":true}}`).AfterAgent(ctx, "p", "r", false),
		agent.Verdict{Block: true, Reason: "No reason provided", ClearContext: true})
	wantVerdict("clear without a block", with(AfterAgent, `{"hookSpecificOutput":{"clearContext":true}}`).AfterAgent(ctx, "p", "r", false), agent.Verdict{})

	v, reply := with(BeforeModel, `{"decision":"deny","reason":"r","systemMessage":"m","hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["canned"]}}]}}}`).BeforeModel(ctx, sampleRequest())
	wantVerdict("model", v, agent.Verdict{Block: true, Reason: "r"})
	if reply.Text() != "canned" || reply.FinishReason() != llm.FinishStop {
		t.Errorf("reply %+v", reply)
	}
	if v, reply = with(BeforeModel, `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["canned"]}}]}}}`).BeforeModel(ctx, sampleRequest()); v != (agent.Verdict{}) || reply != nil {
		t.Errorf("a reply without a block: %+v, %+v", v, reply)
	}
	req := sampleRequest()
	with(BeforeModel, `{"hookSpecificOutput":{"llm_request":{"messages":[{"content":"uno"}]}}}`).BeforeModel(ctx, req)
	if req.Contents[0].Text() != "uno" {
		t.Errorf("request %+v", req.Contents[0])
	}
	with(BeforeToolSelection, `{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["b","a"]}}}`).BeforeModel(ctx, req)
	if c := req.Config.ToolConfig; c == nil || c.Mode != "ANY" || strings.Join(c.Allowed, ",") != "a,b" {
		t.Errorf("tools %+v", c)
	}
	chunk := &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text("secret"))}}}
	v, shown := with(AfterModel, `{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["***"]}}]}}}`).AfterModel(ctx, req, chunk)
	if v != (agent.Verdict{}) || shown.Text() != "***" {
		t.Errorf("chunk %+v, %+v", v, shown)
	}
	if v, _ = with(AfterModel, `{"continue":false}`).AfterModel(ctx, req, chunk); !v.Stop {
		t.Errorf("chunk %+v, %+v", v, shown)
	}

	b := with(BeforeTool, `{"decision":"ask","systemMessage":"sure?","hookSpecificOutput":{"tool_input":{"n":12345678901234567890}}}`).Before(ctx, hooked("look", `{}`))
	if !b.Ask || b.Message != "sure?" || string(b.Args) != `{"n":12345678901234567890}` || b.Block || b.Stop {
		t.Errorf("before %+v", b)
	}
	if b := with(BeforeTool, `{"decision":"deny","reason":"r","hookSpecificOutput":{"tool_input":[]}}`).Before(ctx, hooked("look", `{}`)); !b.Block || b.Reason != "r" || b.Args != nil {
		t.Errorf("before %+v", b)
	}
	a := with(AfterTool, `{"hookSpecificOutput":{"additionalContext":"c","tailToolCallRequest":{"name":"n","args":{"a":1}}}}`).After(ctx, hooked("look", `{}`), tool.Text("x"))
	if a.Context != "c" || a.Tail == nil || a.Tail.Name != "n" || string(a.Tail.Args) != `{"a":1}` {
		t.Errorf("after %+v", a)
	}
	if a := with(AfterTool, `{"hookSpecificOutput":{"tailToolCallRequest":{"args":{"a":1}}}}`).After(ctx, hooked("look", `{}`), tool.Text("x")); a.Tail != nil {
		t.Errorf("a call without a name: %+v", a.Tail)
	}
}

// TestPlan checks which hooks of an event run.
func TestPlan(t *testing.T) {
	t.Parallel()
	named := func(name, matcher string) Hook {
		return Hook{Event: BeforeTool, Name: name, Command: "true", Matcher: matcher, Source: User}
	}
	for _, tt := range []struct{ matcher, tool, want string }{
		{"", "look", "x"},
		{"  ", "look", "x"},
		{"*", "look", "x"},
		{"look", "look", "x"},
		{"loo", "look_up", "x"}, // not anchored
		{"^look$", "look_up", ""},
		{"^(?!look).*", "look", ""},
		{"a|look", "look", "x"},
		{"[", "look", ""},
		{"[", "[", "x"}, // not a regular expression
		{"LOOK", "look", ""},
		{`^(a+)+$`, strings.Repeat("a", 60) + "!", "x"}, // ends in time: the hook may be a guard
	} {
		st := open(t, Options{Hooks: []Hook{named("x", tt.matcher)}})
		got := ""
		hooks, _ := st.plan(BeforeTool, target{tool: tt.tool})
		for _, h := range hooks {
			got += h.Name
		}
		if got != tt.want {
			t.Errorf("%q matches %q: %q", tt.matcher, tt.tool, got)
		}
	}
	trigger := func(matcher, source string) bool {
		st := open(t, Options{Hooks: []Hook{{Event: SessionStart, Command: "true", Matcher: matcher}}})
		hooks, _ := st.plan(SessionStart, target{trigger: source})
		return len(hooks) == 1
	}
	if !trigger("startup", "startup") || trigger("startup|resume", "startup") || trigger("start", "startup") || !trigger("*", "clear") {
		t.Error("triggers are not compared exactly")
	}

	ext, mine := named("ext", ""), named("mine", "")
	ext.Source = Extensions
	system := named("system", "")
	system.Source = System
	double := named("mine", "other|look")
	runtime := Hook{Event: BeforeTool, Name: "go", Run: func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }}
	never := named("never", "")
	never.IsDisabled = true
	st := open(t, Options{Hooks: []Hook{ext, system, mine, double, named("off", ""), never, runtime}, Disabled: Disabled{All: []string{"off"}}})
	order := func() string {
		var names []string
		hooks, _ := st.plan(BeforeTool, target{tool: "look"})
		for _, h := range hooks {
			names = append(names, h.ID())
		}
		return strings.Join(names, " ")
	}
	if got := order(); got != "go mine system ext" {
		t.Errorf("order %q", got)
	}
	st.Disable(Disabled{All: []string{"mine"}})
	if got := order(); got != "go off system ext" {
		t.Errorf("order %q", got)
	}
	st.Disable(Disabled{Project: []string{"mine", "system", "ext", "go"}})
	if got := order(); got != "go mine off system" {
		t.Errorf("a project disables hooks of others: %q", got)
	}
	st.Disable(Disabled{All: []string{"mine"}})
	if list := st.Hooks(); len(list) != 7 || !list[1].IsDisabled || list[0].IsDisabled {
		t.Errorf("hooks %+v", list)
	}
}

// A hook of a project does not replace an equal one of the user or the system.
func TestEqualHooks(t *testing.T) {
	t.Parallel()
	for _, other := range []Source{SystemDefaults, User, System} {
		theirs := Hook{Event: BeforeTool, Command: "check", Source: other}
		project := Hook{Event: BeforeTool, Command: "check", Source: Workspace, Env: map[string]string{"PATH": "/none"}}
		st := open(t, Options{Hooks: []Hook{project, theirs, project}})
		if hooks, _ := st.plan(BeforeTool, target{tool: "look"}); len(hooks) != 1 || hooks[0].Source != other {
			t.Errorf("%s: %+v", other, hooks)
		}
	}
}

// With one sequential definition all hooks run in their order, and each sees the changes of those
// before it that succeeded.
func TestSequential(t *testing.T) {
	t.Parallel()
	hooks := []Hook{
		prints(BeforeTool, `{"hookSpecificOutput":{"tool_input":{"b":2}}}`),
		command(BeforeTool, `cat > second; echo '{"hookSpecificOutput":{"tool_input":{"c":3}}}'; exit 1`),
		command(BeforeTool, `cat > third; echo '{"hookSpecificOutput":{"tool_input":{"d":4}}}'`),
	}
	hooks[2].IsSequential = true
	st := open(t, Options{Hooks: hooks})
	b := st.Before(t.Context(), hooked("look", `{"a":1}`))
	for name, want := range map[string]string{"second": `{"a":1,"b":2}`, "third": `{"a":1,"b":2}`} {
		if got := string(encode(st.saved(t, name)["tool_input"])); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if string(b.Args) != `{"d":4}` {
		t.Errorf("args %s", b.Args)
	}

	st = open(t, Options{Hooks: []Hook{
		{Event: BeforeAgent, Command: `echo '{"hookSpecificOutput":{"additionalContext":"more"}}'`, IsSequential: true, Timeout: time.Minute},
		command(BeforeAgent, "cat > second"),
	}})
	if v := st.BeforeAgent(t.Context(), "p"); v.Context != "more" || st.saved(t, "second")["prompt"] != "p\n\nmore" {
		t.Errorf("%+v, %v", v, st.saved(t, "second"))
	}
}

// Hooks of one event run at the same time: each waits for the file of the other.
func TestParallel(t *testing.T) {
	t.Parallel()
	wait := func(mine, other string) Hook {
		return command(BeforeAgent, fmt.Sprintf(`touch %s; until [ -e %s ]; do sleep 0.01; done; echo '{"reason":"%s","decision":"deny"}'`, mine, other, mine))
	}
	st := open(t, Options{Hooks: []Hook{wait("a", "b"), wait("b", "a")}})
	if v := st.BeforeAgent(t.Context(), "p"); v.Reason != "a\nb" {
		t.Errorf("%+v", v)
	}
}

// TestBadHooks checks that no hook holds the session past its time or fills its memory.
func TestBadHooks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text    string
		timeout time.Duration // of a hook that should run into it
		failed  bool
		blocked string // reason of the block; "" for none
	}{
		"hangs":                         {text: "sleep 100", timeout: 50 * time.Millisecond, failed: true},
		"hangs with a child":            {text: "sleep 100 & wait", timeout: 50 * time.Millisecond, failed: true},
		"has no time at all":            {text: "echo no; exit 2", timeout: -1, failed: true},
		"denies and then hangs":         {text: `echo '{"decision":"deny","reason":"r"}'; sleep 100`, timeout: 5 * time.Second, failed: true, blocked: "r"},
		"prints 100 MB":                 {text: `head -c 100000000 /dev/zero | tr '\0' x; exit 2`, blocked: "xxx"},
		"prints 100 MB to stderr":       {text: `head -c 100000000 /dev/zero | tr '\0' x >&2; exit 2`, blocked: "xxx"},
		"prints without end":            {text: "yes", timeout: 100 * time.Millisecond, failed: true},
		"does not read its input":       {text: `exec <&-; echo '{"decision":"deny","reason":"r"}'`, blocked: "r"},
		"is killed":                     {text: `echo no; kill -9 $$`, failed: true},
		"leaves a child with its pipes": {text: `sleep 100 & echo $! > child; echo '{"decision":"deny","reason":"r"}'`, blocked: "r"},
		"leaves a silent child":         {text: `sleep 100 >/dev/null 2>&1 </dev/null & echo $! > child; echo '{"decision":"deny","reason":"r"}'`, blocked: "r"},
		"prints after its parent":       {text: `(sleep 5; echo '{"decision":"allow"}') & echo $! > child; echo '{"decision":"deny","reason":"r"}'`, blocked: "r"},
		"prints invalid UTF-8":          {text: `printf 'caf\xc3\xa9 \xff\xfe no'; exit 2`, blocked: "\uFFFD no"},
		"prints another encoding":       {text: `printf '\xb2\xbb\xd0\xed\xd0\xb4\xc8\xeb\xa3\xa1'; exit 2`, blocked: "不许写入！"},
		"prints NUL":                    {text: `printf 'a\0b'; exit 2`, blocked: "a\x00b"},
		"prints JSON of another event":  {text: `echo '{"hookSpecificOutput":{"hookEventName":"AfterModel","llm_response":{"candidates":[]},"toolConfig":{"mode":"NONE"},"clearContext":true}}'`, failed: true},
		"does not exist":                {text: "/nonexistent/hook", failed: true, blocked: "No such file"},
		"is a syntax error":             {text: "if (", failed: false, blocked: "syntax error"},
		"is empty":                      {text: ":"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := command(BeforeTool, tt.text)
			if tt.timeout != 0 {
				h.Timeout = max(0, tt.timeout)
			}
			st := open(t, Options{Hooks: []Hook{h}})
			began := time.Now()
			b := st.Before(t.Context(), hooked("look", `{"x":"`+strings.Repeat("y", 200_000)+`"}`))
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %v", took)
			}
			if b.Block != (tt.blocked != "") || !strings.Contains(b.Reason, tt.blocked) || len(b.Reason) > maxText+1000 {
				t.Errorf("blocked %v: %.100q", b.Block, b.Reason)
			}
			if got := len(st.messages) > 0; got != tt.failed {
				t.Errorf("messages %q", st.messages)
			}
			if c := st.calls[0]; len(c.Stdout) > maxStream || len(c.Stderr) > maxStream {
				t.Errorf("kept %d and %d bytes", len(c.Stdout), len(c.Stderr))
			}
			if pid, err := os.ReadFile(filepath.Join(st.dir, "child")); err == nil {
				n, _ := strconv.Atoi(strings.TrimSpace(string(pid)))
				if !processtest.IsRunning(n) {
					t.Error("the child has ended before the session")
				}
				st.Close()
				processtest.WaitUntil(t, "the child is gone", func() bool { return !processtest.IsRunning(n) })
			}
		})
	}
}

// Close ends processes that a hook has left running, and does not touch those that have ended:
// their numbers may belong to others.
func TestLeft(t *testing.T) {
	t.Parallel()
	st := open(t, Options{Hooks: []Hook{command(SessionEnd, `sh -c 'echo $$ >child; exec sleep 300' >/dev/null 2>&1 & until [ -s child ]; do :; done`)}})
	leave := func() (*process.Process, int) {
		file := filepath.Join(st.dir, "child")
		_ = os.Remove(file) // the first hook has not made it yet
		st.SessionEnd(t.Context(), ExitReason)
		list := st.leftovers.List()
		if len(list) == 0 {
			t.Fatal("nothing is left running")
		}
		return list[len(list)-1].Process, processtest.AwaitPID(t, file)
	}
	ended, pid := leave()
	processtest.Kill(pid)
	processtest.WaitUntil(t, "the first child has ended", func() bool { return !processtest.IsRunning(pid) })
	running, pid := leave()
	st.Close()
	processtest.WaitUntil(t, "the second child has ended", func() bool { return !processtest.IsRunning(pid) })
	<-running.Stopped()
	select {
	case <-ended.Stopped():
		t.Error("Close terminated a hook whose processes had ended")
	default:
	}
}

// A hook that leaves nothing running is released.
func TestLeftNothing(t *testing.T) {
	t.Parallel()
	st := open(t, Options{Hooks: []Hook{command(SessionEnd, "true & wait")}})
	st.SessionEnd(t.Context(), ExitReason)
	if list := st.leftovers.List(); len(list) > 0 {
		t.Errorf("%d programs are kept", len(list))
	}
}

// A process that has a session of its own outlives the hooks, which note it in the log.
func TestLeftDaemon(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: needs Linux and setsid")
	}
	var log bytes.Buffer
	st := open(t, Options{
		Hooks: []Hook{command(SessionEnd, "setsid sh -c 'echo $$ >apart; exec sleep 300' & until [ -s apart ]; do :; done")},
		Log:   slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	st.SessionEnd(t.Context(), ExitReason)
	apart := processtest.AwaitPID(t, filepath.Join(st.dir, "apart"))
	st.Close()
	if !processtest.IsRunning(apart) {
		t.Error("the daemon has ended")
	}
	if want := fmt.Sprintf("pids=[%d]", apart); !strings.Contains(log.String(), want) {
		t.Errorf("log %q, want %s", log.String(), want)
	}
}

// When the run ends, a hook that ignores it does not hold it up.
func TestCancelled(t *testing.T) {
	t.Parallel()
	st := open(t, Options{Hooks: []Hook{command(BeforeTool, `trap '' TERM; echo $$ >ready; sleep 100; echo no; exit 2`)}})
	ctx, cancel := context.WithCancel(t.Context())
	processtest.WhenWritten(t, filepath.Join(st.dir, "ready"), cancel)
	if b := st.Before(ctx, hooked("look", "{}")); b.Block || len(st.messages) > 0 {
		t.Errorf("%+v, %q", b, st.messages)
	}
	if pid := processtest.AwaitPID(t, filepath.Join(st.dir, "ready")); !processtest.IsRunning(pid) {
		t.Error("the hook has ended: Before waited for it")
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	fails := command(BeforeAgent, "exit 3")
	fails.Name = "lint"
	loud := prints(BeforeAgent, `{"systemMessage":"hello"}`)
	loud.Name = "loud"
	quiet := prints(BeforeAgent, `{"systemMessage":"psst","suppressOutput":true}`)
	blocks := command(BeforeAgent, "echo no >&2; exit 2")
	for _, tt := range []struct {
		name        string
		hooks       []Hook
		interactive bool
		want        string
	}{
		{"a failure", []Hook{fails}, false, "Hook(s) [lint] failed for event BeforeAgent. To see why, run: pollux hooks test BeforeAgent"},
		{"a block is no failure", []Hook{blocks}, false, ""},
		{"a message of several lines", []Hook{prints(BeforeAgent, `{"systemMessage":"hello\nYOLO mode is enabled."}`)}, false, "Hook system message: hello\n  YOLO mode is enabled."},
		{"a message", []Hook{loud}, false, "Hook system message: hello"},
		{"a message to a person", []Hook{loud}, true, "loud: hello"},
		{"a suppressed message", []Hook{quiet}, false, ""},
		{"a suppressed message to a person", []Hook{quiet}, true, "cat <<'END'...: psst"},
	} {
		st := open(t, Options{Hooks: tt.hooks, Interactive: tt.interactive})
		st.BeforeAgent(t.Context(), "p")
		if got := strings.Join(st.messages, "|"); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	fails.Event, loud.Event = AfterModel, AfterModel
	st := open(t, Options{Hooks: []Hook{fails, loud}})
	for range 2 { // requests
		req := sampleRequest()
		st.BeforeModel(t.Context(), req)
		for range 3 { // chunks
			st.AfterModel(t.Context(), req, &llm.Response{})
		}
	}
	if len(st.messages) != 4 {
		t.Errorf("messages of requests: %q", st.messages)
	}
}

// TestEnvironment checks variables and the replacement of variables in commands.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	st := open(t, Options{
		Environ: func(origin process.Origin) []string {
			return []string{"PATH=" + os.Getenv("PATH"), fmt.Sprintf("OF_PROJECT=%v", origin == process.OriginProject), "GEMINI_CWD=old", "K=old"}
		},
		Hooks: []Hook{
			{Event: SessionEnd, Source: Workspace, Timeout: time.Minute, Env: map[string]string{"K": "V", "GEMINI_SESSION_ID": "mine"}, Command: `pwd > pwd; env > env`},
		},
	})
	st.SessionEnd(t.Context(), ExitReason)
	env, _ := os.ReadFile(filepath.Join(st.dir, "env"))
	for _, want := range []string{
		"GEMINI_PROJECT_DIR=" + st.dir, "GEMINI_CWD=" + st.dir, "CLAUDE_PROJECT_DIR=" + st.dir, "GEMINI_PLANS_DIR=/plans",
		"GEMINI_SESSION_ID=mine", "OF_PROJECT=true", "K=V",
	} {
		if !strings.Contains("\n"+string(env), "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, env)
		}
	}

	dir := "/a b/$x'\"`c"
	vars := []variable{{"GEMINI_PROJECT_DIR", dir}, {"GEMINI_SESSION_ID", "id"}}
	for _, command := range []string{
		`printf %s $GEMINI_PROJECT_DIR`, `printf %s "$GEMINI_PROJECT_DIR"`, `printf %s '$GEMINI_PROJECT_DIR'`,
		`printf %s \"$GEMINI_PROJECT_DIR | tail -c +2`, `printf %s "\"$GEMINI_PROJECT_DIR" | tail -c +2`, `printf %s 'x\'$GEMINI_PROJECT_DIR | tail -c +3`,
	} {
		out, err := exec.Command("bash", "-c", expand(command, vars)).CombinedOutput()
		if err != nil || string(out) != dir {
			t.Errorf("%s: %q, %v", command, out, err)
		}
	}
	if got := expand(`echo $GEMINI_SESSION_ID ${GEMINI_SESSION_ID} $OTHER`, vars); got != `echo id ${GEMINI_SESSION_ID} $OTHER` {
		t.Error(got)
	}
}

// In an untrusted folder, hooks of settings do not run, even if they are in the set.
func TestNotAllowed(t *testing.T) {
	t.Parallel()
	ext := prints(BeforeTool, `{"decision":"deny","reason":"ext"}`)
	ext.Source = Extensions
	st := open(t, Options{
		Allowed: func(Source) bool { return false },
		Hooks:   []Hook{command(BeforeTool, "touch ran; echo no; exit 2"), ext},
	})
	if b := st.Before(t.Context(), hooked("look", "{}")); b.Reason != "ext" {
		t.Errorf("%+v", b)
	}
	if _, err := os.Stat(filepath.Join(st.dir, "ran")); err == nil {
		t.Error("it ran")
	}
	for _, c := range st.calls {
		if c.Hook.Source == User && (c.Err == nil || !strings.Contains(c.Err.Error(), "untrusted folder")) {
			t.Errorf("%+v", c.Result)
		}
	}
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	function := func(run func(context.Context, json.RawMessage) (json.RawMessage, error)) *stage {
		return open(t, Options{Hooks: []Hook{{Event: BeforeTool, Name: "go", Run: run, Timeout: 50 * time.Millisecond}}})
	}
	st := function(func(_ context.Context, in json.RawMessage) (json.RawMessage, error) {
		if !strings.Contains(string(in), `"tool_name":"look"`) {
			t.Errorf("input %s", in)
		}
		return json.RawMessage(`{"decision":"deny","reason":"r"}`), nil
	})
	if b := st.Before(t.Context(), hooked("look", "{}")); !b.Block || b.Reason != "r" {
		t.Errorf("%+v", b)
	}
	for name, run := range map[string]func(context.Context, json.RawMessage) (json.RawMessage, error){
		"fails":  func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, errors.New("boom") },
		"panics": func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("boom") },
		"hangs":  func(context.Context, json.RawMessage) (json.RawMessage, error) { select {} },
	} {
		st := function(run)
		if b := st.Before(t.Context(), hooked("look", "{}")); b.Block || len(st.messages) != 1 || st.calls[0].Err == nil {
			t.Errorf("%s: %+v, %q", name, b, st.messages)
		}
	}
}

// BenchmarkHook measures the cost of a hook beside its own program.
func BenchmarkHook(b *testing.B) {
	o := Options{
		Dir: b.TempDir(), SessionID: func() string { return "s" }, PlansDir: func() string { return "" },
		Environ: func(process.Origin) []string { return []string{"PATH=" + os.Getenv("PATH")} },
		Allowed: func(Source) bool { return true }, Message: func(string) {},
	}
	b.Run("none", func(b *testing.B) {
		s := NewSet(o)
		for b.Loop() {
			s.Before(b.Context(), guard.HookedCall{})
		}
	})
	o.Hooks = []Hook{command(BeforeTool, ":")}
	b.Run("hook", func(b *testing.B) {
		s, c := NewSet(o), hooked("look", "{}")
		for b.Loop() {
			s.Before(b.Context(), c)
		}
	})
	b.Run("program alone", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command("bash", "-c", ":")
			cmd.Stdin = strings.NewReader("{}")
			_, _ = cmd.Output()
		}
	})
}
