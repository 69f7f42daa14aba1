package config

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/exit"
)

// place is a home and a workspace in a temporary directory.
type place struct {
	home, work string
	env        *Env
}

func newPlace(t testing.TB, env ...string) *place {
	t.Helper()
	dir := t.TempDir()
	p := &place{home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work")}
	for _, d := range []string{p.home, p.work} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = NewEnv(append([]string{
		"GEMINI_CLI_HOME=" + p.home,
		"GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(dir, "none", "settings.json"),
	}, env...)...)
	return p
}

func (p *place) paths() *Paths { return NewPaths(p.env, p.work) }

func (p *place) load() (*Settings, []Warning, error) {
	return Load(Sources{Paths: p.paths(), Env: p.env})
}

func (p *place) mustLoad(t testing.TB) (*Settings, []Warning) {
	t.Helper()
	s, warnings, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	return s, warnings
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *place) user(t testing.TB, content string) {
	t.Helper()
	write(t, filepath.Join(p.home, ".gemini", "settings.json"), content)
}

func (p *place) workspace(t testing.TB, content string) {
	t.Helper()
	write(t, filepath.Join(p.work, ".gemini", "settings.json"), content)
}

func BenchmarkLoad(b *testing.B) {
	p := newPlace(b)
	p.user(b, `{
  // the usual settings
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "ui": {"theme": "Default", "hideBanner": true},
  "general": {"vimMode": true, "enableAutoUpdate": false},
  "model": {"name": "gemini-2.5-pro", "maxSessionTurns": 50},
}`)
	b.ReportAllocs()
	for b.Loop() {
		s, _, err := p.load()
		if err != nil || MaxSessionTurns.In(s) != 50 {
			b.Fatal(err, MaxSessionTurns.In(s))
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{
		"model": {"name": "u", "maxSessionTurns": 5},
		"tools": {"exclude": ["a", "b"], "core": ["x", "y"]},
		"context": {"includeDirectories": ["one"]},
		"mcp": {"allowed": ["Git", "db"], "excluded": ["old"]},
		"advanced": {"excludedEnvVars": ["SECRET"]},
		"mcpServers": {"git": {"command": "git", "args": ["1"]}, "db": {"url": "u"}},
		"hooks": {"BeforeTool": [{"matcher": "u"}]},
		"modelConfigs": {"customAliases": {"a": {"x": 1, "y": 1}}}
	}`)
	p.workspace(t, `{
		"model": {"name": "w"},
		"tools": {"exclude": ["b", "c"], "core": ["z"]},
		"context": {"includeDirectories": ["one", "two"]},
		"mcp": {"allowed": ["git", "other"], "excluded": ["old", "new"]},
		"mcpServers": {"git": {"command": "other"}},
		"hooks": {"BeforeTool": [{"matcher": "w"}], "AfterTool": [{"matcher": "w"}]},
		"modelConfigs": {"customAliases": {"a": {"y": 2}}},
		"__proto__": {"polluted": true}
	}`)
	s, _ := p.mustLoad(t)
	for path, want := range map[string]string{
		"model.name":                 `"w"`,
		"model.maxSessionTurns":      `5`,
		"tools.exclude":              `["a","b","c"]`,
		"tools.core":                 `["z"]`,
		"context.includeDirectories": `["one","one","two"]`,
		"mcp.allowed":                `["Git"]`,
		"mcp.excluded":               `["old","old","new"]`,
		"advanced.excludedEnvVars":   `["DEBUG","DEBUG_MODE","SECRET"]`,
		"mcpServers":                 `{"db":{"url":"u"},"git":{"command":"other"}}`,
		"hooks":                      `{"AfterTool":[{"matcher":"w"}],"BeforeTool":[{"matcher":"u"},{"matcher":"w"}]}`,
		"modelConfigs.customAliases": `{"a":{"x":1,"y":2}}`,
	} {
		v, _ := s.Lookup(path)
		got, err := json.Marshal(v)
		if err != nil || string(got) != want {
			t.Errorf("%s is %s, want %s (%v)", path, got, want, err)
		}
	}
	if _, ok := s.Lookup("__proto__"); ok {
		t.Error("__proto__ was merged")
	}
	if got := ModelName.In(s.ForScope(User)); got != "u" {
		t.Errorf("the user's own model is %q: layers share memory", got)
	}
	if v, _ := s.ForScope(User).Lookup("modelConfigs.customAliases.a"); !cmp.Equal(v, map[string]any{"x": 1.0, "y": 1.0}) {
		t.Errorf("the user's own alias is %v: layers share memory", v)
	}
	if got := ToolsExclude.In(s.ForScope(Workspace)); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("the workspace's own exclude is %v", got)
	}
}

// A null clears the value of a lower layer, but not one of a project, which may not drop its
// restrictions.
func TestNull(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"model": {"maxSessionTurns": 5}, "tools": {"exclude": ["a"]}}`)
	p.workspace(t, `{"model": {"maxSessionTurns": null}, "tools": {"exclude": null}}`)
	s, warnings := p.mustLoad(t)
	if MaxSessionTurns.In(s) != 5 || !slices.Equal(ToolsExclude.In(s), []string{"a"}) || len(warnings) != 1 {
		t.Errorf("a project's: got %d, %v, %q; want the user's, and a warning", MaxSessionTurns.In(s), ToolsExclude.In(s), warnings)
	}
	p.user(t, `{"pollux": {"trustProjectSafety": true}, "model": {"maxSessionTurns": 5}, "tools": {"exclude": ["a"]}}`)
	s, _ = p.mustLoad(t)
	if MaxSessionTurns.In(s) != -1 || ToolsExclude.In(s) != nil {
		t.Errorf("if the user trusts all projects: got %d, %v; want the defaults", MaxSessionTurns.In(s), ToolsExclude.In(s))
	}
}

func TestFlagsReplace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"tools": {"allowed": ["a"]}, "context": {"includeDirectories": ["one"]},
		"mcp": {"allowed": ["a"], "excluded": ["b"]}, "output": {"format": "json"}}`)
	s, _, err := Load(Sources{Paths: p.paths(), Env: p.env, Flags: map[string]any{
		"tools.allowed":              []any{"b"},
		"context.includeDirectories": []any{"two"},
		"mcp.allowed":                []any{"z"},
		"mcp.excluded":               nil,
		"output.format":              "text",
	}})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		"tools.allowed":              []any{"b"},
		"context.includeDirectories": []any{"one", "two"},
		"mcp.allowed":                []any{"z"},
		"mcp.excluded":               nil,
		"output.format":              "text",
	} {
		if got, _ := s.Lookup(path); !cmp.Equal(got, want) {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

func TestTrust(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"model": {"name": "u"}, "security": {"folderTrust": {"enabled": true}}}`)
	p.workspace(t, `{"model": {"name": "w"}, "security": {"folderTrust": {"enabled": false}}}`)
	for _, trusted := range []bool{true, false} {
		s, _, err := Load(Sources{Paths: p.paths(), Env: p.env, Trusted: func(s *Settings) (bool, error) {
			if !FolderTrust.In(s) {
				t.Error("the workspace has a say in its own trust")
			}
			return trusted, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]string{true: "w", false: "u"}[trusted]; ModelName.In(s) != want || s.Trusted() != trusted {
			t.Errorf("trusted %v: model is %q, want %q", trusted, ModelName.In(s), want)
		}
	}
	_, _, err := Load(Sources{Paths: p.paths(), Env: p.env, Trusted: func(*Settings) (bool, error) {
		return false, errors.New("no idea")
	}})
	if err == nil {
		t.Error("an error of the judge is lost")
	}
}

// An untrusted workspace cannot stop a run with a broken file.
func TestUntrustedWorkspaceIsNotRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.workspace(t, `{broken`)
	_, warnings, err := Load(Sources{Paths: p.paths(), Env: p.env, Trusted: func(*Settings) (bool, error) { return false, nil }})
	if err != nil || len(warnings) > 0 {
		t.Errorf("got %v, %q", err, warnings)
	}
}

func TestHomeIsNoWorkspace(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"context": {"includeDirectories": ["one"]}}`)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(p.home, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{p.home, link} {
		s, _, err := Load(Sources{Paths: NewPaths(p.env, dir), Env: p.env})
		if err != nil {
			t.Fatal(err)
		}
		if got := IncludeDirectories.In(s); len(got) != 1 {
			t.Errorf("in %s the user's file is read as the workspace's too: %v", dir, got)
		}
	}
}

func TestForgivingSyntax(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"plain":          `{"model": {"name": "m"}}`,
		"comments":       "// one\n{/* two */ \"model\": {\"name\": \"m\" // three\n}}",
		"comment at end": "{\"model\": {\"name\": \"m\"}} // no newline",
		"trailing comma": `{"model": {"name": "m",},}`,
		"BOM":            "\uFEFF" + `{"model": {"name": "m"}}`,
		"BOM and CRLF":   "\uFEFF{\r\n// c\r\n\"model\": {\"name\": \"m\"}}\r\n",
		"last of two":    `{"model": {"name": "x"}, "model": {"name": "m"}}`,
		"variable":       `{"model": {"name": "$MODEL"}}`,
		"slashes inside": `{"ui": {"theme": "http://x/*"}, "model": {"name": "m"},}`,
	} {
		p := newPlace(t, "MODEL=m")
		p.user(t, content)
		s, _ := p.mustLoad(t)
		if got := ModelName.In(s); got != "m" {
			t.Errorf("%s: model is %q", name, got)
		}
	}
}

func TestFatalFiles(t *testing.T) {
	t.Parallel()
	big := "{" + strings.Repeat(" ", maxSettings) + "}"
	for name, tt := range map[string]struct {
		make func(t *testing.T, path string)
		want string
	}{
		"empty":        {content(""), "line 1, column 1: the file is empty"},
		"white space":  {content(" \n"), "line 1, column 1: the file is empty"},
		"broken":       {content("{\n  \"a\": }"), "line 2, column 8: invalid character '}' at start of value"},
		"cut off":      {content(`{"a": "b`), ""},
		"comment only": {content("// nothing"), "line 2, column 1: parsing value: unexpected EOF"},
		"big number":   {content("{\n  \"a\": 1e999}"), "line 2, column 8: the number 1e999 is too large"},
		"long text":    {content("{\"a\": \"x\n" + strings.Repeat("y", 1<<20) + "\"}"), "line 1, column 7: invalid literal: \"x?y"},
		"list":         {content(`[1]`), "Settings file is not a valid JSON object."},
		"null":         {content(`null`), "Settings file is not a valid JSON object."},
		"text":         {content(`"x"`), "Settings file is not a valid JSON object."},
		"binary":       {content("\x00\xff\xfe"), ""},
		"deep":         {content(strings.Repeat("[", 1<<20)), "objects and lists nest more than 1000 deep"},
		"deep object":  {content(strings.Repeat(`{"a":`, 1<<20)), "objects and lists nest more than 1000 deep"},
		"huge":         {content(big), "it is larger than 16 MB"},
		"directory":    {func(t *testing.T, path string) { mkdir(t, path) }, "it is a directory"},
		"loop": {func(t *testing.T, path string) {
			if err := os.Symlink(path, path); err != nil {
				t.Fatal(err)
			}
		}, "too many levels of symbolic links"},
		"pipe":   {mkfifo, "it is not a regular file"},
		"device": {func(t *testing.T, path string) { link(t, "/dev/zero", path) }, "it is not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			path := p.paths().UserSettings()
			mkdir(t, filepath.Dir(path))
			tt.make(t, path)
			_, _, err := p.load()
			var e *exit.Error
			if !errors.As(err, &e) || e.Code != exit.Config {
				t.Fatalf("got %v, want an error with code 52", err)
			}
			first, last, _ := strings.Cut(e.Message, "\n")
			if !strings.HasPrefix(first, "Error in "+path+": "+tt.want) || strings.Contains(first, "hujson") {
				t.Errorf("message is %q, want %q in it", first, tt.want)
			}
			if last != "Please fix the configuration file(s) and try again." {
				t.Errorf("last line is %q", last)
			}
		})
	}
}

func TestUnreadableFile(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	p := newPlace(t)
	p.user(t, "{}")
	if err := os.Chmod(p.paths().UserSettings(), 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.load(); exit.CodeOf(err) != exit.Config || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("got %v", err)
	}
}

func TestFatalFilesAreNamedTogether(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, "{")
	p.workspace(t, "[]")
	_, _, err := p.load()
	want := regexp.MustCompile(`^Error in \S+home/.gemini/settings.json: .*\nError in \S+work/.gemini/settings.json: .*\nPlease fix`)
	if err == nil || !want.MatchString(err.Error()) {
		t.Errorf("got %v", err)
	}
}

func TestAbsentFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	write(t, filepath.Join(p.work, ".gemini"), "a file where a directory should be")
	p.mustLoad(t)
}

func content(text string) func(*testing.T, string) {
	return func(t *testing.T, path string) { write(t, path, text) }
}

func mkdir(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

func mkfifo(t *testing.T, path string) {
	if err := exec.Command("mkfifo", path).Run(); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
}

// A flag causes no warning about a file's setting.
func TestFlagsAreNotSettings(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.user(t, `{"experimental": {"autoMemory": true}}`)
	s, _, err := Load(Sources{Paths: p.paths(), Env: p.env, Flags: map[string]any{"mcp.allowed": []any{"a"}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"experimental.autoMemory"}, s.Ineffective(Later)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExpandHome(t *testing.T) {
	t.Parallel()
	p := NewPaths(NewEnv("HOME=/home/me"), "/w")
	for path, want := range map[string]string{
		"":                    "",
		"~":                   "/home/me",
		"~/a b":               "/home/me/a b",
		"~you":                "~you",
		"a/~":                 "a/~",
		"/~/a":                "/~/a",
		"%userprofile%/a":     "/home/me/a",
		"%USERPROFILE%":       "/home/me",
		"%userprofile":        "%userprofile",
		"~/../../etc/../etc/": "/etc",
	} {
		if got := p.Expand(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}
