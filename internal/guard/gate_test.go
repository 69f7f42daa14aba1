package guard

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
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pollux/agent"
	"pollux/internal/durable"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/llm"
	"pollux/tool"
)

// realTool is a tool that changes files in a directory.
type realTool struct {
	spec tool.Spec
	run  func(ctx context.Context, args map[string]any, host tool.Host) *tool.Result
}

func (t *realTool) Spec() *tool.Spec { return &t.spec }

func (t *realTool) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args map[string]any
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, err
	}
	if args["file_path"] == "bad" {
		return nil, errors.New("That path is bad.")
	}
	return &realCall{t, args}, nil
}

type realCall struct {
	tool *realTool
	args map[string]any
}

func (c *realCall) Summary() string {
	return fmt.Sprintf("%s %v", c.tool.spec.Name, c.args["file_path"])
}

func (c *realCall) Locations() []tool.Location {
	path, _ := c.args["file_path"].(string)
	return []tool.Location{{Path: path}}
}

func (c *realCall) Confirmation(context.Context) (tool.Confirmation, error) {
	switch c.args["file_path"] {
	case "nothing to ask":
		return nil, nil
	case "confirmation panics":
		panic("oh no")
	case "confirmation fails":
		return nil, errors.New("disk on fire")
	}
	return &tool.EditConfirmation{Title: "Edit", DiffDisplay: tool.DiffDisplay{FilePath: fmt.Sprint(c.args["file_path"]), After: fmt.Sprint(c.args["content"])}}, nil
}

func (c *realCall) Run(ctx context.Context, host tool.Host) *tool.Result {
	return c.tool.run(ctx, c.args, host)
}

func (c *realCall) WithContent(content string) (json.RawMessage, error) {
	if content == "refuse" {
		return nil, errors.New("not that")
	}
	return json.Marshal(map[string]any{"file_path": c.args["file_path"], "content": content})
}

const schema = `{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path"]}`

// writer writes files in dir.
func writer(dir string) *realTool {
	return &realTool{
		spec: tool.Spec{Name: "write_file", DisplayName: "WriteFile", Aliases: []string{"WriteFileTool"}, Kind: tool.KindEdit, Schema: json.RawMessage(schema)},
		run: func(_ context.Context, args map[string]any, _ tool.Host) *tool.Result {
			path := filepath.Join(dir, args["file_path"].(string))
			if err := os.WriteFile(path, []byte(fmt.Sprint(args["content"])), 0o600); err != nil {
				return tool.Fail(tool.ErrFileWrite, err.Error())
			}
			return tool.Text("written")
		},
	}
}

// printer returns a tool of this kind that returns its content.
func printer(name string, kind tool.Kind) *realTool {
	return &realTool{
		spec: tool.Spec{Name: name, Kind: kind, Schema: json.RawMessage(schema)},
		run: func(_ context.Context, args map[string]any, _ tool.Host) *tool.Result {
			return tool.Text(fmt.Sprint(args["content"]))
		},
	}
}

func gate(mode policy.Mode, o Options, rules ...policy.Rule) *Gate {
	o.Policy = policy.New(policy.Options{Mode: mode, Interactive: o.Interactive, Trust: trust.NewLive(trust.Trusted), Rules: rules, Dir: "/project"})
	return New(o)
}

func call(name, path, content string) *agent.ToolCall {
	args, _ := json.Marshal(map[string]string{"file_path": path, "content": content})
	return &agent.ToolCall{ID: name + "__1", Name: name, Args: args}
}

// answers returns an Ask that gives the answers in turn.
func answers(t *testing.T, list ...tool.Answer) agent.Ask {
	return func(context.Context, *agent.Question) (tool.Answer, error) {
		if len(list) == 0 {
			t.Error("asked once more than expected")
			return tool.Answer{Outcome: tool.Cancel}, nil
		}
		a := list[0]
		list = list[1:]
		return a, nil
	}
}

// A confirmation reports whether a person may edit the change.
func TestModifiable(t *testing.T) {
	t.Parallel()
	for _, modifiable := range []bool{true, false} {
		var w tool.Tool = writer(t.TempDir())
		if !modifiable {
			w = fixedTool{w}
		}
		asked := false
		gate(policy.Default, Options{Interactive: true}).Admit(t.Context(), call("write_file", "a", "theirs"), w,
			func(_ context.Context, q *agent.Question) (tool.Answer, error) {
				details := q.Details()
				asked = true
				if e := details.(*tool.EditConfirmation); e.Modifiable != modifiable {
					t.Errorf("Modifiable is %v, want %v", e.Modifiable, modifiable)
				}
				return tool.Answer{Outcome: tool.Cancel}, nil
			})
		if !asked {
			t.Error("no question")
		}
	}
}

// fixedTool is a tool whose calls cannot be edited.
type fixedTool struct{ tool.Tool }

func (f fixedTool) Build(args json.RawMessage) (tool.Invocation, error) {
	inv, err := f.Tool.Build(args)
	return struct{ tool.Invocation }{inv}, err
}

func unasked(t *testing.T) agent.Ask { return answers(t) }

// wantRefusal checks that a call is refused with a message that begins with message.
func wantRefusal(t *testing.T, a agent.Admission, typ tool.ErrorType, message string) {
	t.Helper()
	if a.Run != nil || a.Record.Result == nil || a.Record.Result.Error == nil {
		t.Fatalf("admission = %+v, want a refusal", a)
	}
	if a.Record.Result.Error.Type != typ || !strings.HasPrefix(a.Record.Result.Error.Message, message) {
		t.Errorf("refused with %s %q, want %s %q", a.Record.Result.Error.Type, a.Record.Result.Error.Message, typ, message)
	}
}

func run(t *testing.T, a agent.Admission) *tool.Result {
	t.Helper()
	if a.Run == nil || a.Record.Result != nil {
		t.Fatalf("admission = %+v, want a run", a)
	}
	return last(a.Run(t.Context(), agent.Host{}))
}

// last returns the result for the model.
func last(list []agent.Execution) *tool.Result { return list[len(list)-1].Result }

func TestAllowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := gate(policy.Yolo, Options{}).Admit(t.Context(), call("write_file", "a", "hello"), writer(dir), unasked(t))
	if a.Record.Decision.Outcome != tool.ProceedOnce || a.Record.Summary != "write_file a" || string(a.Call.Args()) != `{"content":"hello","file_path":"a"}` {
		t.Errorf("admission = %+v", a)
	}
	if r := run(t, a); r.Error != nil || llm.PartsText(r.Content) != "written" {
		t.Errorf("result = %+v", r)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a")); string(b) != "hello" || err != nil {
		t.Errorf("file = %q, %v", b, err)
	}
	if r := last(a.Run(t.Context(), agent.Host{})); r.Error == nil {
		t.Error("the call ran twice")
	}
}

func TestInvalid(t *testing.T) {
	t.Parallel()
	g := gate(policy.Yolo, Options{})
	for args, want := range map[string]string{
		`{}`:                  "params must have required property 'file_path'",
		`{"file_path":[1]}`:   "params/file_path must be string",
		`[]`:                  "Value of params must be an object",
		`{"file_path":"bad"}`: "That path is bad.",
	} {
		a := g.Admit(t.Context(), &agent.ToolCall{Name: "write_file", Args: json.RawMessage(args)}, writer(t.TempDir()), unasked(t))
		wantRefusal(t, a, tool.ErrInvalidParams, want)
	}
	for _, args := range []string{`{"file_path":"a","x":{"FILE_PATH":"b"}}`, `{"file_path":"a","content":"\"FILE_PATH\":"}`} {
		if a := g.Admit(t.Context(), &agent.ToolCall{Name: "write_file", Args: json.RawMessage(args)}, writer(t.TempDir()), unasked(t)); a.Run == nil {
			t.Errorf("%s: %+v", args, a.Record.Result)
		}
	}
	for _, args := range []string{``, `{"`, `"`, `{"a`, `{"a\"`, `nonsense`, "{\"file_path\":\"\xff"} {
		if a := g.Admit(t.Context(), &agent.ToolCall{Name: "write_file", Args: json.RawMessage(args)}, writer(t.TempDir()), unasked(t)); a.Run != nil {
			t.Errorf("%q is admitted", args)
		}
	}
}

func TestPolicyTexts(t *testing.T) {
	t.Parallel()
	w := writer(t.TempDir())
	denied := gate(policy.Default, Options{})
	wantRefusal(t, denied.Admit(t.Context(), call("write_file", "a", ""), w, unasked(t)), tool.ErrPolicyViolation,
		"Tool execution denied by policy. Headless runs cannot ask for approval, and approval mode \"default\" does not allow it. A user can allow it with --approval-mode auto_edit.")
	told := gate(policy.Yolo, Options{}, policy.Rule{Tools: []string{"WriteFileTool"}, Decision: policy.Deny, Priority: 4, DenyMessage: "Not today."})
	wantRefusal(t, told.Admit(t.Context(), call("write_file", "a", ""), w, unasked(t)), tool.ErrPolicyViolation, "Tool execution denied by policy. Not today.")
	asking := gate(policy.Default, Options{}, policy.Rule{Tools: []string{"write_file"}, Decision: policy.Ask, Priority: 4})
	wantRefusal(t, asking.Admit(t.Context(), call("write_file", "a", ""), w, unasked(t)), tool.ErrUnhandled,
		`Tool execution for "WriteFile" requires user confirmation, which is not supported in non-interactive mode. A policy rule requires approval.`)
	// A person's own command.
	own := call("write_file", "a", "")
	own.FromClient = true
	if a := asking.Admit(t.Context(), own, w, unasked(t)); a.Run == nil {
		t.Errorf("client's call: %+v", a.Record.Result)
	}
	own.Args = json.RawMessage(`{"file_path":"a","additional_permissions":{"network":true}}`)
	if a := asking.Admit(t.Context(), own, w, unasked(t)); a.Run != nil {
		t.Error("client's call with additional permissions is not asked about")
	}
	if a := told.Admit(t.Context(), own, w, unasked(t)); a.Run != nil {
		t.Error("client's call is not denied")
	}
	own.Typed = true
	if a := told.Admit(t.Context(), own, w, unasked(t)); a.Run == nil {
		t.Errorf("typed call: %+v", a.Record.Result)
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	mine, refused := "mine", "refuse"
	for _, tt := range []struct {
		name    string
		path    string
		answers []tool.Answer
		outcome tool.Outcome
		file    string // the written text, "-" for a refusal
	}{
		{"once", "a", []tool.Answer{{Outcome: tool.ProceedOnce}}, tool.ProceedOnce, "theirs"},
		{"cancel", "a", []tool.Answer{{Outcome: tool.Cancel}}, tool.Cancel, "-"},
		{"nonsense", "a", []tool.Answer{{Outcome: "x"}}, tool.Cancel, "-"},
		{"edited", "a", []tool.Answer{{Outcome: tool.ProceedOnce, Content: &mine}}, tool.ProceedOnce, "mine"},
		{"in the editor", "a", []tool.Answer{{Outcome: tool.ModifyWithEditor, Content: &mine}, {Outcome: tool.ProceedOnce}}, tool.ProceedOnce, "mine"},
		{"no editor", "a", []tool.Answer{{Outcome: tool.ModifyWithEditor}, {Outcome: tool.Cancel}}, tool.Cancel, "-"},
		{"nothing to ask", "nothing to ask", nil, tool.ProceedOnce, "theirs"},
		{"bad edit", "a", []tool.Answer{{Outcome: tool.ProceedOnce, Content: &refused}}, "", "-"},
		{"always", "a", []tool.Answer{{Outcome: tool.ProceedAlways}}, tool.ProceedAlways, "theirs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			g := gate(policy.Default, Options{Interactive: true})
			a := g.Admit(t.Context(), call("write_file", tt.path, "theirs"), writer(dir), answers(t, tt.answers...))
			if a.Record.Decision.Outcome != tt.outcome {
				t.Errorf("outcome = %q, want %q", a.Record.Decision.Outcome, tt.outcome)
			}
			if tt.file == "-" {
				if a.Run != nil || a.Record.Result == nil || a.Cancelled != (tt.outcome == tool.Cancel) {
					t.Errorf("admission = %+v", a)
				}
				if d, ok := a.Record.Result.Display.(*tool.DiffDisplay); a.Cancelled && (!ok || d.FilePath != tt.path) {
					t.Errorf("the display is lost: %+v", a.Record.Result.Display)
				}
				return
			}
			run(t, a)
			if b, err := os.ReadFile(filepath.Join(dir, tt.path)); string(b) != tt.file || err != nil {
				t.Errorf("file = %q, %v, want %q", b, err, tt.file)
			}
		})
	}
}

func TestAlways(t *testing.T) {
	t.Parallel()
	g := gate(policy.Default, Options{Interactive: true})
	w := writer(t.TempDir())
	g.Admit(t.Context(), call("write_file", "a", ""), w, answers(t, tool.Answer{Outcome: tool.ProceedAlways}))
	if g.opts.Policy.Mode() != policy.AutoEdit {
		t.Errorf("mode = %v", g.opts.Policy.Mode())
	}
	if a := g.Admit(t.Context(), call("write_file", "b", ""), w, unasked(t)); a.Run == nil {
		t.Errorf("asked again: %+v", a)
	}
	p := printer("web_search", tool.KindOther)
	g.Admit(t.Context(), call("web_search", "a", ""), p, answers(t, tool.Answer{Outcome: tool.ProceedAlwaysTool}))
	if a := g.Admit(t.Context(), call("web_search", "b", ""), p, unasked(t)); a.Run == nil {
		t.Errorf("asked again: %+v", a)
	}
}

func TestCancelledContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	g := gate(policy.Default, Options{Interactive: true})
	w := writer(t.TempDir())
	a := g.Admit(ctx, call("write_file", "a", ""), w, func(ctx context.Context, _ *agent.Question) (tool.Answer, error) {
		cancel()
		<-ctx.Done()
		return tool.Answer{}, ctx.Err()
	})
	if !a.Cancelled || a.Run != nil || a.Record.Result == nil {
		t.Errorf("while asking: %+v", a)
	}
	if a := g.Admit(ctx, call("write_file", "a", ""), w, unasked(t)); !a.Cancelled {
		t.Errorf("before: %+v", a)
	}
}

func TestPanics(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	g := gate(policy.Default, Options{Interactive: true, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))},
		policy.Rule{Tools: []string{"bomb"}, Decision: policy.Allow, Priority: 4})
	bomb := &realTool{
		spec: tool.Spec{Name: "bomb", Schema: json.RawMessage(schema)},
		run: func(context.Context, map[string]any, tool.Host) *tool.Result {
			panic("boom")
		},
	}
	r := run(t, g.Admit(t.Context(), call("bomb", "a", ""), bomb, unasked(t)))
	if r.Error == nil || r.Error.Type != tool.ErrUnhandled || strings.Contains(r.Error.Message, "goroutine") {
		t.Errorf("result = %+v", r)
	}
	if !strings.Contains(log.String(), "gate_test.go") {
		t.Errorf("no stack in the log: %s", log.String())
	}
	w := writer(t.TempDir())
	a := g.Admit(t.Context(), call("write_file", "confirmation panics", ""), w, unasked(t))
	if a.Record.Result == nil || a.Record.Result.Error.Type != tool.ErrUnhandled {
		t.Errorf("admission = %+v", a)
	}
	a = g.Admit(t.Context(), call("write_file", "confirmation fails", ""), w, unasked(t))
	wantRefusal(t, a, tool.ErrUnhandled, "disk on fire")
	bomb.run = func(context.Context, map[string]any, tool.Host) *tool.Result { return nil }
	if r := run(t, g.Admit(t.Context(), call("bomb", "a", ""), bomb, unasked(t))); r.Error == nil {
		t.Errorf("result = %+v", r)
	}
}

// script is a user's hook as a real program: it reads the arguments from its standard input
// and prints its decision.
type script struct{ before, after string }

func (s script) output(program string, in any) []byte {
	b, _ := json.Marshal(in)
	cmd := exec.Command("sh", "-c", program)
	cmd.Stdin = bytes.NewReader(b)
	out, _ := cmd.Output()
	return out
}

func (s script) Before(_ context.Context, c HookedCall) (b BeforeTool) {
	_ = json.Unmarshal(s.output(s.before, c.Current), &b)
	return b
}

func (s script) After(_ context.Context, c HookedCall, _ *tool.Result) (a AfterTool) {
	_ = json.Unmarshal(s.output(s.after, c.Current), &a)
	return a
}

func (script) Notify(context.Context, HookedCall, tool.Confirmation) {}

func TestHooks(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("NOT TESTED: sh is not installed")
	}
	denyB := policy.Rule{Tools: []string{"write_file"}, Decision: policy.Deny, Priority: 4}
	var err error
	if denyB.Args, err = policy.NewPattern(`\x00"file_path":"b"\x00`); err != nil {
		t.Fatal(err)
	}
	admit := func(g *Gate, ask agent.Ask) agent.Admission {
		return g.Admit(t.Context(), call("write_file", "a", "x"), writer(t.TempDir()), ask)
	}
	with := func(before, after string) *Gate {
		return gate(policy.Yolo, Options{Hooks: script{before, after}}, denyB)
	}

	wantRefusal(t, admit(with(`echo '{"Stop":true,"Reason":"enough"}'`, ""), unasked(t)), tool.ErrStopExecution, "Agent execution stopped by hook: enough")
	wantRefusal(t, admit(with(`echo '{"Block":true,"Reason":"lint"}'`, ""), unasked(t)), tool.ErrPolicyViolation, "Tool execution blocked: lint")
	wantRefusal(t, admit(with(`echo '{"Args":{"file_path":[1]}}'`, ""), unasked(t)), tool.ErrInvalidParams,
		"Tool parameter modification by hook failed validation: params/file_path must be string")
	wantRefusal(t, admit(with(`sed 's/"a"/"b"/; s/.*/{"Args":&}/'`, ""), unasked(t)), tool.ErrPolicyViolation, "Tool execution denied by policy.")
	wantRefusal(t, admit(with(`echo '{"Ask":true}'`, ""), unasked(t)), tool.ErrUnhandled,
		`Tool execution for "WriteFile" requires user confirmation, which is not supported in non-interactive mode.`)

	a := admit(with(`sed 's/"a"/"c"/; s/.*/{"Args":&}/'`, `echo '{"Context":"see also"}'`), unasked(t))
	if string(a.Call.Args()) != `{"content":"x","file_path":"c"}` {
		t.Errorf("args = %s", a.Call.Args())
	}
	want := "written\n\n[System] Tool input parameters were modified by a hook before execution.\n\n<hook_context>see also</hook_context>"
	if got := llm.PartsText(run(t, a).Content); got != want {
		t.Errorf("text = %q", got)
	}
	r := run(t, admit(with("", `echo '{"Block":true,"Reason":"ugly"}'`), unasked(t)))
	if r.Error == nil || r.Error.Type != tool.ErrExecutionFailed || r.Error.Message != "ugly" {
		t.Errorf("result = %+v", r)
	}
	if r.Display != tool.TextDisplay("Tool result blocked: ugly") {
		t.Errorf("display = %v", r.Display)
	}
	r = run(t, admit(with("", `echo '{"Stop":true,"Reason":"done"}'`), unasked(t)))
	if r.Error == nil || r.Error.Type != tool.ErrStopExecution || r.Error.Message != "done" || r.Display != tool.TextDisplay("Agent execution stopped by hook: done") {
		t.Errorf("result = %+v", r)
	}
	asked := gate(policy.Yolo, Options{Interactive: true, Hooks: script{`echo '{"Ask":true}'`, ""}})
	if a := admit(asked, answers(t, tool.Answer{Outcome: tool.Cancel})); !a.Cancelled {
		t.Errorf("a hook's question: %+v", a)
	}
}

// A person may refuse with feedback.
func TestFeedback(t *testing.T) {
	t.Parallel()
	g := gate(policy.Default, Options{Interactive: true})
	a := g.Admit(t.Context(), call("write_file", "a", "theirs"), writer(t.TempDir()),
		answers(t, tool.Answer{Outcome: tool.Cancel, Feedback: "shorter, please"}))
	if !a.Cancelled || a.Run != nil {
		t.Fatalf("admission = %+v", a)
	}
	if got := llm.PartsText(a.Record.Result.Content); got != "shorter, please" {
		t.Errorf("the feedback is %q", got)
	}
	a = g.Admit(t.Context(), call("write_file", "a", "theirs"), writer(t.TempDir()),
		answers(t, tool.Answer{Outcome: tool.Cancel, Unattended: true}))
	if !a.Cancelled || a.Record.Decision.By == agent.DecidedByUser || a.Record.Result.Error == nil || !strings.Contains(a.Record.Result.Error.Message, "no user can be asked") {
		t.Errorf("without anybody: %+v", a)
	}
}

// steps records the order of the steps.
type steps struct {
	mu    sync.Mutex
	taken []string
	fail  error
}

func (s *steps) note(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = append(s.taken, step)
}

func (s *steps) Before(_ context.Context, call *agent.PreparedCall) error {
	s.note("snapshot " + call.Locations()[0].Path)
	return s.fail
}

type order struct{ *steps }

func (o order) Before(context.Context, HookedCall) BeforeTool {
	o.note("hooks")
	return BeforeTool{}
}

func (o order) After(_ context.Context, _ HookedCall, r *tool.Result) AfterTool {
	o.note(fmt.Sprintf("hooks after %d", len(llm.PartsText(r.Content))))
	return AfterTool{}
}

func (o order) Notify(context.Context, HookedCall, tool.Confirmation) { o.note("notify") }

// in returns a function that creates outputs in a directory.
func in(dir string) func(string) (*os.File, error) {
	var files durable.Numbered
	return func(tool string) (*os.File, error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
		return files.Create(dir, tool)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	s := &steps{}
	dir := t.TempDir()
	g := gate(policy.Default, Options{
		Interactive: true, Hooks: order{s}, Around: []Step{{Before: s.Before}}, Threshold: 100,
		CreateOutput: in(dir),
	})
	admission := g.Admit(t.Context(), call("echo", "a", strings.Repeat("x", 500)), printer("echo", tool.KindOther),
		func(context.Context, *agent.Question) (tool.Answer, error) {
			s.note("confirm")
			return tool.Answer{Outcome: tool.ProceedOnce}, nil
		})
	for _, x := range admission.Run(t.Context(), agent.Host{}) {
		s.note(fmt.Sprintf("record %s %s %v", x.Decision.By, x.Status, x.Result.OutputFile != ""))
	}
	want := "hooks, notify, confirm, snapshot a, hooks after 500, record user success true"
	if got := strings.Join(s.taken, ", "); got != want {
		t.Errorf("steps: %s\nwant:  %s", got, want)
	}
	// A step that cannot be undone does not run.
	s.fail = errors.New("no space")
	dir = t.TempDir()
	g.opts.Hooks = nil
	r := run(t, g.Admit(t.Context(), call("write_file", "a", "x"), writer(dir), answers(t, tool.Answer{Outcome: tool.ProceedOnce})))
	if _, err := os.Stat(filepath.Join(dir, "a")); err == nil || r.Error == nil || r.Error.Type != tool.ErrExecutionFailed {
		t.Errorf("result = %+v, %v", r, err)
	}
}

func TestTrim(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 1000)
	for _, tt := range []struct {
		kind      tool.Kind
		threshold int
		room      int
		units     int // of the shown text's head and tail; 0 for all
		isRemote  bool
	}{
		{tool.KindOther, 1000, 0, 1000, false},
		{tool.KindOther, 10_000, 0, 0, false},
		{tool.KindOther, 9_999, 0, 9_999, false},
		{tool.KindOther, 0, 10, 30, false},
		{tool.KindOther, -1, 0, 0, false},
		{tool.KindOther, 40_000, 100, 300, false},
		{tool.KindExecute, 1000, 0, 1000, false},
		{tool.KindExecute, 9_500, 0, 0, false}, // cut by the tool itself
		{tool.KindRead, 1000, 0, 0, false},
		{tool.KindRead, 1000, 0, 1000, true}, // of a server
	} {
		dir := filepath.Join(t.TempDir(), "outputs")
		g := gate(policy.Yolo, Options{Threshold: tt.threshold, CreateOutput: in(dir)})
		c := call("Print.It", "a", long)
		c.Room = tt.room
		var made tool.Tool = printer("Print.It", tt.kind)
		if tt.isRemote {
			made = remote{printer("Print.It", tt.kind), "server"}
		}
		r := run(t, g.Admit(t.Context(), c, made, unasked(t)))
		text := llm.PartsText(r.Content)
		if tt.units == 0 {
			if text != long || r.OutputFile != "" {
				t.Errorf("%+v: cut to %d", tt, len(text))
			}
			continue
		}
		if tool.Units(text) < tt.units || tool.Units(text) > tt.units+500 || !strings.HasPrefix(text, "Output too large. Showing first ") {
			t.Errorf("%+v: %d characters: %.100s", tt, tool.Units(text), text)
		}
		if want := filepath.Join(dir, "print_it_1.txt"); r.OutputFile != want {
			t.Errorf("file = %q, want %q", r.OutputFile, want)
		}
		if b, err := os.ReadFile(r.OutputFile); string(b) != long || err != nil {
			t.Errorf("file holds %d bytes, %v", len(b), err)
		}
		if info, err := os.Stat(r.OutputFile); err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode = %v", info.Mode())
		}
		if info, err := os.Stat(dir); err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("mode of the directory = %v", info.Mode())
		}
	}
}

// A link in place of the output file is not followed.
func TestSpillOverLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, filepath.Join(dir, "p_1.txt")); err != nil {
		t.Skip("no symbolic links here")
	}
	g := gate(policy.Yolo, Options{Threshold: 10, CreateOutput: in(dir)})
	run(t, g.Admit(t.Context(), call("p", "a", strings.Repeat("x", 100)), printer("p", tool.KindOther), unasked(t)))
	if b, err := os.ReadFile(victim); string(b) != "mine" || err != nil {
		t.Errorf("victim = %q, %v", b, err)
	}
	g.opts.CreateOutput = func(string) (*os.File, error) { return nil, errors.New("no home") }
	r := run(t, g.Admit(t.Context(), call("p", "a", strings.Repeat("x", 100)), printer("p", tool.KindOther), unasked(t)))
	if !strings.Contains(llm.PartsText(r.Content), "no home") || r.OutputFile != "" {
		t.Errorf("result = %+v", r)
	}
}

// remote is a tool of an MCP server.
type remote struct {
	*realTool
	server string
}

func (r remote) Server() string              { return r.server }
func (r remote) RemoteName() string          { return r.Spec().Name }
func (r remote) Annotations() map[string]any { return map[string]any{"readOnlyHint": true} }

// After a permission for a server's tool in the session, Pollux asks again when the server's description
// of it changes.
func TestAlwaysRemote(t *testing.T) {
	t.Parallel()
	g := gate(policy.Default, Options{Interactive: true})
	one := remote{printer("mcp_s_list", tool.KindOther), "s"}
	g.Admit(t.Context(), call("mcp_s_list", "a", ""), one, answers(t, tool.Answer{Outcome: tool.ProceedAlwaysTool}))
	if a := g.Admit(t.Context(), call("mcp_s_list", "b", ""), one, unasked(t)); a.Run == nil {
		t.Errorf("asked again: %+v", a)
	}
	changed := remote{printer("mcp_s_list", tool.KindOther), "s"}
	changed.Spec().Description = "Sends your keys"
	asked := false
	g.Admit(t.Context(), call("mcp_s_list", "c", ""), changed, func(context.Context, *agent.Question) (tool.Answer, error) {
		asked = true
		return tool.Answer{Outcome: tool.Cancel}, nil
	})
	if !asked {
		t.Error("a changed tool runs without a question")
	}
}

// relay is a tool whose calls go to a server.
type relay struct {
	*realTool
	to remote
}

func (r relay) Build(args json.RawMessage) (tool.Invocation, error) {
	inv, err := r.realTool.Build(args)
	return relayedCall{inv, r.to}, err
}

type relayedCall struct {
	tool.Invocation
	to remote
}

func (c relayedCall) Remote() tool.Tool { return c.to }

// A call that goes to a server needs the approval of a tool of the server, and to be allowed itself.
func TestRelayed(t *testing.T) {
	t.Parallel()
	read := policy.Rule{Tools: []string{"read"}, Decision: policy.Allow}
	server := policy.Rule{Tools: []string{"mcp_s_read"}, Server: "s", Decision: policy.Allow}
	never := policy.Rule{Tools: []string{"read"}, Decision: policy.Deny, Priority: 1}
	for _, c := range []struct {
		name  string
		rules []policy.Rule
		runs  bool
	}{
		{"only itself", []policy.Rule{read}, false},
		{"both", []policy.Rule{read, server}, true},
		{"only the server", []policy.Rule{never, server}, false},
	} {
		one := relay{printer("read", tool.KindRead), remote{printer("mcp_s_read", tool.KindRead), "s"}}
		g := gate(policy.Default, Options{}, c.rules...)
		if a := g.Admit(t.Context(), call("read", "a", ""), one, unasked(t)); (a.Run != nil) != c.runs {
			t.Errorf("%s: %+v", c.name, a)
		}
	}
}

// wrapper adds nothing to a tool and to its invocations.
type wrapper struct{ tool.Tool }

func (w wrapper) Unwrap() tool.Tool { return w.Tool }

func (w wrapper) Build(args json.RawMessage) (tool.Invocation, error) {
	inv, err := w.Tool.Build(args)
	return wrappedCall{inv}, err
}

type wrappedCall struct{ tool.Invocation }

func (c wrappedCall) Unwrap() tool.Invocation { return c.Invocation }

// A person may edit the text that a wrapped tool writes, too.
func TestEditWrapped(t *testing.T) {
	t.Parallel()
	dir, mine := t.TempDir(), "mine"
	g := gate(policy.Default, Options{Interactive: true})
	a := g.Admit(t.Context(), call("write_file", "a", "theirs"), wrapper{writer(dir)}, func(_ context.Context, q *agent.Question) (tool.Answer, error) {
		c := q.Details()
		if e, ok := c.(*tool.EditConfirmation); !ok || !e.Modifiable {
			t.Errorf("%T cannot be edited", c)
		}
		return tool.Answer{Outcome: tool.ProceedOnce, Content: &mine}, nil
	})
	run(t, a)
	if b, err := os.ReadFile(filepath.Join(dir, "a")); string(b) != mine {
		t.Errorf("file = %q, %v", b, err)
	}
}

func TestRemote(t *testing.T) {
	t.Parallel()
	g := gate(policy.Default, Options{Subagent: "helper"},
		policy.Rule{Tools: []string{"*"}, Server: "my_server", Subagent: "helper", Annotations: map[string]any{"readOnlyHint": true}, Decision: policy.Allow, Priority: 4})
	p := printer("mcp_my_server_get", tool.KindOther)
	if a := g.Admit(t.Context(), call(p.spec.Name, "a", ""), remote{p, "my_server"}, unasked(t)); a.Run == nil {
		t.Errorf("refused: %+v", a.Record.Result)
	}
	if a := g.Admit(t.Context(), call(p.spec.Name, "a", ""), wrapper{wrapper{remote{p, "my_server"}}}, unasked(t)); a.Run == nil {
		t.Errorf("refused where it is wrapped: %+v", a.Record.Result)
	}
	if a := g.Admit(t.Context(), call(p.spec.Name, "a", ""), remote{p, "other"}, unasked(t)); a.Run != nil {
		t.Error("another server is admitted")
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g := gate(policy.Default, Options{Interactive: true, Threshold: 100, CreateOutput: in(dir)})
	w, p := writer(dir), printer("echo", tool.KindOther)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			outcome := []tool.Outcome{tool.ProceedOnce, tool.ProceedAlways, tool.Cancel}[i%3]
			for _, c := range []struct {
				call *agent.ToolCall
				tool tool.Tool
			}{
				{call("write_file", fmt.Sprint(i), "x"), w},
				{call("echo", fmt.Sprint(i), strings.Repeat("x", 1000)), p},
			} {
				c.call.ID = fmt.Sprintf("%s__%d", c.call.Name, i)
				a := g.Admit(t.Context(), c.call, c.tool, func(context.Context, *agent.Question) (tool.Answer, error) {
					return tool.Answer{Outcome: outcome}, nil
				})
				if (a.Run == nil) != a.Cancelled {
					t.Errorf("admission = %+v", a)
				}
				if a.Run != nil {
					if r := last(a.Run(t.Context(), agent.Host{})); r.Error != nil {
						t.Errorf("result = %+v", r.Error)
					}
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkAdmit(b *testing.B) {
	p := printer("read_file", tool.KindRead)
	g := gate(policy.Default, Options{})
	for _, size := range []int{10, 1 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			c := call("read_file", "internal/guard/gate.go", strings.Repeat("x", size))
			b.ReportAllocs()
			for b.Loop() {
				if a := g.Admit(b.Context(), c, p, nil); a.Run == nil {
					b.Fatal("refused")
				}
			}
		})
	}
}

// questioner is a tool that asks a person for a reply.
type questioner struct{ *realTool }

func (q questioner) Build(json.RawMessage) (tool.Invocation, error) {
	return &question{realCall: realCall{q.realTool, nil}}, nil
}

type question struct {
	realCall
	reply *tool.Reply
}

func (q *question) Answer(r tool.Reply) { q.reply = &r }

func (q *question) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.QuestionConfirmation{Title: "Which?"}, nil
}

func (q *question) Run(context.Context, tool.Host) *tool.Result {
	if q.reply == nil {
		return tool.Text("nothing")
	}
	return tool.Text(q.reply.Answers["0"] + q.reply.Feedback)
}

// The reply of a person reaches the call, and no other call.
func TestReply(t *testing.T) {
	t.Parallel()
	ask := &realTool{spec: tool.Spec{Name: "ask_user", DisplayName: "Ask User"}}
	reply := &tool.Reply{Answers: map[string]string{"0": "blue"}, Feedback: "!"}
	for _, c := range []struct {
		name   string
		tool   tool.Tool
		answer tool.Answer
		want   string // "" if the call does not run
	}{
		{"answered", questioner{ask}, tool.Answer{Outcome: tool.ProceedOnce, Reply: reply}, "blue!"},
		{"a plain yes", questioner{ask}, tool.Answer{Outcome: tool.ProceedOnce}, "nothing"},
		{"cancelled", questioner{ask}, tool.Answer{Outcome: tool.Cancel, Reply: reply}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := gate(policy.Default, Options{Interactive: true})
			a := g.Admit(t.Context(), call("ask_user", "x", ""), c.tool, answers(t, c.answer))
			if c.want == "" {
				if !a.Cancelled || a.Run != nil {
					t.Errorf("%+v", a)
				}
				return
			}
			if a.Record.Decision.By != agent.DecidedByPolicy {
				t.Errorf("an answer to the model counts as a decision: %+v", a.Record.Decision)
			}
			if got := run(t, a).Content[0].Text; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The time in which a call waits for a person, or for other calls after its admission, is no time that it takes.
func TestActive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := func(context.Context, *agent.Question) (tool.Answer, error) {
			time.Sleep(5 * time.Second)
			return tool.Answer{Outcome: tool.ProceedOnce}, nil
		}
		p := printer("ask", tool.KindOther)
		p.run = func(ctx context.Context, _ map[string]any, host tool.Host) *tool.Result {
			time.Sleep(time.Second)
			_, _ = host.Ask(ctx, &tool.QuestionConfirmation{}) // the answer does not matter
			return tool.Text("ok")
		}
		a := gate(policy.Default, Options{Interactive: true}).Admit(t.Context(), call("ask", "a", ""), p, slow)
		time.Sleep(3 * time.Second)
		x := a.Run(t.Context(), agent.Host{Ask: slow})[0]
		if x.Duration != 14*time.Second || x.Active != time.Second || x.Decision.By != agent.DecidedByUser {
			t.Errorf("it took %v, active %v, decided by %s", x.Duration, x.Active, x.Decision.By)
		}
	})
}
