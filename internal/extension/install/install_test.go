package install

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/extension"
	"pollux/internal/extension/fetch"
	"pollux/internal/extension/integrity"
	"pollux/internal/extension/unpack"
	"pollux/internal/keychain"
	"pollux/internal/process"
)

// person answers questions in a test.
type person struct {
	refuses bool
	values  map[string]string // by variable
	shown   []string          // texts and notes
}

func (p *person) Confirm(_ context.Context, text, question string, _ bool) (bool, error) {
	p.shown = append(p.shown, text+"\n"+question)
	return !p.refuses, nil
}

func (p *person) Value(_ context.Context, s extension.Setting) (string, bool, error) {
	value, ok := p.values[s.EnvVar]
	return value, ok, nil
}

// take returns the texts shown since the last call.
func (p *person) take() string {
	text := strings.Join(p.shown, "\n")
	p.shown = nil
	return text
}

// newManager returns a manager of a new home directory, and its user.
func newManager(t *testing.T) (*Manager, *person) {
	t.Helper()
	home, workspace := t.TempDir(), t.TempDir()
	dir := filepath.Join(home, ".gemini", "extensions")
	secrets := keychain.Open(keychain.Options{File: filepath.Join(home, ".gemini", "gemini-credentials.json"), FileOnly: true})
	user := &person{values: map[string]string{}}
	m := &Manager{
		Dir: dir, Home: home, Workspace: workspace, HasSettings: true, Keychain: secrets, User: user,
		Integrity: integrity.New(filepath.Dir(dir), secrets),
		Options: extension.Options{
			Dir: dir, Workspace: workspace, IsTrusted: true, WithInactive: true, Secrets: func() *keychain.Store { return secrets },
			Warn: func(text string) { user.shown = append(user.shown, text) },
		},
		Fetcher: &fetch.Fetcher{
			Finder: process.Finder{Path: os.Getenv("PATH")}, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}, Limits: unpack.Usual,
		},
		TrustSource:     func(string) (string, func() error, error) { return "", nil, nil },
		ChangeWorkspace: func(edit func() error) error { return edit() },
		Note:            func(text string) { user.shown = append(user.shown, text) },
	}
	return m, user
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// source returns the directory of an extension with these files.
func source(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files)
	return dir
}

func manifest(version, rest string) map[string]string {
	return map[string]string{"gemini-extension.json": `{"name":"x","version":"` + version + `"` + rest + `}`}
}

// files returns the files below a directory, with their contents. It leaves out those of the keychain.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if d.IsDir() {
			if entries, _ := os.ReadDir(path); len(entries) == 0 {
				found[name+"/"] = ""
			}
			return nil
		}
		data, err := os.ReadFile(path)
		found[name] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	delete(found, ".gemini/gemini-credentials.json")
	return found
}

func mustInstall(t *testing.T, m *Manager, source string, o Options) *extension.Extension {
	t.Helper()
	name, err := m.Install(t.Context(), source, o)
	if err != nil {
		t.Fatal(err)
	}
	return mustFind(t, m, name)
}

func mustFind(t *testing.T, m *Manager, name string) *extension.Extension {
	t.Helper()
	e, err := m.find(t.Context(), name)
	if err != nil || e == nil {
		t.Fatalf("Find(%s) = %v, %v", name, e, err)
	}
	return e
}

func TestInstallAndUninstall(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	src := source(t, map[string]string{
		"gemini-extension.json": `{"name":"x","version":"1.0.0","mcpServers":{"s":{"command":"node","args":["${extensionPath}/s.js"],"env":{"API_KEY":"abc123secret","MODE":"fast"}}}}`,
		"GEMINI.md":             "Be kind.", "commands/a/b.toml": "prompt = 'x !{ls}'\ndescription = 'Does x'",
		"hooks/hooks.json":  `{"hooks":{"BeforeTool":[{"matcher":"read_.*","hooks":[{"type":"command","command":"sh evil.sh"}]}]}}`,
		"policies/p.toml":   "[[rule]]\ntoolName='run_shell_command'\ncommandPrefix='rm'\ndecision='deny'\npriority=1\n",
		"skills/k/SKILL.md": "---\nname: k\ndescription: Knows k\n---\nBody",
		"agents/helper.md":  "---\nname: helper\ndescription: Helps\n---\nBody",
		".git/config":       "x",
		"sub/.git/anything": "x",
	})
	mustInstall(t, m, src, Options{})
	asked := user.take()
	for _, want := range []string{
		`Installing extension "x".`, "This extension will run the following MCP servers:", "  * s (local): node ${extensionPath}/s.js",
		"      - API_KEY: ********", "      - MODE: fast", "    Config signature: ", "using GEMINI.md",
		"  * BeforeTool (read_.*): sh evil.sh", "  * /a:b: Does x (runs shell commands", "  * deny run_shell_command: rm",
		"  * helper: Helps", "  * k: Knows k (1 file)", InstallWarning, skillWarning, "Do you want to continue? [Y/n]: ",
	} {
		if !strings.Contains(asked, want) {
			t.Errorf("the consent has no %q:\n%s", want, asked)
		}
	}
	got := files(t, m.Home)
	wantNames := []string{
		".gemini/extension_integrity.json", ".gemini/extensions/extension-enablement.json",
		".gemini/extensions/x/.gemini-extension-install.json", ".gemini/extensions/x/GEMINI.md", ".gemini/extensions/x/agents/helper.md",
		".gemini/extensions/x/commands/a/b.toml", ".gemini/extensions/x/gemini-extension.json", ".gemini/extensions/x/hooks/hooks.json",
		".gemini/extensions/x/policies/p.toml", ".gemini/extensions/x/skills/k/SKILL.md", ".gemini/extensions/x/sub/",
	}
	if diff := cmp.Diff(wantNames, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Error(diff)
	}
	var record map[string]any
	if err := json.Unmarshal([]byte(got[".gemini/extensions/x/.gemini-extension-install.json"]), &record); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"source": src, "type": "local"}, record); diff != "" {
		t.Error(diff)
	}
	if _, err := m.Install(t.Context(), src, Options{}); err == nil || err.Error() != `Extension "x" is already installed. Please uninstall it first.` {
		t.Errorf("second installation: %v", err)
	}
	if err := m.Uninstall(t.Context(), mustFind(t, m, "x")); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(files(t, m.Home))); len(got) != 2 {
		t.Errorf("left behind: %v", got)
	}
}

// Whatever stops an installation, nothing stays behind.
func TestInstallFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source func(t *testing.T, m *Manager, u *person) string
		o      Options
		want   string
	}{
		"refused": {func(t *testing.T, _ *Manager, u *person) string {
			t.Helper()
			u.refuses = true
			return source(t, manifest("1.0.0", ""))
		}, Options{}, `Installation cancelled for "x".`},
		"no source":     {func(*testing.T, *Manager, *person) string { return "none" }, Options{}, "Install source not found."},
		"shorthand":     {func(*testing.T, *Manager, *person) string { return "owner/repo" }, Options{}, "Install source not found."},
		"helper":        {func(*testing.T, *Manager, *person) string { return "ext::sh -c id" }, Options{}, "Install source not found."},
		"option":        {func(*testing.T, *Manager, *person) string { return "--upload-pack=id" }, Options{}, "Install source not found."},
		"ref of a path": {func(t *testing.T, _ *Manager, _ *person) string { t.Helper(); return source(t, nil) }, Options{Ref: "v1"}, "--ref and --auto-update are not applicable"},
		"no manifest":   {func(t *testing.T, _ *Manager, _ *person) string { t.Helper(); return source(t, nil) }, Options{}, "there is no gemini-extension.json"},
		"name": {func(t *testing.T, _ *Manager, _ *person) string {
			t.Helper()
			return source(t, map[string]string{"gemini-extension.json": `{"name":"../x","version":"1"}`})
		}, Options{}, "invalid name"},
		"directory is there": {func(t *testing.T, m *Manager, _ *person) string {
			t.Helper()
			write(t, m.Dir, map[string]string{"x/other": ""})
			return source(t, manifest("1.0.0", ""))
		}, Options{}, "a directory with that name already exists"},
		"link out": {func(t *testing.T, _ *Manager, _ *person) string {
			t.Helper()
			src := source(t, manifest("1.0.0", ""))
			if err := os.Symlink("/etc/passwd", filepath.Join(src, "GEMINI.md")); err != nil {
				t.Skip(err)
			}
			return src
		}, Options{}, "leads out of its directory"},
		"blocked": {func(_ *testing.T, m *Manager, _ *person) string {
			m.Options.BlockGit = true
			return "https://example.com/x"
		}, Options{}, "Installing extensions from remote sources is disallowed by your current settings."},
		"not allowed": {func(t *testing.T, m *Manager, _ *person) string {
			t.Helper()
			m.Options.Sources = []string{"^https://github\\.com/mine/"}
			return source(t, manifest("1.0.0", ""))
		}, Options{}, `is not allowed by the "allowedExtensions" security setting.`},
		"signatures changed": {func(t *testing.T, m *Manager, _ *person) string {
			t.Helper()
			write(t, m.Home, map[string]string{".gemini/extension_integrity.json": `{"store":{},"signature":"00"}`})
			return source(t, manifest("1.0.0", ""))
		}, Options{}, "cannot verify"},
		"untrusted workspace": {func(t *testing.T, m *Manager, u *person) string {
			t.Helper()
			m.TrustWorkspace, u.refuses = func() error { return errors.New("trusted") }, true
			return source(t, manifest("1.0.0", ""))
		}, Options{}, "because the current workspace at"},
		"untrusted source": {func(t *testing.T, m *Manager, u *person) string {
			t.Helper()
			m.TrustSource = func(string) (string, func() error, error) {
				return "This folder contains:", func() error { return nil }, nil
			}
			u.refuses = true
			return source(t, manifest("1.0.0", ""))
		}, Options{}, "Installation aborted: Folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, user := newManager(t)
			src := test.source(t, m, user)
			before := files(t, m.Home)
			_, err := m.Install(t.Context(), src, test.o)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("error %v, want %q", err, test.want)
			}
			after := files(t, m.Home)
			for _, made := range []string{".gemini/extensions/", "./"} { // and empty
				delete(after, made)
				delete(before, made)
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	src := source(t, manifest("1.0.0", ""))
	name, err := m.Link(t.Context(), src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := mustFind(t, m, name)
	if e.Dir != src || e.Install.Type != extension.Link {
		t.Errorf("Dir %s, %+v", e.Dir, e.Install)
	}
	if state, _ := m.Check(t.Context(), e); state != NotUpdatable {
		t.Errorf("state %q", state)
	}
	if _, err := m.Update(t.Context(), e); err == nil || !strings.Contains(err.Error(), "is linked") {
		t.Errorf("Update: %v", err)
	}
	if err := m.Uninstall(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(src, "gemini-extension.json")); err != nil {
		t.Error(err)
	}
}

// The consent and the validation name a file with mistakes by its path in the extension.
func TestPolicyProblem(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	files := manifest("1.0.0", "")
	files["policies/p.toml"] = "[[rule]]\ntoolName='x'\ndecision='deny'\npriority=1\n[[rule]]\ntoolName='glob'\ndecision='allow'\npriority=1\n"
	src := source(t, files)
	const want = "Warning: policies/p.toml: Rule ignored: rule #2 (line 5): an extension cannot have rules that allow (copy the rule to your own policy files, if you want it)"
	user.refuses = true
	_, _ = m.Install(t.Context(), src, Options{})
	if asked := user.take(); !strings.Contains(asked, want+"\n") {
		t.Error(asked)
	}
	report, err := Validate(src)
	if err != nil || !slices.Contains(report.Warnings, want) {
		t.Errorf("%v, %v", report, err)
	}
}

// A problem of an extension is shown once, when the user does something with it.
func TestWarnsOnce(t *testing.T) {
	t.Parallel()
	const warning = `Warning: Extension x: Ignoring the context file "../out.md": it must be a path within the extension.`
	files := manifest("1.0.0", `,"contextFileName":"../out.md"`)
	m, user := newManager(t)
	e := mustInstall(t, m, source(t, files), Options{HasConsent: true})
	write(t, m.Dir, map[string]string{"other/gemini-extension.json": `{"name":"other","version":"1"}`, "broken/gemini-extension.json": "hello"})
	if shown := user.take(); strings.Count(shown, warning) != 1 {
		t.Errorf("install shows %s", shown)
	}
	for _, name := range []string{"other", e.Name} {
		again := *m // as in another process
		again.warned = nil
		if _, err := again.Enable(t.Context(), name, extension.Workspace, false); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"other": "", "x": warning}[name]
		if shown := strings.TrimSpace(user.take()); shown != want {
			t.Errorf("the change of %s shows %s", name, shown)
		}
	}
	again := *m
	again.warned = nil
	if _, err := again.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	if shown := user.take(); strings.Count(shown, warning) != 1 || strings.Count(shown, "Skipping extension") != 1 {
		t.Errorf("the list shows %s", shown)
	}
}

// The error of a directory that cannot be written names the directory, not a file in it.
func TestDisableReadOnly(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	e := mustInstall(t, m, source(t, manifest("1.0.0", "")), Options{HasConsent: true})
	if err := os.Chmod(m.Dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(m.Dir, 0o755) })
	if os.Mkdir(filepath.Join(m.Dir, "test"), 0o755) == nil {
		t.Skip("root can write everywhere")
	}
	_, err := m.Enable(t.Context(), e.Name, extension.User, false)
	if want := "cannot disable x: " + m.Dir + " cannot be written (permission denied)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Extensions that cannot be read are found by the names of their directories, and the targets of
// links stay.
func TestUninstallBroken(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	src := source(t, manifest("1.0.0", ""))
	write(t, m.Dir, map[string]string{
		"broken/gemini-extension.json": "hello", "broken/readonly/file": "", "x.lock/file": "", ".hidden/file": "", "file": "", "other/gemini-extension.json": `{"name": "named", "version": "1"}`,
	})
	if _, err := m.Link(t.Context(), src, Options{HasConsent: true}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(src, "gemini-extension.json"), filepath.Join(src, "gone.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(src, filepath.Join(m.Dir, "symlink")); err != nil {
		t.Skip(err)
	}
	installed, err := m.Installed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", ".", "..", "../extensions/broken", "broken/readonly", "x.lock", ".hidden", "file", "nothing"} {
		if e := m.FindInstalled(installed, name); e != nil {
			t.Errorf("%q is %s", name, e.InstallDir)
		}
	}
	if e := m.FindInstalled(installed, "other"); e == nil || e.Name != "named" {
		t.Errorf("got %+v", e)
	}
	for _, name := range []string{"broken", "x", "symlink"} {
		e := m.FindInstalled(installed, name)
		if e == nil {
			t.Errorf("%s is not found", name)
			continue
		}
		if err := m.Uninstall(t.Context(), e); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(filepath.Join(m.Dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(src, "gone.json")); err != nil {
		t.Error(err)
	}
}

// Names and texts of strangers cannot write to the terminal, and cannot push a text out of sight.
func TestHostileConsent(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	const evil = `\u001b[2J\u001b]0;x\u0007\u202e\n\nDo you want to continue? [Y/n]: y`
	src := source(t, map[string]string{
		"gemini-extension.json": `{"name":"x","version":"1.0.0` + evil + `","description":"` + evil + `","excludeTools":["a` + evil + `"],
			"mcpServers":{"s` + evil + `":{"command":"` + evil + `","args":["` + evil + strings.Repeat("long ", 1000) + `"],"env":{"` + evil + `":"` + evil + `"},"trust":true}},
			"settings":[{"name":"` + evil + `","description":"` + evil + `","envVar":"A"}]}`,
		"hooks/hooks.json":  `{"hooks":{"BeforeTool":[{"matcher":"` + evil + `","hooks":[{"type":"command","command":"` + evil + `"}]}]}}`,
		"skills/k/SKILL.md": "---\nname: \"" + evil + "\"\ndescription: \"" + evil + "\"\n---\n",
	})
	user.refuses = true
	_, _ = m.Install(t.Context(), src, Options{})
	asked := user.take()
	if strings.ContainsAny(asked, "\x1b\x07\u202e") {
		t.Errorf("escape sequences: %q", asked)
	}
	for line := range strings.Lines(asked) {
		if strings.HasPrefix(line, "Do you want") && !strings.HasPrefix(line, "Do you want to continue? [Y/n]: ") || len(line) > 5000 {
			t.Errorf("line %q", line)
		}
	}
	if n := strings.Count(asked, "\nDo you want to continue?"); n != 1 {
		t.Errorf("%d lines look like the question:\n%s", n, asked)
	}
	if !strings.Contains(asked, "more bytes)") || !strings.Contains(asked, "Trust: true (ignored)") {
		t.Error(asked)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	const settings = `,"settings":[{"name":"Key","description":"","envVar":"MY_KEY","sensitive":true},{"name":"URL","description":"","envVar":"MY_URL"},{"name":"Old","description":"","envVar":"OLD","sensitive":true}]`
	src := source(t, manifest("1.0.0", settings))
	user.values = map[string]string{"MY_KEY": "secret value", "MY_URL": "http://a b/#c", "OLD": "old"}
	e := mustInstall(t, m, src, Options{})
	values := func(e *extension.Extension) (got []string) {
		for _, v := range e.Values {
			got = append(got, v.EnvVar+"="+v.Value+" "+v.Source)
		}
		return got
	}
	env := e.EnvFile()
	want := []string{"MY_KEY=secret value Keychain", "MY_URL=http://a b/#c " + env, "OLD=old Keychain"}
	if diff := cmp.Diff(want, values(e)); diff != "" {
		t.Error(diff)
	}
	for name, content := range files(t, m.Home) {
		if strings.Contains(content, "secret value") {
			t.Errorf("the secret is in %s", name)
		}
	}

	// An update keeps the values, asks for new settings only, and removes those that are gone.
	write(t, src, manifest("2.0.0", strings.Replace(settings, `{"name":"Old","description":"","envVar":"OLD","sensitive":true}`, `{"name":"New","description":"","envVar":"NEW"}`, 1)))
	user.values = map[string]string{"MY_KEY": "no", "MY_URL": "no", "NEW": "new"}
	if _, err := m.Update(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	e = mustFind(t, m, "x")
	want = []string{"MY_KEY=secret value Keychain", "MY_URL=http://a b/#c " + env, "NEW=new " + env}
	if diff := cmp.Diff(want, values(e)); diff != "" {
		t.Error(diff)
	}
	service, account := extension.SecretName("x", e.ID, "", "OLD")
	if _, err := m.Keychain.Get(t.Context(), service, account); !errors.Is(err, keychain.ErrNotFound) {
		t.Errorf("the old secret is still there: %v", err)
	}

	// Values of the workspace, and empty values.
	write(t, m.Workspace, map[string]string{".env": "# mine\nOTHER=1 # one\nexport MY_URL=x\n"})
	if err := m.SetValue(t.Context(), e, *FindSetting(e, "URL"), extension.Workspace, "here"); err != nil {
		t.Fatal(err)
	}
	if err := m.SetValue(t.Context(), e, *FindSetting(e, "MY_KEY"), extension.User, ""); err != nil {
		t.Fatal(err)
	}
	e = mustFind(t, m, "x")
	want = []string{"MY_KEY= ", "MY_URL=here " + filepath.Join(m.Workspace, ".env"), "NEW=new " + env}
	if diff := cmp.Diff(want, values(e)); diff != "" {
		t.Error(diff)
	}
	if got := files(t, m.Workspace)[".env"]; got != "# mine\nOTHER=1 # one\nMY_URL=here\n" {
		t.Errorf(".env is %q", got)
	}
	if err := m.Uninstall(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	service, account = extension.SecretName("x", e.ID, "", "MY_KEY")
	if _, err := m.Keychain.Get(t.Context(), service, account); !errors.Is(err, keychain.ErrNotFound) {
		t.Errorf("the secret is still there: %v", err)
	}
}

func TestMissingSettings(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	mustInstall(t, m, source(t, manifest("1.0.0", `,"settings":[{"name":"Key","description":"","envVar":"MY_KEY"}]`)), Options{SkipSettings: true})
	const want = `Extension "x" has missing settings: Key. Please run "pollux extensions config x [setting-name]" to configure them.`
	if got := user.take(); !strings.Contains(got, want) {
		t.Errorf("shown: %s", got)
	}
}

func TestUpdateLocal(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	src := source(t, manifest("1.0.0", ""))
	e := mustInstall(t, m, src, Options{})
	if state, err := m.Check(t.Context(), e); state != UpToDate || err != nil {
		t.Errorf("Check = %s, %v", state, err)
	}
	write(t, src, map[string]string{"new": "file"})
	write(t, src, manifest("1.1.0", ""))
	if state, err := m.Check(t.Context(), e); state != Available || err != nil {
		t.Errorf("Check = %s, %v", state, err)
	}
	user.take()
	change, err := m.Update(t.Context(), e)
	if err != nil || change.String() != `Extension "x" successfully updated: 1.0.0 → 1.1.0.` {
		t.Errorf("Update = %s, %v", change, err)
	}
	if asked := user.take(); asked != `Updating extension "x": 1.0.0 → 1.1.0.` { // nothing to agree to
		t.Errorf("shown: %s", asked)
	}

	// The parts change: Pollux shows the lines and asks the user.
	write(t, src, manifest("1.2.0", `,"excludeTools":["glob"],"mcpServers":{"s":{"command":"evil"}}`))
	user.refuses = true
	e = mustFind(t, m, "x")
	if _, err := m.UpdateQuietly(t.Context(), e); !errors.Is(err, ErrNeedsConsent) {
		t.Errorf("UpdateQuietly: %v", err)
	}
	before := files(t, m.Home)
	if _, err := m.Update(t.Context(), e); err == nil || !strings.Contains(err.Error(), "Installation cancelled") {
		t.Errorf("Update: %v", err)
	}
	if diff := cmp.Diff(before, files(t, m.Home)); diff != "" {
		t.Error(diff)
	}
	asked := user.take()
	for _, want := range []string{`Updating extension "x": 1.1.0 → 1.2.0.`, "+   * s (local): evil", "+ This extension will exclude the following core tools: glob"} {
		if !strings.Contains(asked, want) {
			t.Errorf("no %q in\n%s", want, asked)
		}
	}
}

// An update that does not load leaves the installed extension as it was.
func TestUpdateRollsBack(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	src := source(t, manifest("1.0.0", ""))
	e := mustInstall(t, m, src, Options{})
	before := files(t, m.Home)
	write(t, src, manifest("2.0.0", ""))
	p, err := m.planUpdate(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	write(t, p.files, map[string]string{"gemini-extension.json": "broken"})
	if err := p.execute(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "does not load") {
		t.Errorf("execute: %v", err)
	}
	p.close()
	if diff := cmp.Diff(before, files(t, m.Home)); diff != "" {
		t.Error(diff)
	}
	if _, err := m.UpdateQuietly(t.Context(), mustFind(t, m, "x")); err != nil {
		t.Error(err)
	}
}

func TestUpdateRefusesChangedRecord(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	src := source(t, manifest("1.0.0", ""))
	mustInstall(t, m, src, Options{})
	write(t, m.Dir, map[string]string{"x/" + extension.InstallName: `{"source":"` + source(t, manifest("9.0.0", "")) + `","type":"local"}`})
	_, err := m.Update(t.Context(), mustFind(t, m, "x"))
	if err == nil || err.Error() != "Extension x cannot be updated. Extension integrity cannot be verified. To fix this, reinstall the extension." {
		t.Errorf("Update: %v", err)
	}
}

func TestUpdateRenames(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	src := source(t, manifest("1.0.0", ""))
	e := mustInstall(t, m, src, Options{})
	if _, err := m.Enable(t.Context(), "x", extension.Workspace, false); err != nil {
		t.Fatal(err)
	}
	write(t, src, map[string]string{"gemini-extension.json": `{"name":"y","version":"2.0.0"}`})
	user.take()
	if _, err := m.Update(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if asked := user.take(); !strings.Contains(asked, `Renaming extension "x" to "y" and installing updates.`) {
		t.Error(asked)
	}
	y := mustFind(t, m, "y")
	if y.IsActive || filepath.Base(y.InstallDir) != "y" {
		t.Errorf("%+v", y)
	}
	if x, _ := m.find(t.Context(), "x"); x != nil {
		t.Error("x is still installed")
	}
}

// repository returns the address of a repository of an extension, and a function that commits files.
func repository(t *testing.T) (address string, commit func(files map[string]string)) {
	t.Helper()
	dir, home := t.TempDir(), t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	return "file://" + dir, func(files map[string]string) {
		t.Helper()
		write(t, dir, files)
		git("add", "--all")
		git("commit", "-q", "-m", "change")
	}
}

func TestUpdateGit(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	address, commit := repository(t)
	commit(manifest("1.0.0", ""))
	e := mustInstall(t, m, address, Options{AutoUpdate: true})
	if e.Install.Type != extension.Git || !e.Install.AutoUpdate {
		t.Errorf("%+v", e.Install)
	}
	if state, err := m.Check(t.Context(), e); state != UpToDate || err != nil {
		t.Errorf("Check = %s, %v", state, err)
	}
	commit(manifest("2.0.0", ""))
	if state, err := m.Check(t.Context(), e); state != Available || err != nil {
		t.Errorf("Check = %s, %v", state, err)
	}
	if _, err := m.Update(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	e = mustFind(t, m, "x")
	if state, err := m.Check(t.Context(), e); e.Version != "2.0.0" || state != UpToDate || err != nil {
		t.Errorf("version %s, %s, %v", e.Version, state, err)
	}

	// The author moves to another repository, which may be anything.
	other, commitOther := repository(t)
	commitOther(manifest("3.0.0", ""))
	for _, to := range []string{"ext::sh -c id", "--upload-pack=id", "/etc", "file:///nowhere"} {
		commit(manifest("2.1.0", `,"migratedTo":"`+to+`"`))
		if _, err := m.Update(t.Context(), mustFind(t, m, "x")); err != nil {
			t.Fatal(err)
		}
		if e = mustFind(t, m, "x"); m.migratedTo(t.Context(), e) != "" {
			t.Errorf("migrates to %s", to)
		}
	}
	commit(manifest("2.2.0", `,"migratedTo":"`+other+`"`))
	if _, err := m.Update(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Update(t.Context(), mustFind(t, m, "x")); err != nil {
		t.Fatal(err)
	}
	if e = mustFind(t, m, "x"); e.Version != "3.0.0" || e.Install.Source != other {
		t.Errorf("%s %+v", e.Version, e.Install)
	}
}

func TestCheckAll(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	src := source(t, manifest("1.0.0", ""))
	mustInstall(t, m, src, Options{})
	write(t, src, manifest("2.0.0", ""))
	write(t, m.Dir, map[string]string{"loose/gemini-extension.json": `{"name":"loose","version":"1"}`})
	installed, err := m.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range m.CheckAll(t.Context(), installed) {
		got = append(got, s.Name+": "+string(s.State))
	}
	if diff := cmp.Diff([]string{"loose: not updatable", "x: update available"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/latest") {
			_, _ = w.Write([]byte(`{"tag_name":"v1","assets":[{"name":"x.tar.gz","url":"http://` + r.Host + `/x"}]}`))
			return
		}
		_, _ = w.Write([]byte("<html>"))
	}))
	t.Cleanup(server.Close)
	m.Fetcher.API, user.refuses = server.URL, true
	_, err := m.Install(t.Context(), "https://github.com/o/r", Options{})
	const want = "Failed to install extension https://github.com/o/r: cannot unpack release \"v1\": it is neither a tar.gz nor a zip archive."
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	if asked := user.take(); !strings.Contains(asked, `Would you like to attempt to install via "git clone" instead?`) {
		t.Error(asked)
	}
}

// TestScopes checks where the rules of a scope have an effect. The working directory of these tests is not in the home directory.
func TestScopes(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	mustInstall(t, m, source(t, manifest("1.0.0", "")), Options{HasConsent: true})
	below := filepath.Join(m.Workspace, "sub")
	for _, step := range []struct {
		scope   extension.Scope
		enabled bool
		want    string // the directories in which it is enabled
	}{
		{extension.User, false, ""},
		{extension.Workspace, true, "workspace below"},
		{extension.User, false, ""},
		{extension.User, true, "home workspace below elsewhere"},
		{extension.Workspace, false, "home elsewhere"},
		{extension.User, true, "home workspace below elsewhere"},
	} {
		if _, err := m.Enable(t.Context(), "x", step.scope, step.enabled); err != nil {
			t.Fatal(err)
		}
		rules, err := extension.OpenEnablement(m.Dir)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range [][2]string{{"home", m.Home}, {"workspace", m.Workspace}, {"below", below}, {"elsewhere", "/srv/other"}} {
			if rules.IsEnabled("x", d[1]) {
				got = append(got, d[0])
			}
		}
		if strings.Join(got, " ") != step.want {
			t.Errorf("%+v: it is enabled in %v", step, got)
		}
	}
	m.Options.Off = []string{"x"}
	if got := m.WhyUnchanged("x", true); !strings.Contains(got, "extensions.disabled") || m.WhyUnchanged("x", false) != "" {
		t.Errorf("with the setting: %q", got)
	}
}
