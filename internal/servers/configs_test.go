package servers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

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
	projecttest.AddExtension(t, p, "e", manifest, map[string]string{".env": "E_KEY=secret-value\n"})
	projecttest.AddExtension(t, p, "f", `, "mcpServers": {"plain": {"command": "other"}}`, nil)
	var got []string
	for _, c := range Configs(p, p.Settings()) {
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
	for _, environ := range [][]string{p.ServerEnviron(), p.CommandEnviron(), p.Env().List()} {
		if slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "E_KEY=") }) {
			t.Error("other programs have the setting of an extension")
		}
	}
}
