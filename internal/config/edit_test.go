package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pollux/internal/exit"
)

func (p *place) userFile() string { return filepath.Join(p.home, ".gemini", "settings.json") }

func read(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestSet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before, path string
		v                  any
		after              string
	}{
		{"new value, comments kept", "// mine\n{\n  // why\n  \"ui\": {\"theme\": \"a\" /* b */}, // c\n}\n", "ui.theme", "z", "// mine\n{\n  // why\n  \"ui\": {\"theme\": \"z\" /* b */}, // c\n}\n"},
		{"new member", "{\n  \"ui\": {} // c\n}\n", "model.name", "m", "{\n  \"ui\": {}, // c\n  \"model\": {\n    \"name\": \"m\"\n  }\n}\n"},
		{"after a trailing comma", "{\n  \"ui\": {}, // c\n  // end\n}", "model.name", "m", "{\n  \"ui\": {}, // c\n  \"model\": {\n    \"name\": \"m\"\n  },\n  // end\n}"},
		{"comment between value and comma", "{\n  \"ui\": {} /* a */, // c\n}", "model.name", "m", "{\n  \"ui\": {} /* a */, // c\n  \"model\": {\n    \"name\": \"m\"\n  },\n}"},
		{"on one line", `{"model": {"name": "a"}}`, "model.maxSessionTurns", 5.0, `{"model": {"name": "a", "maxSessionTurns": 5}}`},
		{"on one line, comma", `{"model": {"name": "a",}}`, "model.maxSessionTurns", 5.0, `{"model": {"name": "a", "maxSessionTurns": 5,}}`},
		{"into an empty object", "{\n  \"model\": {}\n}", "model.name", "m", "{\n  \"model\": {\n    \"name\": \"m\"\n  }\n}"},
		{"into one with a comment", "{\n  \"model\": {\n    // none\n  }\n}", "model.name", "m", "{\n  \"model\": {\n    // none\n    \"name\": \"m\"\n  }\n}"},
		{"tabs and CRLF", "{\r\n\t\"ui\": {\r\n\t\t\"theme\": \"a\"\r\n\t}\r\n}\r\n", "ui.hideTips", true, "{\r\n\t\"ui\": {\r\n\t\t\"theme\": \"a\",\r\n\t\t\"hideTips\": true\r\n\t}\r\n}\r\n"},
		{"a list is replaced", "{\n  \"tools\": {\n    \"core\": [\n      \"a\" // c\n    ]\n  }\n}", "tools.core", []any{"b"}, "{\n  \"tools\": {\n    \"core\": [\n      \"b\"\n    ]\n  }\n}"},
		{"of two the last counts", `{"ui": {"theme": "a"}, "ui": {"theme": "b"}}`, "ui.theme", "c", `{"ui": {"theme": "a"}, "ui": {"theme": "c"}}`},
		{"a byte order mark stays", "\uFEFF{}", "ui.theme", "c", "\uFEFF{\n  \"ui\": {\n    \"theme\": \"c\"\n  }\n}"},
		{"the model of the first layout", "{\n  \"model\": \"old\"\n}", "model.maxSessionTurns", 5.0, "{\n  \"model\": {\n    \"name\": \"old\",\n    \"maxSessionTurns\": 5\n  }\n}"},
		{"braces in comments", "// {\n{ /* } */ }", "ui.theme", "c", "// {\n{ /* } */\n  \"ui\": {\n    \"theme\": \"c\"\n  }\n}"},
		{"a comment ends the file", `{"ui": {}} // c`, "ui.theme", "c", "{\"ui\": {\n  \"theme\": \"c\"\n}} // c"},
		{"an old name goes", `{"vimMode": false, "theme": "a"}`, "general.vimMode", true, `{"theme": "a", "general": {"vimMode":true}}`},
		{
			"an old name of a part goes", `{"experimental": {"codebaseInvestigatorSettings": {"enabled": false, "maxNumTurns": 5}}}`,
			"agents.overrides.codebase_investigator.runConfig.maxTurns", 9.0,
			`{"experimental": {"codebaseInvestigatorSettings": {"enabled": false}}, "agents": {"overrides":{"codebase_investigator":{"runConfig":{"maxTurns":9}}}}}`,
		},
		{"escapes in names", `{"u\u0069": {"theme": "a"}}`, "ui.theme", "<b>", `{"u\u0069": {"theme": "<b>"}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.user(t, test.before)
			if err := p.paths().Set(User, test.path, test.v); err != nil {
				t.Fatal(err)
			}
			if got := read(t, p.userFile()); got != test.after {
				t.Errorf("got\n%s\nwant\n%s", got, test.after)
			}
		})
	}
}

func TestUnset(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, before, path, after string }{
		{"the first", "{\n  \"ui\": {\n    \"theme\": \"a\", // c\n    \"hideTips\": true\n  }\n}", "ui.theme", "{\n  \"ui\": {\n    // c\n    \"hideTips\": true\n  }\n}"},
		{"the last", "{\n  \"ui\": {\n    \"theme\": \"a\", // c\n    \"hideTips\": true\n  }\n}", "ui.hideTips", "{\n  \"ui\": {\n    \"theme\": \"a\" // c\n  }\n}"},
		{"with its empty parents", "{\n  \"ui\": {\n    \"footer\": {\"hideCWD\": true}\n  },\n  \"x\": 1\n}", "ui.footer.hideCWD", "{\n  \"x\": 1\n}"},
		{"a parent with a comment stays", "{\n  \"ui\": {\n    // mine\n    \"theme\": \"a\"\n  }\n}", "ui.theme", "{\n  \"ui\": {\n    // mine\n  }\n}"},
		{"on one line", `{"ui": {"theme": "a", "hideTips": true, "hideBanner": true}}`, "ui.hideTips", `{"ui": {"theme": "a", "hideBanner": true}}`},
		{"the last on one line", `{"ui": {"theme": "a", "hideTips": true}}`, "ui.hideTips", `{"ui": {"theme": "a"}}`},
		{"under its old name too", `{"theme": "a", "vimMode": true}`, "ui.theme", `{"vimMode": true}`},
		{"the model of the first layout", `{"model": "a", "vimMode": true}`, "model.name", `{"vimMode": true}`},
		{"but not the group", `{"model": {"maxSessionTurns": 1}}`, "model.name", `{"model": {"maxSessionTurns": 1}}`},
		{"all of the name", `{"ui": {"theme": "a", "theme": "b"}}`, "ui.theme", `{}`},
		{"comments inside stay", "{\"ui\": {\"theme\": // c\n \"a\", \"hideTips\": true}}", "ui.theme", "{\"ui\": {// c\n \"hideTips\": true}}"},
		{"nothing", `{"ui": 5}`, "ui.theme", `{"ui": 5}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.user(t, test.before)
			found, err := p.paths().Unset(User, test.path)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(t, p.userFile()); got != test.after || found != (test.before != test.after) {
				t.Errorf("found %v, got\n%s\nwant\n%s", found, got, test.after)
			}
		})
	}
}

func TestSetMakesFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if found, err := p.paths().Unset(User, "ui.theme"); found || err != nil {
		t.Errorf("unset without a file: %v, %v", found, err)
	}
	if _, err := os.Stat(filepath.Dir(p.userFile())); err == nil {
		t.Error("unset made a directory")
	}
	if err := p.paths().Set(User, "ui.theme", "a"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(p.userFile())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the new file: %v, %v", info.Mode(), err)
	}
	if got := read(t, p.userFile()); got != "{\n  \"ui\": {\n    \"theme\": \"a\"\n  }\n}" {
		t.Errorf("the new file is\n%s", got)
	}
	if entries, _ := os.ReadDir(filepath.Dir(p.userFile())); len(entries) != 1 {
		t.Errorf("left behind: %v", entries)
	}
}

// TestSetRefuses shows that unreadable files stay unchanged.
func TestSetRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make func(t *testing.T, p *place)
		want string
	}{
		"syntax":    {func(t *testing.T, p *place) { p.user(t, "{\n  \"ui\": {,}\n}") }, "line 2, column 10: "},
		"empty":     {func(t *testing.T, p *place) { p.user(t, "") }, "line 1, column 1: the file is empty"},
		"list":      {func(t *testing.T, p *place) { p.user(t, "[]") }, "not a valid JSON object"},
		"in way":    {func(t *testing.T, p *place) { p.user(t, `{"ui": [1]}`) }, `"ui" is not an object there`},
		"deep":      {func(t *testing.T, p *place) { p.user(t, strings.Repeat("[", 1<<20)) }, "nest more than 1000 deep"},
		"directory": {func(t *testing.T, p *place) { write(t, filepath.Join(p.userFile(), "x"), "") }, "it is a directory"},
		"dangling":  {func(t *testing.T, p *place) { symlink(t, "../none.json", p.userFile()) }, "symbolic link to ../none.json: there is no such file"},
		"loop":      {func(t *testing.T, p *place) { symlink(t, "settings.json", p.userFile()) }, "symbolic link to settings.json: too many levels"},
		"huge": {func(t *testing.T, p *place) {
			p.user(t, "")
			if err := os.Truncate(p.userFile(), 100<<20); err != nil {
				t.Fatal(err)
			}
		}, "larger than 16 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			test.make(t, p)
			for what, err := range map[string]error{
				"set":   p.paths().Set(User, "ui.theme", "a"),
				"unset": second(p.paths().Unset(User, "ui.theme")),
			} {
				if what == "unset" && name == "in way" {
					continue // there is nothing to take out
				}
				if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") || exit.CodeOf(err) != exit.Config {
					t.Errorf("%s: %v (%d), want one line with %q", what, err, exit.CodeOf(err), test.want)
				}
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

// Settings that are kept elsewhere stay there.
func TestSetThroughLink(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	real := filepath.Join(p.home, "dotfiles", "gemini.json")
	write(t, real, "{}")
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	symlink(t, "../dotfiles/gemini.json", p.userFile())
	if err := p.paths().Set(User, "model.name", "a"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(real)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
	if to, err := os.Readlink(p.userFile()); to != "../dotfiles/gemini.json" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(real)); len(entries) != 1 || !strings.Contains(read(t, real), `"name": "a"`) {
		t.Errorf("%v, %v: %s", entries, err, read(t, real))
	}
	if found, err := p.paths().Unset(User, "model.name"); !found || err != nil || strings.Contains(read(t, real), "name") {
		t.Errorf("unset: %v, %v: %s", found, err, read(t, real))
	}
}

// A project cannot make its settings lead to another's.
func TestSetWorkspaceLink(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, "{}")
	symlink(t, filepath.Join(p.home, ".gemini"), filepath.Join(p.work, ".gemini"))
	if err := p.paths().Set(Workspace, "ui.theme", "a"); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("got %v", err)
	}
	other := newPlace(t)
	symlink(t, p.userFile(), filepath.Join(other.work, ".gemini", "settings.json"))
	if err := other.paths().Set(Workspace, "ui.theme", "a"); err == nil || !strings.Contains(err.Error(), ": edit that file itself") {
		t.Errorf("got %v", err)
	}
	if got := read(t, p.userFile()); got != "{}" {
		t.Errorf("the user's file is %s", got)
	}
	home := NewPaths(p.env, p.home)
	if err := home.Set(Workspace, "ui.theme", "a"); exit.CodeOf(err) != exit.General {
		t.Errorf("in the home directory: %v", err)
	}
}

// Several writers at once lose nothing.
func TestSetAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := p.paths().Set(User, fmt.Sprintf("mcpServers.s%d.command", i), "x"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s, _ := p.mustLoad(t)
	if servers, _ := s.Lookup("mcpServers"); len(servers.(map[string]any)) != 8 {
		t.Errorf("of 8 servers these are there: %v", servers)
	}
}

func TestParseValue(t *testing.T) {
	t.Parallel()
	env := NewEnv("N=7")
	for _, test := range []struct{ path, text, want string }{
		{"model.name", "gemini", `"gemini"`},
		{"model.name", `"gemini"`, `"gemini"`},
		{"model.name", "5", `"5"`},
		{"model.name", "null", `null`},
		{"model.maxSessionTurns", "-1", `-1`},
		{"model.maxSessionTurns", " 12 ", `12`},
		{"model.maxSessionTurns", "$N", `"$N"`},
		{"general.vimMode", "TRUE", `true`},
		{"tools.exclude", "shell", `["shell"]`},
		{"tools.core", `["a"]`, `["a"]`},
		{"context.fileName", "AGENTS.md", `"AGENTS.md"`},
		{"tools.sandbox", "docker", `"docker"`},
		{"mcpServers.git.args", `["-x"]`, `["-x"]`},
		{"hooks", `{"BeforeTool": []}`, `{"BeforeTool":[]}`},
		{"telemetry.enabled", "true", "true"},

		{"model.maxSessionTurns", "many", "model.maxSessionTurns must be a number, not many. Write it as in: pollux config set model.maxSessionTurns 5"},
		{"model.maxSessionTurns", "$UNSET", "must be a number"},
		{"general.vimMode", "1", "must be true or false, not 1."},
		{"output.format", "xml", "must be one of text, json, stream-json, not xml."},
		{"tools.core", "[1]", `Write it as in: pollux config set tools.core '["one", "two"]'`},
		{"tools.core", `{"a":1}`, "must be a list of strings"},
		{"tools.exclude", "[1]", ""},
		{"mcpServers", "git", "must be an object of objects"},
		{"mcpServers.git", "git", "mcpServers.git: Expected object, received string."},
		{"mcpServers.git.comand", "git", `mcpServers has no field "comand". Its fields are: args, authProviderType, command,`},
		{"mcpServers.__proto__.command", "git", "no part of that name"},
		{"mcpServers..command", "git", "no part of that name"},
		{"model.name.x", "git", "model.name is a string: it has no parts."},
		{"model", "x", `"model" is a group of settings. Name one of them, such as model.compressionThreshold.`},
		{"vimMode", "true", `"vimMode" is an old name. Use general.vimMode.`},
		{"experimental.codebaseInvestigatorSettings.enabled", "false", `"experimental.codebaseInvestigatorSettings.enabled" is an old name. Use agents.overrides.codebase_investigator.enabled.`},
		{
			"experimental.codebaseInvestigatorSettings.maxNumTurns", "5",
			`"experimental.codebaseInvestigatorSettings.maxNumTurns" is an old name. Use agents.overrides.codebase_investigator.runConfig.maxTurns.`,
		},
		{"general.vimmode", "true", `Did you mean "general.vimMode"?`},
		{"admin.secureModeEnabled", "true", "administrator"},
		{"", "x", "There is no setting"},
		{"model.name", "\xff", "not valid UTF-8"},
	} {
		v, err := ParseValue(test.path, test.text, env)
		if err != nil {
			if !strings.Contains(err.Error(), test.want) || exit.CodeOf(err) != exit.General {
				t.Errorf("%s %s: %v, want %s", test.path, test.text, err, test.want)
			}
			continue
		}
		if got, _ := json.Marshal(v); test.want != "" && string(got) != test.want {
			t.Errorf("%s %s = %s, want %s", test.path, test.text, got, test.want)
		}
	}
}

func TestMasked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, v, want string }{
		{
			"modelProviders", `{"w": {"apiKey": "k1", "headers": {"X-Team": "k2"}, "keyVars": "V", "baseUrl": "https://h/v1", "window": 5}}`,
			`{"w": {"apiKey": "********", "headers": {"X-Team": "********"}, "keyVars": "V", "baseUrl": "https://h/v1", "window": 5}}`,
		},
		{"modelProviders.w.apiKey", `"k1"`, `"********"`},
		{"modelProviders.w.headers.X-Team", `"k1"`, `"********"`},
		{
			"mcpServers", `{"g": {"command": "x", "env": {"A": "k", "B": "$TOKEN", "C": "${X:-k}", "D": 5}}}`,
			`{"g": {"command": "x", "env": {"A": "********", "B": "$TOKEN", "C": "********", "D": "********"}}}`,
		},
		{"mcpServers.g.args", `["--api-key=k", "--token", "k", "--port", "5"]`, `["--api-key=[REDACTED]", "--token", "[REDACTED]", "--port", "5"]`},
		{"mcpServers.g.url", `"https://me:pw@h/mcp?key=k"`, `"https://[REDACTED]@h/mcp?[REDACTED]"`},
		{"mcpServers.g.oauth", `{"clientId": "c", "clientSecret": "k"}`, `{"clientId": "c", "clientSecret": "********"}`},
		{"model.name", `"sk-token"`, `"sk-token"`},
	} {
		var v, want any
		if err := errors.Join(json.Unmarshal([]byte(test.v), &v), json.Unmarshal([]byte(test.want), &want)); err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprint(v)
		if got := MaskSecrets(test.path, v); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", test.path, got, want)
		}
		if before != fmt.Sprint(v) {
			t.Errorf("%s: the value itself has changed", test.path)
		}
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, "{\n  // old names count\n  \"theme\": \"a\",\n  \"tools\": {\"exclude\": [\"x\"]}, \"model\": {\"name\": \"u\"}\n}")
	p.workspace(t, "{\n  \"tools\": {\n    \"exclude\": [\"y\"]\n  }, \"model\": {\"name\": null}\n}")
	s, _ := p.mustLoad(t)
	for _, test := range []struct {
		path, value string
		from        []string
		lines       [2]int // user, workspace
	}{
		{"ui.theme", "a", []string{"user"}, [2]int{3, 0}},
		{"tools.exclude", "[x y]", []string{"user", "workspace"}, [2]int{4, 3}},
		{"model.name", "u", []string{"user"}, [2]int{4, 0}}, // a project's null has no effect
		{"output.format", "text", nil, [2]int{}},
	} {
		e, err := Explain(s, p.paths(), test.path)
		if err != nil {
			t.Fatal(err)
		}
		lines := [2]int{e.Layers[User].Line, e.Layers[Workspace].Line}
		if fmt.Sprint(e.Value) != test.value || !slices.Equal(e.From, test.from) || lines != test.lines {
			t.Errorf("%s: %v from %v at %v", test.path, e.Value, e.From, lines)
		}
	}
}

// FuzzSet: an edit changes one value, keeps all comments, and can be taken back.
func FuzzSet(f *testing.F) {
	for _, seed := range []string{
		"{}", "// a\n{ /* b */ }", `{"ui": {"theme": "a",}}`, "{\r\n\t\"ui\": {} // c\r\n}", `{"ui": {"x": 1, "theme": [1, /* d */ 2] /* e */ , // f
 }, "ui": {"theme": 5}}`, "{\"model\": \"x\" // a\n, \"y\": [{}]}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := openDocument(text)
		if err != nil {
			return
		}
		path := []string{"ui", "theme"}
		set, err := d.set(path, "new")
		if err != nil {
			return // something is in the way
		}
		if err := verify(text, set, func(tree map[string]any) { put(tree, "ui.theme", "new") }); err != nil {
			t.Fatalf("set: %v\n%q\n%q", err, text, set)
		}
		after, err := openDocument(set)
		if err != nil {
			t.Fatal(err)
		}
		unset, found := after.unset(path)
		if !found {
			t.Fatalf("not found in %q", set)
		}
		if err := verify(set, unset, func(tree map[string]any) { drop(tree, path) }); err != nil {
			t.Fatalf("unset: %v\n%q\n%q", err, set, unset)
		}
	})
}
