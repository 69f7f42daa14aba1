package servers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/config"
	"pollux/internal/extension"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
)

// TestProjectAdjustsNoServer checks that an entry of a project cannot send the secrets of an extension to
// itself.
func TestProjectAdjustsNoServer(t *testing.T) {
	t.Parallel()
	servers := extensionServers{"docs": {extension.Server{Name: "docs", Entry: []byte(`{"url": "https://theirs.example", "headers": {"Authorization": "secret"}}`)}, "e"}}
	if c, err := servers.override(config.ServerEntry{Name: "docs", Scope: config.Workspace, Entry: []byte(`{"trust": true}`)}); err == nil {
		t.Errorf("a project adjusts the server of an extension: %+v", c)
	}
	if servers["docs"].owner != "e" {
		t.Error("the server of the extension is gone")
	}
	c, err := servers.override(config.ServerEntry{Name: "docs", Scope: config.Workspace, Entry: []byte(`{"url": "https://project.example"}`)})
	if err != nil || c.Headers != nil || c.Extension != "" || len(servers) != 0 {
		t.Errorf("%+v, %v, %v", c, err, servers)
	}
}

// TestExtensionServers checks which entry of a server counts.
func TestExtensionServers(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"mcpServers": {
		"own": {"command": "mine"},
		"adjusted": {"trust": true, "timeout": 5, "env": {"B": "2"}, "excludeTools": ["y"], "includeTools": ["y", "z", "other"]}}}`)
	u.AddExtension("e", `"mcpServers": {
		"plain": {"command": "plain", "trust": true, "env": {"A": "1"}, "excludeTools": ["x"], "includeTools": ["x", "y", "z"]},
		"own": {"command": "theirs", "env": {"KEY": "$E_KEY"}},
		"adjusted": {"command": "theirs", "args": ["a"], "env": {"A": "1"}, "excludeTools": ["x"], "includeTools": ["x", "y", "z"]},
		"of-project": {"url": "https://theirs.example", "headers": {"Authorization": "$E_KEY"}},
		"broken": 5}, "settings": [{"name": "Key", "envVar": "E_KEY", "sensitive": true}]`, map[string]string{".env": "E_KEY=secret-value\n"})
	u.AddExtension("f", `"mcpServers": {"plain": {"command": "other"}}`, nil)
	p := u.Open(func(o *project.Options) { o.Folder = trust.Trusted })
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
	warnings := u.TakeWarnings()
	for _, want := range []string{`extension f: extension e has one with this name`, `"broken" of extension e: it is not a JSON object`} {
		if !strings.Contains(warnings, want) {
			t.Errorf("no warning %q in %q", want, warnings)
		}
	}
	if trusted := project.ToolSettings(p.Settings()).TrustedServers; !slices.Equal(trusted, []string{"adjusted"}) {
		t.Errorf("trusted are %q", trusted)
	}
}

// TestAdjustmentsStay checks that the restrictions of an entry of the user hold for the server of an extension in any form, and that the server is
// gone if the entry cannot be used.
func TestAdjustmentsStay(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		`{"excludeTools": "y"}`:                          "false [] [x y]",
		`{"includeTools": "y"}`:                          "false [y] [x]",
		`{"excludeTools": ["y"], "trust": "TRUE"}`:       "true [] [x y]",
		`{"excludeTools": "y", "trust": "false"}`:        "false [] [x y]",
		`{"excludeTools": null, "description": "as is"}`: "false [] [x]",
		`{"excludeTools": 5}`:                            "excludeTools must be a list of strings",
		`{"excludeTools": ["y", 5]}`:                     "excludeTools must be a string",
		`{"trust": "yes"}`:                               "trust must be true or false",
	} {
		servers := extensionServers{"s": {extension.Server{Name: "s", Entry: []byte(`{"command": "c", "excludeTools": "x"}`)}, "e"}}
		c, err := servers.override(config.ServerEntry{Name: "s", Scope: config.User, Entry: []byte(entry)})
		got := fmt.Sprint(c.Trust, c.Include, c.Exclude)
		if err != nil {
			got = err.Error()
		}
		if got != want || len(servers) > 0 {
			t.Errorf("%s: %s, want %s; left are %v", entry, got, want, servers)
		}
	}
}
