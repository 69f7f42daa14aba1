package owncalls_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/guard"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/trust"
	"pollux/internal/owncalls"
	"pollux/internal/person"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/records"
	"pollux/internal/tools/activate"
	"pollux/internal/toolset"
	"pollux/internal/toolset/toolsettest"
	"pollux/llm"
	"pollux/tool"
)

// caller makes calls in a project.
type caller struct {
	*owncalls.Calls
	*projecttest.User
	kit   *toolsettest.Kit
	tools *toolset.Set
}

// newCaller opens a trusted project of a user with a policy for shell commands. hooks run around calls.
func newCaller(t *testing.T, u *projecttest.User, hooks []hook.Hook, more []tool.Tool, changes ...func(*project.Options)) *caller {
	t.Helper()
	p := u.Open(append([]func(*project.Options){func(o *project.Options) { o.Folder, o.Hooks, o.Model = trust.Trusted, hooks, "gemini-2.5-flash" }}, changes...)...)
	u.TakeWarnings()
	c := &caller{User: u, kit: toolsettest.New(t, p, nil)}
	c.tools = c.kit.Open(more...)
	o := guard.Options{Policy: c.kit.Policy, Interactive: p.Options.Interactive, Tool: c.kit.Registry.Lookup, Log: p.Log}
	if len(hooks) > 0 {
		none := func() string { return "" }
		list, _ := p.ReadHooks()
		set := p.HookSet(list, hook.Options{SessionID: none, PlansDir: none})
		t.Cleanup(set.Close)
		o.Hooks = set
	}
	c.Calls = owncalls.New(owncalls.Parts{
		Project: p, Models: c.kit.Models, Gate: guard.New(o), Tools: c.tools, Registry: c.kit.Registry, Workspace: c.kit.Workspace, Records: c.kit.Parts.Records,
	})
	return c
}

// run runs the shell commands of the custom command c, which the user has written.
func (c *caller) run(ctx context.Context, commands ...string) (string, error) {
	texts, err := c.RunCommands(ctx, "c", process.OriginUser, commands)
	return strings.Join(texts, "|"), err
}

// has reports whether a file exists.
func (c *caller) has(name string) bool {
	_, err := os.Stat(c.Path(name))
	return err == nil
}

// TestRunCommands checks that one question is asked about all shell commands of a custom command, that the answer
// counts for each of them, and that a refusal runs none.
func TestRunCommands(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	c := newCaller(t, u, nil, nil, u.AtTerminal)
	commands := []string{"touch one", "echo fine", "touch two > three", "pwd"}
	if _, err := c.run(t.Context(), commands...); !errors.Is(err, owncalls.ErrRefused) {
		t.Error(err)
	}
	asked := u.TakeApprovals()
	if len(asked) != 1 {
		t.Fatalf("asked %d times", len(asked))
	}
	q := asked[0].(*tool.ExecConfirmation)
	if q.Command != "touch one\ntouch two > three" || q.Title != "Confirm Shell Command of /c" || strings.Join(q.Roots, " ") != "touch touch redirection (>)" {
		t.Errorf("asked %+v", q)
	}
	if len(q.Writes) != 1 || q.Writes[0] != "three" {
		t.Errorf("the question lists the writes %q", q.Writes)
	}
	if c.has("one") || c.has("two") || c.has("three") {
		t.Error("a refused command ran")
	}
	u.AnswerApprovals(tool.ProceedOnce)
	if got, err := c.run(t.Context(), commands...); err != nil || got != "|fine||"+u.Dir || len(u.TakeApprovals()) != 1 {
		t.Errorf("%q, %v", got, err)
	}
	if !c.has("one") || !c.has("two") || !c.has("three") {
		t.Error("a command did not run")
	}
	// A lasting answer counts for each command, also alone.
	u.AnswerApprovals(tool.ProceedAlways)
	if _, err := c.run(t.Context(), "mkdir a", "rmdir a"); err != nil {
		t.Error(err)
	}
	offers := u.TakeApprovals()[0].(*tool.ExecConfirmation).Offers
	if len(offers) == 0 || !strings.Contains(offers[0].Rule, "mkdir") || !strings.Contains(offers[0].Rule, "rmdir") {
		t.Errorf("offers %+v", offers)
	}
	for _, again := range [][]string{{"mkdir a", "rmdir a"}, {"mkdir a"}, {"rmdir a"}} {
		if _, err := c.run(t.Context(), again...); err != nil || len(u.TakeApprovals()) > 0 {
			t.Error(again, err)
		}
	}
	// An answer about a command does not allow the commands in it.
	u.AnswerApprovals(tool.Cancel)
	if _, err := c.run(t.Context(), "mkdir $(touch four)"); !errors.Is(err, owncalls.ErrRefused) || c.has("four") {
		t.Errorf("a substitution ran: %v", err)
	}
	if got := c.kit.TakeRecords(); len(got) > 0 {
		t.Errorf("records: %+v", got)
	}
}

// A lasting answer to a question about several commands names each rule once, and the programs that run others.
func TestOffers(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	c := newCaller(t, u, nil, nil, u.AtTerminal)
	if _, err := c.run(t.Context(), "sudo touch a", "touch b", "touch c", "env touch d"); !errors.Is(err, owncalls.ErrRefused) {
		t.Error(err)
	}
	offers := u.TakeApprovals()[0].(*tool.ExecConfirmation).Offers
	if len(offers) != 1 || strings.Join(offers[0].Runners, " ") != "sudo env" || strings.Count(offers[0].Rule, "touch") != 1 {
		t.Errorf("offers %+v", offers)
	}
}

// A question about one command alone is its own.
func TestRunOneCommand(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	c := newCaller(t, u, nil, nil, u.AtTerminal)
	u.AnswerApprovals(tool.ProceedOnce)
	if _, err := c.run(t.Context(), "echo fine", "touch one"); err != nil || !c.has("one") {
		t.Error(err)
	}
	if asked := u.TakeApprovals(); len(asked) != 1 || asked[0].(*tool.ExecConfirmation).Command != "touch one" || asked[0].(*tool.ExecConfirmation).Title != "Confirm Shell Command of /c" {
		t.Errorf("asked %+v", asked)
	}
	if got, err := c.run(t.Context()); got != "" || err != nil {
		t.Errorf("no commands: %q, %v", got, err)
	}
	if got, err := c.run(t.Context(), "false", "echo b"); got != "Exit Code: 1|b" && !strings.HasSuffix(got, "|b") || err != nil {
		t.Errorf("a command that fails: %q, %v", got, err)
	}
}

// TestRunCommandsErrors checks the errors of commands that do not run, with and without a person.
func TestRunCommandsErrors(t *testing.T) {
	t.Parallel()
	const denied = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"rm\"]\ndecision = \"deny\"\ndenyMessage = \"Never.\"\npriority = 100\n" +
		"[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"mkdir\"]\ndecision = \"allow\"\npriority = 100\n" +
		"[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"touch\"]\ndecision = \"ask_user\"\npriority = 100\n"
	for name, tt := range map[string]struct {
		person  bool // who does not answer
		face    bool // a program that answers questions of runs alone
		command string
		code    exit.Code
		want    string
		is      error
	}{
		"a script":                {command: "touch one", code: exit.Input, want: person.ErrNoPerson.Message + ` /c runs "touch one". To allow it, add a policy rule.`, is: person.ErrNoPerson},
		"a program":               {face: true, command: "touch one", code: exit.Input, want: person.ErrNoPerson.Message, is: person.ErrNoPerson},
		"a person refuses":        {person: true, command: "touch one", code: exit.General, want: "the user has refused", is: owncalls.ErrRefused},
		"denied for a person":     {person: true, command: "rm one", code: exit.General, want: `c cannot be run. Blocked command: "rm one". Reason: Blocked by policy. Never.`},
		"denied for a script":     {command: "rm one", code: exit.General, want: `c cannot be run. Blocked command: "rm one". Reason: Blocked by policy. Never.`},
		"no command":              {person: true, command: "a\x00b", code: exit.General, want: `/c cannot run "ab": `},
		"a long command is short": {command: "touch " + strings.Repeat("x", 500) + "\n", code: exit.Input, want: person.ErrNoPerson.Message + ` /c runs "touch xxx`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			u.Write("~/.gemini/policies/a.toml", denied)
			c := newCaller(t, u, nil, nil, func(o *project.Options) {
				if tt.person {
					u.AtTerminal(o)
				}
				o.Interactive = o.Interactive || tt.face
			})
			got, err := c.run(t.Context(), "mkdir begun", tt.command)
			if err == nil || exit.CodeOf(err) != tt.code || !strings.HasPrefix(err.Error(), tt.want) || got != "" || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%q, exit code %d, %v", got, exit.CodeOf(err), err)
			}
			if c.has("begun") {
				t.Error("another command ran")
			}
			if err != nil && len(err.Error()) > 400 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// TestRunCommandsEnd checks that the end of the context ends the commands and the questions about them.
func TestRunCommandsEnd(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	c := newCaller(t, u, nil, nil, func(o *project.Options) { o.ApprovalMode = "yolo" })
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	done := make(chan error)
	go func() {
		_, err := c.run(ctx, "touch began; sleep 1000", "touch after")
		done <- err
	}()
	for !c.has("began") {
		time.Sleep(time.Millisecond)
	}
	cancel(why)
	if err := <-done; !errors.Is(err, why) {
		t.Error(err)
	}
	if c.has("after") {
		t.Error("a command ran after the end")
	}
	if _, err := c.run(ctx, "touch after"); !errors.Is(err, why) || c.has("after") {
		t.Errorf("after the end: %v", err)
	}
}

// rewriter is a hook that changes calls of the shell.
func rewriter(command string) hook.Hook {
	return hook.Hook{Event: hook.BeforeTool, Name: "rewriter", Run: func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(`{"hookSpecificOutput": {"tool_input": {"command": "` + command + `"}}}`), nil
	}}
}

// A call that a hook has changed is recorded.
func TestChangedCommandsAreRecorded(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	c := newCaller(t, u, []hook.Hook{rewriter("echo other")}, nil, func(o *project.Options) { o.ApprovalMode = "yolo" })
	if got, err := c.run(t.Context(), "echo mine"); !strings.HasPrefix(got, "other\n") || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	got := c.kit.TakeRecords()
	if len(got) != 1 {
		t.Fatalf("records: %+v", got)
	}
	if f := got[0].(records.ClientCall).Finished; f.Status != agent.Success || f.Call.Name != "run_shell_command" || len(f.Executions) != 1 || f.Began.IsZero() {
		t.Errorf("%+v", f)
	}
}

// program is a tool of a program. Its calls run until the test lets them.
type program struct {
	spec    tool.Spec
	began   chan struct{}
	proceed chan struct{}
	running atomic.Int32
	isBoth  atomic.Bool // two calls have run at the same time
}

// specOf returns the description of a tool without arguments.
func specOf(name string, kind tool.Kind) tool.Spec {
	return tool.Spec{Name: name, Kind: kind, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (p *program) Spec() *tool.Spec                               { return &p.spec }
func (p *program) Build(json.RawMessage) (tool.Invocation, error) { return p, nil }
func (p *program) Summary() string                                { return "" }
func (p *program) Locations() []tool.Location                     { return nil }
func (p *program) Confirmation(context.Context) (tool.Confirmation, error) {
	return nil, nil
}

func (p *program) Run(context.Context, tool.Host) *tool.Result {
	if p.running.Add(1) == 2 {
		p.isBoth.Store(true)
	}
	defer p.running.Add(-1)
	p.began <- struct{}{}
	<-p.proceed
	return &tool.Result{Content: []llm.Part{llm.Text("done")}}
}

// ofServer is a tool of an MCP server.
type ofServer struct{ program }

func (o *ofServer) Server() string              { return "files" }
func (o *ofServer) RemoteName() string          { return "read" }
func (o *ofServer) Annotations() map[string]any { return nil }

// skill is a stand-in for the tool that activates skills.
type skill struct {
	program
	fails bool
}

func (s *skill) Build(args json.RawMessage) (tool.Invocation, error) { return s, nil }
func (s *skill) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.InfoConfirmation{Title: "Activate"}, nil
}

func (s *skill) Run(context.Context, tool.Host) *tool.Result {
	if s.fails {
		return tool.Fail(tool.ErrExecutionFailed, "The skill\nis gone.")
	}
	return &tool.Result{Content: []llm.Part{llm.Text("Instructions.")}}
}

// TestActivate checks that a person activates a skill by a call that passes the gate.
func TestActivate(t *testing.T) {
	t.Parallel()
	denied := "[[rule]]\ntoolName = \"activate_skill\"\ndecision = \"deny\"\npriority = 100\n"
	for name, tt := range map[string]struct {
		none, fails bool
		policy      string
		answer      tool.Outcome
		ended       bool
		want        string
		err         string
		is          error
	}{
		"activated": {answer: tool.ProceedOnce, want: "Instructions."},
		"refused":   {answer: tool.Cancel, is: owncalls.ErrRefused},
		"no skills": {none: true, err: `Cannot use the skill "tidy": The tool activate_skill is not available. There are no skills.`},
		"hidden":    {policy: denied, err: `Cannot use the skill "tidy": The tool activate_skill is not available. `},
		"it fails":  {answer: tool.ProceedOnce, fails: true, err: "The skill is gone."},
		"the end":   {answer: tool.ProceedOnce, ended: true, is: context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			u.Write("~/.gemini/policies/a.toml", tt.policy)
			u.AnswerApprovals(tt.answer)
			var more []tool.Tool
			if !tt.none {
				more = append(more, &skill{program: program{spec: specOf(activate.Name, tool.KindOther)}, fails: tt.fails})
			}
			c := newCaller(t, u, nil, more, u.AtTerminal)
			if tt.none {
				c.tools.SetAbsent(activate.Name, "There are no skills.")
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.ended {
				cancel()
			}
			parts, err := c.Activate(ctx, "tidy")
			if got := llm.PartsText(parts); got != tt.want {
				t.Errorf("the instructions are %q", got)
			}
			switch {
			case tt.is != nil:
				if !errors.Is(err, tt.is) {
					t.Error(err)
				}
			case tt.err != "":
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) || exit.CodeOf(err) != exit.General {
					t.Error(err)
				}
			case err != nil:
				t.Error(err)
			}
		})
	}
	script := projecttest.NewUser(t)
	c := newCaller(t, script, nil, []tool.Tool{&skill{program: program{spec: specOf(activate.Name, tool.KindRead)}}}, func(o *project.Options) { o.Interactive = true })
	if _, err := c.Activate(t.Context(), "tidy"); !errors.Is(err, owncalls.ErrRefused) {
		t.Errorf("without an asker: %v", err)
	}
}
