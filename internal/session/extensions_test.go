package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/extension"
	"pollux/internal/guard/policy"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/servers"
)

// addExtension writes the files of an extension, whose manifest has these keys more.
func addExtension(t *testing.T, p *project.Project, name, keys string, files map[string]string) {
	t.Helper()
	all := map[string]string{extension.ManifestName: fmt.Sprintf(`{"name": %q, "version": "1"%s}`, name, keys)}
	for file, text := range files {
		all[file] = text
	}
	for file, text := range all {
		path := filepath.Join(p.ExtensionsDir(), name, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestExtensionServers checks which entry of a server counts.
func TestExtensionServers(t *testing.T) {
	t.Parallel()
	const manifest = `, "mcpServers": {
		"plain": {"command": "plain", "trust": true, "env": {"A": "1"}, "excludeTools": ["x"], "includeTools": ["x", "y", "z"]},
		"own": {"command": "theirs", "env": {"KEY": "$E_KEY"}},
		"adjusted": {"command": "theirs", "args": ["a"], "env": {"A": "1"}, "excludeTools": ["x"], "includeTools": ["x", "y", "z"]},
		"of-project": {"url": "https://theirs.example", "headers": {"Authorization": "$E_KEY"}},
		"broken": 5}, "settings": [{"name": "Key", "envVar": "E_KEY", "sensitive": true}]`
	var warnings []string
	p := projecttest.New(t, `{"mcpServers": {
		"own": {"command": "mine"},
		"adjusted": {"trust": true, "timeout": 5, "env": {"B": "2"}, "excludeTools": ["y"], "includeTools": ["y", "z", "other"]}}}`)
	p.Options.Warn = func(text string) { warnings = append(warnings, text) }
	addExtension(t, p, "e", manifest, map[string]string{".env": "E_KEY=secret-value\n"})
	addExtension(t, p, "f", `, "mcpServers": {"plain": {"command": "other"}}`, nil)
	var got []string
	for _, c := range servers.Configs(p, p.Settings()) {
		got = append(got, fmt.Sprintln(c.Name, c.Extension, c.Command+c.URL, c.Args, c.Env, c.Headers, c.Trust, c.TimeoutMS, c.Include, c.Exclude))
	}
	slices.Sort(got)
	want := `adjusted e theirs [a] map[A:1 B:2 E_KEY:secret-value] map[] true 5 [y z] [x y]
of-project e https://theirs.example [] map[E_KEY:secret-value] map[Authorization:secret-value] false 0 [] []
own  mine [] map[] map[] false 0 [] []
plain e plain [] map[A:1 E_KEY:secret-value] map[] false 0 [x y z] [x]
`
	if diff := cmp.Diff(want, strings.Join(got, "")); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{`extension f: extension e has one with this name`, `"broken" of extension e: it is not a JSON object`} {
		if !strings.Contains(strings.Join(warnings, "\n"), want) {
			t.Errorf("no warning %q in %q", want, warnings)
		}
	}
	if trusted := project.ToolSettings(p.Settings()).TrustedServers; !slices.Equal(trusted, []string{"adjusted"}) {
		t.Errorf("trusted are %q", trusted)
	}
	p.SetSecrets(func() []string { return nil })
	if strings.Contains(p.LogMasker().Text("of e: secret-value"), "secret-value") {
		t.Error("the secret of a setting can reach a log")
	}
	for _, environ := range [][]string{p.ServerEnviron(), p.CommandEnviron(), p.Env().List()} {
		if slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "E_KEY=") }) {
			t.Error("other programs have the setting of an extension")
		}
	}
}

// TestExtensionContents checks what a session gets of extensions, in folders that are trusted and not.
func TestExtensionContents(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{"extensions": {"disabled": ["off"]}}`)
	addExtension(t, p, "e", `, "excludeTools": ["run_shell_command(rm -rf)", "glob"], "plan": {"directory": "plans"}`, map[string]string{
		"GEMINI.md": "context", "commands/a.toml": `prompt = "x"`, "policies/a.toml": "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 1\n",
		"hooks/hooks.json": `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "${extensionPath}/x"}]}]}}`,
	})
	addExtension(t, p, "off", `, "excludeTools": ["replace"]`, map[string]string{"GEMINI.md": "off"})
	at := filepath.Join(p.ExtensionsDir(), "e")
	if got := p.ExtensionContext(); !slices.Equal(got, []string{filepath.Join(at, "GEMINI.md")}) {
		t.Error(got)
	}
	if hooks := p.ReadHooks(); len(hooks) != 1 || hooks[0].Command != at+"/x" || hooks[0].Source.String() != "extensions" {
		t.Errorf("%+v", hooks)
	}
	if got := p.PlanDirectory(); got != "plans" {
		t.Error(got)
	}
	if got := p.ExtensionCommands(); len(got) != 1 || got[0].Owner != "e" || got[0].Root != at {
		t.Errorf("%+v", got)
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
}
