package rulebook_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/exit"
	"pollux/internal/guard"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/records"
	"pollux/internal/rulebook"
	"pollux/internal/toolset/toolsettest"
	"pollux/tool"
)

// book is the rulebook of a session, with the records that it has emitted.
type book struct {
	*rulebook.Rulebook
	user    *projecttest.User
	project *project.Project
	engine  *policy.Engine
	tools   *tool.Registry
	records []records.Record
	changes int
}

// newBook makes the rulebook of a session of a user, in a trusted folder and with a person.
func newBook(t *testing.T, u *projecttest.User, changes ...func(*project.Options)) *book {
	t.Helper()
	p := u.Open(append([]func(*project.Options){func(o *project.Options) { o.Folder, o.Interactive = trust.Trusted, true }}, changes...)...)
	k := toolsettest.New(t, p, nil)
	rules, err := p.ReadPolicies(p.HasAccepted)
	if err != nil {
		t.Fatal(err)
	}
	b := &book{user: u, project: p, tools: k.Registry}
	b.engine = rulebook.NewEngine(rulebook.EngineOptions{Project: p, Workspace: k.Workspace, Plans: k.Plans, Rules: rules})
	k.Policy = b.engine
	k.Open()
	b.Rulebook = rulebook.New(rulebook.Parts{
		Project: p, Workspace: k.Workspace, Engine: b.engine, Tools: k.Registry,
		Emit: func(r records.Record) { b.records = append(b.records, r) }, Changed: func() { b.changes++ },
	})
	return b
}

// prepare returns a call of a tool, as the model has made it.
func (b *book) prepare(t *testing.T, name, args string) *agent.PreparedCall {
	t.Helper()
	one, ok := b.tools.Find(name)
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	call := &agent.ToolCall{ID: "1", Name: name, Args: json.RawMessage(args)}
	p, err := agent.Prepare(call, one, call.Args)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSetMode checks the switches of the mode, their records, and the modes that are refused.
func TestSetMode(t *testing.T) {
	t.Parallel()
	b := newBook(t, projecttest.NewUser(t))
	for i, m := range []policy.Mode{policy.AutoEdit, policy.Plan, policy.Yolo, policy.Default} {
		before := b.ModeName()
		if err := b.SetMode(m); err != nil || b.Mode() != m || b.ModeName() != m.String() || b.changes != i+1 {
			t.Errorf("%v: %v, the mode is %v, %d changes", m, err, b.Mode(), b.changes)
		}
		if want := (records.ModeSwitched{From: before, To: m.String()}); len(b.records) != i+1 || b.records[i] != want {
			t.Errorf("%v: records %+v", m, b.records)
		}
	}
	if err := b.SetModeName("plan"); err != nil || b.Mode() != policy.Plan {
		t.Errorf("%v", err)
	}
	if err := b.SetModeName("wild"); err == nil || b.Mode() != policy.Plan {
		t.Errorf("an unknown mode: %v", err)
	}
	for name, tt := range map[string]struct {
		settings string
		folder   trust.State
		mode     policy.Mode
		want     string
		code     exit.Code
	}{
		"plan mode is disabled": {settings: `{"general": {"plan": {"enabled": false}}}`, mode: policy.Plan, want: "Plan mode is disabled in your settings.", code: exit.Config},
		"yolo is disabled":      {settings: `{"security": {"disableYoloMode": true}}`, mode: policy.Yolo, want: policy.ErrNoYolo.Error(), code: exit.General},
		"an untrusted folder":   {settings: `{}`, folder: trust.Untrusted, mode: policy.AutoEdit, want: policy.ErrUntrusted.Error(), code: exit.General},
	} {
		u := projecttest.NewUser(t)
		u.Write("~/.gemini/settings.json", tt.settings)
		b := newBook(t, u)
		if tt.folder != trust.Unknown {
			b.project.Trust.Set(tt.folder)
		}
		if err := b.SetMode(tt.mode); exit.CodeOf(err) != tt.code || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
		if b.Mode() != policy.Default || b.changes > 0 || len(b.records) > 0 {
			t.Errorf("%s: the mode is %v, %d changes, records %+v", name, b.Mode(), b.changes, b.records)
		}
	}
}

// TestStartMode checks that the engine begins in the mode of the project.
func TestStartMode(t *testing.T) {
	t.Parallel()
	if b := newBook(t, projecttest.NewUser(t), func(o *project.Options) { o.ApprovalMode = "auto_edit" }); b.Mode() != policy.AutoEdit {
		t.Errorf("the mode is %v", b.Mode())
	}
}

// A rule that allows a call as the model wrote it does not allow it as a hook has changed it, and a call that a person
// must confirm is not allowed by rules.
func TestAllowsTheCallThatRuns(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/policies/make.toml", "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"make\"]\ndecision = \"allow\"\npriority = 100\n")
	b := newBook(t, u)
	p := b.prepare(t, "run_shell_command", `{"command":"make all"}`)
	changed, err := p.Rewrite(json.RawMessage(`{"command":"touch x"}`), agent.AuthorHook)
	if err != nil {
		t.Fatal(err)
	}
	if !b.Allows(p) || b.Allows(changed) {
		t.Errorf("allowed: as written %v, as changed %v", b.Allows(p), b.Allows(changed))
	}
	p.Call().MustAsk = true
	if b.Allows(p) {
		t.Error("a call that a person must confirm is allowed")
	}
}

// TestDeniesWriting checks which files the rules deny to write.
func TestDeniesWriting(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/policies/a.toml", "[[rule]]\ntoolName = \"write_file\"\nargsPattern = \"locked\"\ndecision = \"deny\"\npriority = 100\n")
	b := newBook(t, u)
	if !b.DeniesWriting(u.Path("locked.txt")) || b.DeniesWriting(u.Path("a.txt")) {
		t.Error("the rule about files does not count")
	}
	if err := b.SetMode(policy.Plan); err != nil || !b.DeniesWriting(u.Path("a.txt")) {
		t.Errorf("in plan mode: %v", err)
	}
	b.tools.Remove("")
	if !b.DeniesWriting(u.Path("a.txt")) {
		t.Error("without the tool files can be written")
	}
}

// TestGrants checks lasting answers: they count, until they are revoked or forbidden.
func TestGrants(t *testing.T) {
	t.Parallel()
	b := newBook(t, projecttest.NewUser(t))
	call := b.prepare(t, "run_shell_command", `{"command":"touch made"}`)
	if b.Allows(call) || !b.CanRemember() || len(b.Grants()) > 0 {
		t.Errorf("before an answer: %+v", b.Grants())
	}
	if !b.engine.Remember(guard.PreparedPolicyCall(call), tool.ProceedAlways) {
		t.Fatal("the answer is not remembered")
	}
	grants := b.Grants()
	if !b.Allows(call) || len(grants) != 1 {
		t.Fatalf("after an answer: %+v", grants)
	}
	if ok, err := b.Revoke(grants[0].ID + 1); ok || err != nil || b.changes > 0 {
		t.Errorf("another one is revoked: %v, %v", ok, err)
	}
	if ok, err := b.Revoke(grants[0].ID); !ok || err != nil || b.changes != 1 || b.Allows(call) || len(b.Grants()) > 0 {
		t.Errorf("revoked %v, %v, %d changes", ok, err, b.changes)
	}
	b.project.Trust.Set(trust.Untrusted)
	if b.CanRemember() {
		t.Error("an untrusted folder has lasting answers")
	}
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"security": {"disableAlwaysAllow": true}}`)
	if newBook(t, u).CanRemember() {
		t.Error("there are lasting answers although the settings forbid them")
	}
}

// An answer that counts in all future sessions is saved, and revoking it removes it from its file.
func TestSavedGrants(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"security": {"enablePermanentToolApproval": true}}`)
	b := newBook(t, u)
	call := guard.PreparedPolicyCall(b.prepare(t, "run_shell_command", `{"command":"touch made"}`))
	if !b.engine.Remember(call, tool.ProceedAlwaysAndSave) || !strings.Contains(u.Read("~/.gemini/policies/auto-saved.toml"), "touch") {
		t.Fatalf("saved is %q", u.Read("~/.gemini/policies/auto-saved.toml"))
	}
	if again := newBook(t, u); !again.Allows(again.prepare(t, "run_shell_command", `{"command":"touch made"}`)) {
		t.Error("the next session does not know the answer")
	}
	if ok, err := b.Revoke(b.Grants()[0].ID); !ok || err != nil || strings.Contains(u.Read("~/.gemini/policies/auto-saved.toml"), "touch") {
		t.Errorf("%v, %v; saved is %q", ok, err, u.Read("~/.gemini/policies/auto-saved.toml"))
	}
}

// TestEngine checks the sources of the rules of a session.
func TestEngine(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"tools": {"allowed": ["run_shell_command(env)"], "exclude": ["glob"]}, "general": {"plan": {"directory": "plans"}},
		"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "sh start.sh"}]}]}}`)
	u.Write("start.sh", "true")
	u.AddExtension("e", `"excludeTools": ["web_fetch"]`, nil)
	p := u.Open(func(o *project.Options) { o.Folder, o.Interactive = trust.Trusted, true })
	u.TakeWarnings()
	k := toolsettest.New(t, p, nil)
	u.TakeWarnings()
	k.Open()
	mine := program("mine", tool.KindRead)
	o := rulebook.EngineOptions{Project: p, Workspace: k.Workspace, Plans: k.Plans, Tools: []tool.Tool{mine, program("changes", tool.KindEdit)}}
	e := rulebook.NewEngine(o)
	if text := u.TakeWarnings(); !strings.Contains(text, "programs that run others: env.") {
		t.Errorf("warnings: %s", text)
	}
	decide := func(e *policy.Engine, name, args string) policy.Decision {
		return e.Check(policy.Call{Name: name, Args: json.RawMessage(args)}).Decision
	}
	for name, want := range map[string]policy.Decision{"glob": policy.Deny, "web_fetch": policy.Deny, "mine": policy.Allow, "changes": policy.Ask, "write_file": policy.Ask} {
		if got := decide(e, name, `{}`); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	write := func(e *policy.Engine, path string) policy.Decision {
		one, _ := k.Registry.Find("write_file")
		return e.Check(guard.PolicyCall(one, json.RawMessage(fmt.Sprintf(`{"file_path": %q, "content": ""}`, path)))).Decision
	}
	if err := e.SetMode(policy.AutoEdit); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]policy.Decision{"a.txt": policy.Allow, "start.sh": policy.Ask, "Makefile": policy.Ask} {
		if got := write(e, u.Path(path)); got != want {
			t.Errorf("in auto_edit mode, writing %s: %s", path, got)
		}
	}
	if err := e.SetMode(policy.Plan); err != nil {
		t.Fatal(err)
	}
	if got := write(e, u.Path("plans/p.md")); got != policy.Allow {
		t.Errorf("writing a plan: %s", got)
	}
	o.FilesOnly, o.Tools = true, nil
	e = rulebook.NewEngine(o)
	if got := decide(e, "glob", `{}`); got != policy.Allow || u.TakeWarnings() != "" {
		t.Errorf("the rules of settings count beside those of files: glob %s", got)
	}
}

// A project's tools.confirmationRequired makes questions of calls that are allowed, and not of those that the user has denied.
func TestProjectConfirmations(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings string // of the user
		want     map[string]policy.Decision
	}{
		"the project's": {`{"mcp": {"allowed": ["*"]}}`, map[string]policy.Decision{"glob": policy.Deny, "read_file": policy.Ask, "list_directory": policy.Allow}},
		"both":          {`{"tools": {"confirmationRequired": ["list_directory", "glob"]}}`, map[string]policy.Decision{"glob": policy.Ask, "read_file": policy.Ask, "list_directory": policy.Ask}},
		"trusting":      {`{"pollux": {"trustProjectSafety": true}}`, map[string]policy.Decision{"glob": policy.Ask, "read_file": policy.Ask, "list_directory": policy.Allow}},
	} {
		u := projecttest.NewUser(t)
		u.Write("~/.gemini/settings.json", tt.settings)
		u.Write("~/.gemini/policies/a.toml", "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 100\n")
		u.Write(".gemini/settings.json", `{"tools": {"confirmationRequired": ["glob", "read_file"]}}`)
		b := newBook(t, u)
		for tool, want := range tt.want {
			if got := b.engine.Check(policy.Call{Name: tool, Args: json.RawMessage(`{}`)}).Decision; got != want {
				t.Errorf("%s: %s: %s, want %s", name, tool, got, want)
			}
		}
	}
}

// Entries of lists that restrict and match nothing cause a warning.
func TestRestrictsNothing(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"tools": {"exclude": ["write_file(x)", " ", "glob", "run_shell_command(rm)", "run_shell_command(rm", "EditTool", "mcp_s_t", "writefile"],
		"confirmationRequired": ["Glob", "replace(x)"]}}`)
	u.AddExtension("e", `"excludeTools": "replace(x)"`, nil)
	newBook(t, u)
	text := u.TakeWarnings()
	for _, want := range []string{
		`Settings (tools.exclude): "write_file(x)" restricts nothing`, `Settings (tools.exclude): "" restricts nothing`, `Extension (e): excludeTools: "replace(x)" restricts nothing`,
		`Settings (tools.exclude): there is no tool "writefile": did you mean "write_file"?`, `Settings (tools.confirmationRequired): there is no tool "Glob": did you mean "glob"?`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no warning %q in %s", want, text)
		}
	}
	if strings.Count(text, "restricts nothing") != 3 || strings.Count(text, "there is no tool") != 2 {
		t.Errorf("warnings: %s", text)
	}
}

// program returns a tool of a program.
func program(name string, kind tool.Kind) tool.Tool {
	return &ofProgram{tool.Spec{Name: name, Kind: kind, Schema: json.RawMessage(`{"type":"object"}`)}}
}

type ofProgram struct{ spec tool.Spec }

func (p *ofProgram) Spec() *tool.Spec                               { return &p.spec }
func (p *ofProgram) Build(json.RawMessage) (tool.Invocation, error) { return nil, nil }

// TestBuildFiles checks the setting about build files.
func TestBuildFiles(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{"always": false, "never": true} {
		u := projecttest.NewUser(t)
		u.Write("~/.gemini/settings.json", `{"pollux": {"buildFiles": "`+value+`"}}`)
		b := newBook(t, u, func(o *project.Options) { o.ApprovalMode = "auto_edit" })
		if text := u.TakeWarnings(); text != "" {
			t.Error(text)
		}
		if got := b.Allows(b.prepare(t, "write_file", fmt.Sprintf(`{"file_path": %q, "content": "x"}`, u.Path("Makefile")))); got != want {
			t.Errorf("%s: writing a build file is allowed: %v", value, got)
		}
	}
}

// TestParseEveryTool checks that calls of every tool with arguments are explained without a session.
func TestParseEveryTool(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	b, err := rulebook.Open(t.Context(), u.Open(func(o *project.Options) { o.Folder = trust.Trusted }), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range policy.ToolNames() {
		for _, args := range []string{`{}`, "{" + strings.Join([]string{
			`"agent_name": "codebase_investigator"`, `"prompt": "x"`, `"file_path": "a"`, `"name": "a"`, `"pattern": "a"`, `"query": "a"`, `"content": "a"`,
			`"old_string": "a"`, `"new_string": "b"`, `"instruction": "a"`, `"dir_path": "."`, `"include": ["a"]`, `"reason": "a"`, `"pid": 1`,
			`"plan_filename": "a.md"`, `"todos": []`, `"fact": "a"`, `"questions": [{"question": "a", "header": "b", "type": "yesno"}]`, `"path": "a"`, `"title": "a"`,
		}, ",") + "}"} {
			call, err := b.ParseCall(name, args)
			if err != nil {
				t.Errorf("%s %s: %v", name, args, err)
			}
			if list := b.Explain(call, policy.Default); len(list) != 2 {
				t.Errorf("%s %s: %+v", name, args, list)
			}
		}
	}
}

// TestServerLists checks that lists of MCP servers in the settings name servers without regard to case.
func TestServerLists(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"mcpServers": {"Docs": {"command": "x"}, "old": {"command": "x"}}, "mcp": {"allowed": ["docs"], "excluded": [" OLD "]}}`)
	b, err := rulebook.Open(t.Context(), u.Open(func(o *project.Options) { o.Folder = trust.Trusted }), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]policy.Decision{"mcp_Docs_search": policy.Allow, "mcp_old_search": policy.Deny, "mcp_other_search": policy.Ask} {
		call, err := b.ParseCall(name, "{}")
		if err != nil {
			t.Fatal(err)
		}
		if got := b.Explain(call, policy.Default)[0].Verdict.Decision; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
