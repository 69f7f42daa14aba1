package extension

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseManifest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{`{"name": "a", "version": "1"}`, ""},
		{"\uFEFF" + `{"name": "a", "version": "1"}`, ""},
		{`{"version": "1"}`, `"name" is missing`},
		{`{"name": "a"}`, `"version" is missing`},
		{`{"NAME": "a", "version": "1"}`, `"name" is missing`},
		{`{"name": "../a", "version": "1"}`, `invalid name "../a": only letters (a-z, A-Z), numbers (0-9) and dashes (-) are allowed`},
		{`{"name": "a\n", "version": "1"}`, `invalid name "a\n": only letters (a-z, A-Z), numbers (0-9) and dashes (-) are allowed`},
		{`{"name": 5, "version": "1"}`, `"name" is missing`},
		{"", "line 1: unexpected end of JSON input"},
		{"{\n\n// no comments\n}", "line 3: invalid character '/' looking for beginning of object key string"},
		{"[]", "it is not a JSON object"},
		{`{"name": "a", "version": "1", "x": ` + strings.Repeat("[", 150) + strings.Repeat("]", 150) + "}", "objects and lists nest more than 100 deep"},
		{`{"name": "a", "version": "1", "x": ` + strings.Repeat("[", 50000), "line 1: invalid character '[' exceeded max depth"},
	} {
		_, err := ParseManifest([]byte(test.text))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%.100s: got %q, want %q", test.text, got, test.want)
		}
	}
}

func TestManifestParts(t *testing.T) {
	t.Parallel()
	m, err := ParseManifest([]byte(`{
		"name": "all", "version": "1.2.3", "description": "D",
		"mcpServers": {"db": {"command": "x", "env": {"__proto__": "p", "A": "1"}}, "constructor": {}},
		"contextFileName": ["A.md"], "excludeTools": ["run_shell_command(rm -rf)"],
		"settings": [{"name": "Key", "description": "d", "envVar": "KEY", "sensitive": true}, {"envVar": "1x"}, 5],
		"themes": [{"name": "dark"}], "plan": {"directory": "plans"}, "migratedTo": "https://github.com/o/new", "other": {}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Manifest{
		Name: "all", Version: "1.2.3", Description: "D",
		MCPServers:       map[string]any{"db": map[string]any{"command": "x", "env": map[string]any{"A": "1"}}},
		ContextFileNames: []string{"A.md"}, ExcludeTools: []string{"run_shell_command(rm -rf)"},
		Settings: []Setting{{"Key", "d", "KEY", true}}, Themes: []any{map[string]any{"name": "dark"}},
		PlanDirectory: "plans", MigratedTo: "https://github.com/o/new",
		Problems: []string{"settings[1].envVar must be the name of an environment variable", "settings[2] must be an object"},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}

	m, err = ParseManifest([]byte(`{"name": "a", "version": "1", "mcpServers": [], "contextFileName": 1, "excludeTools": "x", "settings": {}, "themes": 1, "plan": 1, "migratedTo": 1}`))
	if err != nil || len(m.Problems) != 5 || len(m.ContextFileNames) != 0 || !slices.Equal(m.ExcludeTools, []string{"x"}) {
		t.Errorf("%+v, %v", m, err)
	}
	m, err = ParseManifest([]byte(`{"name": "a", "version": "1", "excludeTools": {"glob": true}}`))
	if err != nil || !slices.Equal(m.Problems, []string{"excludeTools must be a list of strings"}) || m.ExcludeTools != nil {
		t.Errorf("%+v, %v", m, err)
	}
	for text, want := range map[string]string{`"X.md"`: "X.md", `""`: "GEMINI.md", `null`: "GEMINI.md", `[]`: "", `["A.md", "B.md"]`: "A.md B.md"} {
		m, err := ParseManifest([]byte(`{"name": "a", "version": "1", "contextFileName": ` + text + "}"))
		if err != nil || strings.Join(m.ContextFileNames, " ") != want {
			t.Errorf("%s: %v, %v", text, m.ContextFileNames, err)
		}
	}
}

// TestManyParts checks that a manifest with many parts is read in part.
func TestManyParts(t *testing.T) {
	t.Parallel()
	list := "[" + strings.Repeat(`5, "x", `, 2000) + "6]"
	servers := strings.Builder{}
	for i := range 200 {
		fmt.Fprintf(&servers, `"s%d": {}, `, i)
	}
	m, err := ParseManifest([]byte(`{"name": "a", "version": "1", "excludeTools": ` + list + `, "contextFileName": ` + list +
		`, "settings": ` + list + `, "mcpServers": {` + servers.String() + `"x": {}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.ExcludeTools) != 500 || len(m.ContextFileNames) != 500 || len(m.MCPServers) != 0 || len(m.Problems) != maxProblems {
		t.Errorf("%d tools, %d files, %d servers, %d problems", len(m.ExcludeTools), len(m.ContextFileNames), len(m.MCPServers), len(m.Problems))
	}
}

// TestHugeManifest checks that a huge manifest is not read.
func TestHugeManifest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(100 << 20); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if _, err := ReadManifest(dir); err == nil || err.Error() != "cannot read gemini-extension.json: it is larger than 1 MB" {
		t.Error(err)
	}
}

func TestInstall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := &Install{Source: "https://github.com/o/r", Type: Release, Ref: "v1", AutoUpdate: true, AllowPreRelease: true, ReleaseTag: "v1.0"}
	if err := WriteInstall(dir, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadInstall(dir)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, text := range []string{"null", "[]", "", "{"} {
		write(t, dir, map[string]string{InstallName: text})
		if got, err := ReadInstall(dir); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestID checks ids against those that Gemini CLI 0.61 makes.
func TestID(t *testing.T) {
	t.Parallel()
	sum := map[string]string{ // sha256sum
		"x":                      "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
		"https://github.com/o/r": IDOf("https://github.com/o/r", nil),
		"https://gitlab.com/o/r": IDOf("https://gitlab.com/o/r", nil),
		"/src/x":                 IDOf("/src/x", nil),
		"/src/x#p":               IDOf("/src/x#p", nil),
	}
	for _, test := range []struct {
		install *Install
		value   string
	}{
		{nil, "x"},
		{&Install{}, "x"},
		{&Install{Source: "https://github.com/o/r.git", Type: Git}, "https://github.com/o/r"},
		{&Install{Source: "git@github.com:o/r.git", Type: Git}, "https://github.com/o/r"},
		{&Install{Source: "ssh://git@github.com/o/r", Type: Release}, "https://github.com/o/r"},
		{&Install{Source: "o/r", Type: Release}, "https://github.com/o/r"},
		{&Install{Source: "https://gitlab.com/o/r", Type: Git}, "https://gitlab.com/o/r"},
		{&Install{Source: "/src/x", Type: Link}, "/src/x"},
		{&Install{Source: "/src/x", Type: Local, Plugin: "p"}, "/src/x#p"},
	} {
		if got := IDOf("x", test.install); got != sum[test.value] {
			t.Errorf("%+v: got the id %s, want that of %s", test.install, got, test.value)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(`{"name": "a", "version": "1", "contextFileName": ["x"], "settings": [{"envVar": "A"}]}`)
	f.Add(`{"name": "a", "version": 1e308, "mcpServers": {"__proto__": {"prototype": 1}}, "themes": [[]], "plan": {"directory": "${/}"}}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseManifest([]byte(text))
		if err != nil {
			return
		}
		dir := write(t, t.TempDir(), map[string]string{"x/" + ManifestName: text})
		list, _ := load(t, dir, Options{})
		if len(list) != 1 || list[0].Name != m.Name {
			t.Errorf("not loaded: %q", text)
		}
	})
}
