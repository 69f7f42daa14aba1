package project_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// TestExtensions checks a project with extensions of its user.
func TestExtensions(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"extensions": {"disabled": ["off"]}}`)
	at := u.AddExtension("e", `"excludeTools": ["run_shell_command(rm -rf)", "glob"], "plan": {"directory": "plans"}, "settings": [{"name": "Key", "envVar": "E_KEY", "sensitive": true}]`, map[string]string{
		".env": "E_KEY=secret-value\n", "GEMINI.md": "context", "commands/a.toml": `prompt = "x"`,
		"policies/a.toml": "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 1\n", "skills/tidy/SKILL.md": "---\nname: Tidy\ndescription: x\n---\n",
		"hooks/hooks.json": `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "${extensionPath}/x"}]}]}}`,
	})
	u.AddExtension("off", `"excludeTools": ["replace"]`, map[string]string{"GEMINI.md": "off"})
	p := u.Open(trusted)
	if got := p.ExtensionContext(); !slices.Equal(got, []string{filepath.Join(at, "GEMINI.md")}) {
		t.Error(got)
	}
	if hooks := hooksOf(p); len(hooks) != 1 || hooks[0].Command != at+"/x" || hooks[0].Source.String() != "extensions" {
		t.Errorf("%+v", hooks)
	}
	if got := p.PlanDirectory(); got != "plans" {
		t.Error(got)
	}
	if got := p.ExtensionCommands(); len(got) != 1 || got[0].Owner != "e" || got[0].Root != at {
		t.Errorf("%+v", got)
	}
	if got := p.ExtensionAgents(); len(got) != 1 || got[0].Extension != "e" || got[0].Dir != filepath.Join(at, "agents") {
		t.Errorf("%+v", got)
	}
	p.SetSecrets(func() []string { return nil })
	if got := p.LogMasker().Text("of e: secret-value"); strings.Contains(got, "secret-value") {
		t.Errorf("the log has %q", got)
	}
	var rules []string
	for _, r := range p.ExtensionExclusions() {
		rules = append(rules, fmt.Sprintf("%v %v %s %s", r.Tools, r.Prefixes, r.Decision, r.Source))
	}
	if diff := cmp.Diff([]string{
		"[run_shell_command] [rm -rf] deny Extension (e): excludeTools", "[glob] [] deny Extension (e): excludeTools",
	}, rules); diff != "" {
		t.Error(diff)
	}
	r, err := p.ReadPolicies(func(policy.Integrity) bool { return false })
	if err != nil || len(r.Rules) != 1 || r.Rules[0].Source != "Extension (e): a.toml" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, environ := range [][]string{p.ServerEnviron(), p.CommandEnviron()} {
		if slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "E_KEY=") }) {
			t.Error("other programs have the setting of an extension")
		}
	}
	if installed := p.InstalledExtensions(t.Context()); len(installed) != 2 || len(p.Extensions()) != 1 {
		t.Errorf("%d are installed, %d active", len(installed), len(p.Extensions()))
	}
	if only := u.Open(trusted, func(o *project.Options) { o.Extensions = []string{"off"} }).Extensions(); len(only) != 1 || only[0].Name != "off" {
		t.Errorf("of --extensions off: %v", only)
	}
	own := u.Open(trusted, flag("general.plan.directory", "own"))
	if got := own.PlanDirectory(); got != "own" {
		t.Errorf("the user's directory of plans is %s", got)
	}
}

// TestBrokenExtensions checks the warnings about extensions, which come once.
func TestBrokenExtensions(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/extensions/broken/gemini-extension.json", "{")
	u.AddExtension("e", "", map[string]string{"hooks/hooks.json": `{"hooks": {"Nope": 1}}`})
	p := u.Open(trusted)
	p.LoadExtensions(t.Context())
	if text := u.TakeWarnings(); !strings.Contains(text, "broken") {
		t.Errorf("warnings: %s", text)
	}
	if p.Extensions(); u.TakeWarnings() != "" {
		t.Error("the warnings come again")
	}
	p.ReadHooks()
	if text := u.TakeWarnings(); !strings.HasPrefix(text, "Warning: Extension e: ") {
		t.Errorf("warnings: %s", text)
	}
}

// A project does not disable extensions of the user, unless they let projects do that.
func TestExtensionsThatAProjectDisables(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]int{`{}`: 1, `{"pollux": {"trustProjectSafety": true}}`: 0} {
		u := projecttest.NewUser(t)
		u.Write("~/.gemini/settings.json", settings)
		u.Write(".gemini/settings.json", `{"extensions": {"disabled": ["e"]}}`)
		u.AddExtension("e", "", nil)
		if got := u.Open(trusted).Extensions(); len(got) != want {
			t.Errorf("%s: %d are active", settings, len(got))
		}
	}
}

// The .env file of a trusted folder sets values of extensions, except those that the user has not accepted.
func TestExtensionVariables(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer   string
		folder   trust.State
		excluded bool // the environment of Pollux does not get the variable
		want     string
	}{
		"accepted":  {answer: "Use it", want: "metric"},
		"refused":   {answer: "Ignore it", want: "imperial"},
		"excluded":  {answer: "Use it", excluded: true, want: "metric"},
		"neither":   {answer: "Ignore it", excluded: true, want: "imperial"},
		"untrusted": {folder: trust.Untrusted, want: "imperial"},
		"trusted":   {folder: trust.Trusted, want: "metric"},
	} {
		u := projecttest.NewUser(t)
		decide(t, u, u.Dir, trust.TrustFolder)
		u.AddExtension("weather", `"settings": [{"name": "Unit", "envVar": "WEATHER_UNIT"}], "mcpServers": {"w": {"command": "x", "env": {"U": "$WEATHER_UNIT"}}}`, map[string]string{".env": "WEATHER_UNIT=imperial\n"})
		u.Write(".env", "WEATHER_UNIT=metric\n")
		if tt.excluded {
			u.Write("~/.gemini/settings.json", `{"advanced": {"excludedEnvVars": ["WEATHER_UNIT"]}}`)
		}
		u.Answer(tt.answer)
		p := u.Open(u.AtTerminal, func(o *project.Options) { o.Folder = tt.folder })
		servers := p.Extensions()[0].Servers()
		if len(servers) != 1 || !strings.Contains(string(servers[0].Entry), tt.want) {
			t.Errorf("%s: the server is %s", name, servers)
		}
		if asked := u.TakeAsked(); len(asked) > 0 != (tt.answer != "") || tt.answer != "" && !strings.Contains(asked[0].Text, ".env sets WEATHER_UNIT") {
			t.Errorf("%s: asked %+v", name, asked)
		}
	}
}

// TestExtensionManager checks that the manager sees inactive extensions, and offers to trust an untrusted folder.
func TestExtensionManager(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.AddExtension("e", "", nil)
	decide(t, u, u.Dir, trust.DoNotTrust)
	p := u.Open(u.AtTerminal, func(o *project.Options) { o.Extensions = []string{"none"} })
	m := p.ExtensionManager(nil, func(string) {})
	if m.Options.Only != nil || !m.Options.WithInactive || m.Dir != p.ExtensionsDir() || m.TrustWorkspace == nil {
		t.Errorf("%+v", m)
	}
	if err := m.TrustWorkspace(); err != nil {
		t.Fatal(err)
	}
	if state, err := p.DecideTrust(); state != trust.Trusted || err != nil || p.IsTrusted() {
		t.Errorf("%v, %v; now %v", state, err, p.IsTrusted())
	}
	p = u.Open()
	m = p.ExtensionManager(nil, func(string) {})
	if m.TrustWorkspace != nil {
		t.Error("a trusted folder can be trusted")
	}
	if text, accept, err := m.TrustSource(u.Path("sub")); text != "" || accept != nil || err != nil {
		t.Errorf("below the folder: %q, %v", text, err)
	}
	other := filepath.Dir(u.Write("~/other/GEMINI.md", "Do."))
	text, accept, err := m.TrustSource(other)
	if err != nil || accept == nil || !strings.Contains(text, "Instructions: GEMINI.md") {
		t.Fatalf("%q, %v", text, err)
	}
	if err := accept(); err != nil {
		t.Fatal(err)
	}
	if _, accept, err := m.TrustSource(other); accept != nil || err != nil {
		t.Errorf("it is not trusted: %v", err)
	}
}
