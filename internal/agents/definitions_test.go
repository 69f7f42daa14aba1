package agents_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pollux/internal/agents"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/subagent"
	"pollux/internal/toolset/toolsettest"
)

// read reads the definitions of a user, for the rules of an engine.
func read(t *testing.T, u *projecttest.User, changes ...func(*project.Options)) (*agents.Definitions, *project.Project, *policy.Engine) {
	t.Helper()
	p := u.Open(append([]func(*project.Options){func(o *project.Options) { o.Folder = trust.Trusted }}, changes...)...)
	u.TakeWarnings()
	e := toolsettest.New(t, p, nil).Policy
	ds, err := agents.ReadDefinitions(t.Context(), p, e)
	if err != nil {
		t.Fatal(err)
	}
	return ds, p, e
}

// names returns the names of the subagents beside the built-in ones.
func names(ds *agents.Definitions) string {
	var list []string
	for _, d := range ds.Set().Enabled() {
		if d.Origin != subagent.Builtin {
			list = append(list, d.Name)
		}
	}
	return strings.Join(list, " ")
}

// TestDefinitions checks whose definitions count, by trust and settings.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings string // of the user
		folder   trust.State
		atHome   bool
		want     string
		builtin  int
	}{
		"trusted":    {want: "theirs mine of-extension", builtin: 3},
		"untrusted":  {folder: trust.Untrusted, want: "mine of-extension", builtin: 3},
		"at home":    {atHome: true, want: "mine of-extension", builtin: 3},
		"off":        {settings: `{"experimental": {"enableAgents": false}}`},
		"overridden": {settings: `{"agents": {"overrides": {"mine": {"enabled": false}, "generalist": {"enabled": false}}}}`, want: "theirs of-extension", builtin: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			if tt.settings != "" {
				u.Write("~/.gemini/settings.json", tt.settings)
			}
			u.Write("~/.gemini/agents/mine.md", definition("mine", ""))
			u.Write(".gemini/agents/theirs.md", definition("theirs", ""))
			u.AddExtension("e", "", map[string]string{"agents/x.md": definition("of-extension", "")})
			u.Answer("Use them")
			ds, _, _ := read(t, u, u.AtTerminal, func(o *project.Options) {
				if tt.folder != trust.Unknown {
					o.Folder = tt.folder
				}
				if tt.atHome {
					o.Dir = u.Home
				}
			})
			if got := names(ds); got != tt.want || len(ds.Set().Enabled())-len(strings.Fields(got)) != tt.builtin || ds.HasOwn() != (tt.want != "") {
				t.Errorf("the subagents are %s, %d in all", got, len(ds.Set().Enabled()))
			}
		})
	}
}

// TestUnknownOverrides checks that a setting for a subagent that does not exist is warned about, unless the folder is not
// trusted, so that its subagents are unknown.
func TestUnknownOverrides(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		folder trust.State
		want   string
	}{
		"trusted": {trust.Trusted, "Warning: agents.overrides names \"gone\", but there is no such agent.\n" +
			"Warning: agents.overrides names \"their\", but there is no such agent. Did you mean \"theirs\"?"},
		"untrusted": {trust.Untrusted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			u.Write("~/.gemini/settings.json", `{"agents": {"overrides": {"their": {"enabled": false}, "theirs": {"enabled": true}, "gone": {}, "generalist": {}}}}`)
			u.Write(".gemini/agents/theirs.md", definition("theirs", ""))
			u.Answer("Use them")
			read(t, u, u.AtTerminal, func(o *project.Options) { o.Folder = tt.folder })
			if got := u.TakeWarnings(); got != tt.want {
				t.Errorf("warned %q", got)
			}
		})
	}
}

// TestMisspelledOverride checks that a script ends if an override restricts a built-in subagent under a misspelled name.
func TestMisspelledOverride(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]exit.Code{
		`"codebase_investigatr": {"enabled": false}`:  exit.Config,
		`"Generalist": {"tools": []}`:                 exit.Config,
		`"generalst": {"enabled": true}`:              exit.OK,
		`"generalst": {"runConfig": {"maxTurns": 3}}`: exit.OK,
		`"of-an-extension": {"enabled": false}`:       exit.OK,
		`"min": {"enabled": false}`:                   exit.OK, // almost the name of an own one
		`"generalist": {"enabled": false}`:            exit.OK,
	} {
		u := projecttest.NewUser(t)
		u.Write("~/.gemini/settings.json", `{"agents": {"overrides": {`+entry+`}}}`)
		u.Write("~/.gemini/agents/mine.md", definition("mine", ""))
		trusted := func(o *project.Options) { o.Folder = trust.Trusted }
		p := u.Open(trusted)
		_, err := agents.ReadDefinitions(t.Context(), p, toolsettest.New(t, p, nil).Policy)
		if exit.CodeOf(err) != want || want != exit.OK && !strings.Contains(err.Error(), "Did you mean") {
			t.Errorf("%s: %v", entry, err)
		}
		p = u.Open(trusted, u.AtTerminal)
		if _, err := agents.ReadDefinitions(t.Context(), p, toolsettest.New(t, p, nil).Policy); err != nil {
			t.Errorf("%s: at a terminal: %v", entry, err)
		}
	}
}

// TestAcknowledge checks that a person accepts the subagents of a project, once, and that a script ignores those that
// they have not accepted.
func TestAcknowledge(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("serve.sh", "exit 0")
	u.Write(".gemini/agents/theirs.md", definition("theirs", "mcp_servers:\n  x: {command: sh, args: [serve.sh]}\n"))
	u.Write(".gemini/agents/far.md", "---\nkind: remote\nname: far\ndescription: \"Runs \\e[31maway\"\nagent_card_url: https://far.example/card\n---\n")
	ds, p, _ := read(t, u)
	if text := u.TakeWarnings(); names(ds) != "" || !strings.HasPrefix(text, "Warning: Ignoring agents of this project that you have not accepted: far, theirs. To look at them") || len(p.LeftOut()) != 1 {
		t.Errorf("a script uses %s; warnings: %s; left out: %q", names(ds), text, p.LeftOut())
	}
	u.Answer("Ignore them")
	if ds, _, _ = read(t, u, u.AtTerminal); names(ds) != "" {
		t.Errorf("refused are %s", names(ds))
	}
	asked := u.TakeAsked()
	if len(asked) != 1 || !strings.Contains(asked[0].Text, "\n- theirs: About theirs (starts MCP servers: x {\"args\":[\"serve.sh\"],\"command\":\"sh\"})") || !strings.Contains(asked[0].Text, "away (runs at https://far.example/card)") || strings.Contains(asked[0].Text, "\x1b") {
		t.Errorf("asked %+v", asked)
	}
	u.Answer("Use them")
	if ds, _, _ = read(t, u, u.AtTerminal); names(ds) != "far theirs" || len(u.TakeAsked()) != 1 {
		t.Errorf("accepted are %s", names(ds))
	}
	if ds, _, _ = read(t, u); names(ds) != "far theirs" || u.TakeWarnings() != "" {
		t.Errorf("afterwards a script uses %s", names(ds))
	}
	u.Write("serve.sh", "exit 1")
	if ds, _, _ = read(t, u); names(ds) != "far" || !strings.Contains(u.TakeWarnings(), "not accepted: theirs.") {
		t.Errorf("after a change of a script that its server runs a script uses %s", names(ds))
	}
	u.Write("serve.sh", "exit 0")
	u.Write(".gemini/agents/theirs.md", definition("theirs", ""))
	if ds, _, _ = read(t, u); names(ds) != "far" {
		t.Errorf("after a change of the definition a script uses %s", names(ds))
	}
	u.TakeWarnings()
	u.Write("~/.gemini/acknowledgments/agents.json", "{broken")
	u.Answer("Use them")
	read(t, u, u.AtTerminal)
	if text := u.TakeWarnings(); !strings.Contains(text, "Warning: ") || !strings.Contains(text, "agents.json") {
		t.Errorf("warnings: %s", text)
	}
}

// The question about many subagents names each of them, and a long description hides no server.
func TestAcknowledgeMany(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write(".gemini/agents/z.md", "---\nname: z\ndescription: "+strings.Repeat("long ", 100)+"\nmcp_servers:\n  x: {command: sh, args: [evil.sh]}\n---\nx\n")
	for i := range 25 {
		u.Write(fmt.Sprintf(".gemini/agents/a%d.md", i), fmt.Sprintf("---\nname: a%d\ndescription: %s\n---\nx\n", i, strings.Repeat("long ", 100)))
	}
	read(t, u, u.AtTerminal)
	if text := u.TakeAsked()[0].Text; strings.Count(text, "\n") != 26 || !strings.HasSuffix(text, `(starts MCP servers: x {"args":["evil.sh"],"command":"sh"})`) || len(text) > 27*205+200 {
		t.Errorf("asked %d bytes: %s", len(text), text)
	}
}

// TestDefinitionProblems checks the warnings about definitions and overrides.
func TestDefinitionProblems(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"agents": {"overrides": {"mine": {"runConfig": {"maxTurns": 2.5}}}}}`)
	u.Write("~/.gemini/agents/broken.md", "---\nname: [\n---\n")
	u.Write("~/.gemini/agents/mine.md", definition("mine", ""))
	u.Write("~/.gemini/agents/again.md", definition("mine", ""))
	ds, _, _ := read(t, u)
	text := u.TakeWarnings()
	for _, want := range []string{"broken.md", "Ignoring agents.overrides.mine.runConfig.maxTurns", "mine"} {
		if !strings.Contains(text, want) {
			t.Errorf("no warning %q in %s", want, text)
		}
	}
	if names(ds) != "mine" {
		t.Errorf("the subagents are %s", names(ds))
	}
	ds.Refresh(t.Context())
	if again := u.TakeWarnings(); again != text {
		t.Errorf("after a refresh the warnings are %s", again)
	}
}

// TestRules checks the rules that definitions bring: remote ones, and servers that their definition trusts, except those
// of extensions.
func TestRules(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	const trusting = "mcp_servers:\n  toy: {command: x, trust: true}\n"
	u.Write("~/.gemini/agents/mine.md", definition("mine", trusting))
	u.Write("~/.gemini/agents/plain.md", definition("plain", "mcp_servers:\n  toy: {command: x}\n"))
	u.Write("~/.gemini/agents/far.md", "---\nkind: remote\nname: far\ndescription: x\nagent_card_url: https://far.example/card\n---\n")
	u.AddExtension("e", "", map[string]string{"agents/x.md": definition("theirs", trusting)})
	_, _, e := read(t, u, func(o *project.Options) { o.Interactive = true })
	for name, want := range map[string]policy.Decision{"mine": policy.Allow, "plain": policy.Ask, "theirs": policy.Ask} {
		call := policy.Call{Name: "mcp_toy_write", Args: json.RawMessage(`{}`), Server: "toy", RemoteName: "write", ServerOf: name, Subagent: name}
		if got := e.Check(call).Decision; got != want {
			t.Errorf("a call of %s to its server: %s", name, got)
		}
	}
	for name, want := range map[string]policy.Decision{"far": policy.Ask, "mine": policy.Allow} {
		call := policy.Call{Name: subagent.ToolName, Args: json.RawMessage(`{"agent_name":"` + name + `","prompt":"x"}`)}
		if got := e.Check(call).Decision; got != want {
			t.Errorf("a call of %s: %s", name, got)
		}
	}
}

// A project overrides subagents only within the limits of the user's.
func TestOverridesOfProjects(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/agents/mine.md", definition("mine", ""))
	u.Write(".gemini/settings.json", `{"agents": {"overrides": {"mine": {"mcpServers": {"toy": {"command": "x"}}, "runConfig": {"maxTurns": 3}}}}}`)
	ds, _, _ := read(t, u)
	d, found := ds.Set().Find("mine")
	if !found || d.MaxTurns != 3 || !d.IsOfProject("toy") {
		t.Errorf("%+v", d)
	}
}
