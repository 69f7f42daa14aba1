package project_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/guard/policy"
	"pollux/internal/project/projecttest"
)

// TestExtensionContents checks the context, hooks, commands, plans and policies of an extension, and that a disabled one has none.
func TestExtensionContents(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{"extensions": {"disabled": ["off"]}}`)
	projecttest.AddExtension(t, p, "e", `, "excludeTools": ["run_shell_command(rm -rf)", "glob"], "plan": {"directory": "plans"}`, map[string]string{
		"GEMINI.md": "context", "commands/a.toml": `prompt = "x"`, "policies/a.toml": "[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 1\n",
		"hooks/hooks.json": `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "${extensionPath}/x"}]}]}}`,
	})
	projecttest.AddExtension(t, p, "off", `, "excludeTools": ["replace"]`, map[string]string{"GEMINI.md": "off"})
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
