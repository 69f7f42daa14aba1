package install

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/extension"
	"pollux/internal/extension/plugin"
)

const pluginManifest = ".claude-plugin/plugin.json"

// guardian returns a plugin of Claude Code with a version and hooks.
func guardian(version, hooks string) map[string]string {
	return map[string]string{
		pluginManifest: `{"name": "x", "version": "` + version + `"}`, "hooks/hooks.json": `{"hooks": {` + hooks + `}}`, "commands/say.md": "Say $ARGUMENTS",
	}
}

const (
	guardHook  = `"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/guard"}]}]`
	promptHook = `"UserPromptSubmit": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]`
)

// TestPlugin installs, updates and removes a plugin: only the copy changes, the user sees the report first, and an update that loses a hook
// needs consent.
func TestPlugin(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	src := source(t, guardian("1.0.0", guardHook))
	before := files(t, src)
	e := mustInstall(t, m, src, Options{})
	const want = `Installing extension "x".
It is a plugin of Claude Code, which Pollux converts in the installed copy:

Hooks in hooks/hooks.json:

copied    PreToolUse of Bash: ${extensionPath}/guard

Commands in commands:

copied    say.md

⚠️  This extension contains Hooks which can automatically execute commands:
  * BeforeTool (Bash): ${extensionPath}/guard
This extension adds the following commands:
  * /say: Custom command from say.toml

`
	if text := user.take(); !strings.HasPrefix(text, want) {
		t.Errorf("shown: %s", text)
	}
	hooks, _ := e.Hooks()
	if len(hooks) != 1 || hooks[0].Command != e.Dir+"/guard" || hooks[0].Env["CLAUDE_PLUGIN_ROOT"] != e.Dir || e.Plugin != "claude" {
		t.Errorf("%+v", hooks)
	}
	if text, err := m.Describe(e); err != nil || !strings.Contains(text, "\n Converted from: a plugin of Claude Code\n") {
		t.Errorf("%s, %v", text, err)
	}
	if diff := cmp.Diff(before, files(t, src)); diff != "" {
		t.Errorf("the source has changed: %s", diff)
	}
	if state, err := m.Check(t.Context(), e); state != UpToDate || err != nil {
		t.Errorf("Check = %s, %v", state, err)
	}
	write(t, src, guardian("1.1.0", guardHook))
	if state, err := m.Check(t.Context(), e); state != Available || err != nil {
		t.Errorf("Check = %s, %v", state, err)
	}
	if change, err := m.UpdateQuietly(t.Context(), e); change.To != "1.1.0" || err != nil {
		t.Errorf("%+v, %v", change, err)
	}
	write(t, src, guardian("1.2.0", guardHook+","+promptHook))
	e = mustFind(t, m, "x")
	if _, err := m.UpdateQuietly(t.Context(), e); !errors.Is(err, ErrNeedsConsent) {
		t.Errorf("a new hook is lost without a question: %v", err)
	}
	if _, err := m.Update(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if text := user.take(); !strings.Contains(text, "\nleft out  UserPromptSubmit (") || !strings.Contains(text, "\n+ Not copied: hook UserPromptSubmit (") {
		t.Errorf("shown: %s", text)
	}
	e = mustFind(t, m, "x")
	if hooks, _ := e.Hooks(); e.Version != "1.2.0" || len(hooks) != 1 {
		t.Errorf("%s, %+v", e.Version, hooks)
	}
	write(t, src, map[string]string{pluginManifest: `{`})
	if state, err := m.Check(t.Context(), e); state != NotUpdatable || err == nil {
		t.Errorf("broken: %s, %v", state, err)
	}
	if err := m.Uninstall(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if left := files(t, m.Dir); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// TestPluginParts checks the consent for parts that only plugins have, a skill without a name and a hook with a working directory, and that a
// plugin without a version can always be updated.
func TestPluginParts(t *testing.T) {
	t.Parallel()
	m, user := newManager(t)
	e := mustInstall(t, m, source(t, map[string]string{
		"plugin.json": `{"name": "x"}`, "skills/tidy/SKILL.md": "---\ndescription: Tidies\n---\nx", "hooks.json": `{"b": {"Stop": [{"command": "true"}]}}`,
	}), Options{})
	text := user.take()
	for _, want := range []string{"\n  * AfterAgent: true\n    Working directory: ${extensionPath}\n", "\n  * tidy: Tidies (1 file)\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in: %s", want, text)
		}
	}
	if skills := ContentOf(e).Skills; len(skills) != 1 {
		t.Errorf("skills: %v", skills)
	}
	if state, err := m.Check(t.Context(), e); state != Available || err != nil {
		t.Errorf("without a version: %s, %v", state, err)
	}
}

// TestPluginArchive installs plugins from archives, with a directory around them and without.
func TestPluginArchive(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{"around": "x-1.0.0/", "bare": ""} {
		m, _ := newManager(t)
		file := filepath.Join(t.TempDir(), "x.zip")
		out, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		z := zip.NewWriter(out)
		w, err := z.Create(dir + pluginManifest)
		if err == nil {
			_, err = w.Write([]byte(`{"name": "x", "version": "1", "hooks": {` + guardHook + `}}`))
		}
		if err := errors.Join(err, z.Close(), out.Close()); err != nil {
			t.Fatal(err)
		}
		e := mustInstall(t, m, file, Options{})
		if hooks, _ := e.Hooks(); len(hooks) != 1 || e.Plugin != "claude" {
			t.Errorf("%s: %+v", name, hooks)
		}
		if state, err := m.Check(t.Context(), e); state != UpToDate || err != nil {
			t.Errorf("%s: %s, %v", name, state, err)
		}
	}
}

// TestPluginRefused checks that no plugin is linked, and that a broken one leaves nothing behind.
func TestPluginRefused(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	src := source(t, guardian("1.0.0", guardHook))
	before := files(t, src)
	if _, err := m.Link(t.Context(), src, Options{}); err == nil || !strings.Contains(err.Error(), "it is a plugin, which Pollux converts in a copy. To install it, run: pollux extensions install "+src) {
		t.Errorf("link: %v", err)
	}
	if diff := cmp.Diff(before, files(t, src)); diff != "" {
		t.Errorf("the source has changed: %s", diff)
	}
	for text, want := range map[string]string{
		`{"name": "../x"}`: "invalid name", `{`: "cannot read .claude-plugin/plugin.json", `{"name": "x", "version": "` + strings.Repeat("x", 2<<20) + `"}`: "larger than 1 MB",
	} {
		if _, err := m.Install(t.Context(), source(t, map[string]string{pluginManifest: text}), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v", text, err)
		}
	}
	market := source(t, map[string]string{".claude-plugin/marketplace.json": `{"plugins": [{"name": "x", "source": "./x"}]}`})
	var choice *plugin.MarketError
	if _, err := m.Install(t.Context(), market, Options{}); !errors.As(err, &choice) || len(choice.Offers) != 1 {
		t.Errorf("a marketplace: %v", err)
	}
	if _, err := m.Link(t.Context(), market, Options{}); err == nil || !strings.Contains(err.Error(), "Cannot link") {
		t.Errorf("link of a marketplace: %v", err)
	}
	if left := files(t, m.Dir); len(left) != 1 { // nothing but the directory itself
		t.Errorf("left: %v", left)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(m.Dir), stagesName)); err == nil {
		t.Error("a stage is left")
	}
}

// TestMarketplace installs a plugin of a marketplace in a repository, without the rest of the repository, and updates it.
func TestMarketplace(t *testing.T) {
	t.Parallel()
	m, _ := newManager(t)
	address, commit := repository(t)
	in := func(version string) map[string]string {
		all := map[string]string{".claude-plugin/marketplace.json": `{"plugins": [{"name": "one", "source": "./p/x"}, {"name": "two", "source": "./p/y"}]}`, "p/shared": "s"}
		for name, text := range guardian(version, guardHook) {
			all["p/x/"+name] = text
		}
		all["p/y/gemini-extension.json"] = `{"name": "y", "version": "1"}`
		return all
	}
	commit(in("1.0.0"))
	e := mustInstall(t, m, address, Options{Plugin: "one", AutoUpdate: true})
	if e.Install.Plugin != "one" || e.Install.Type != extension.Git {
		t.Errorf("%+v", e.Install)
	}
	if _, err := os.Stat(filepath.Join(e.Dir, "p")); err == nil {
		t.Error("the rest of the repository is installed")
	}
	if other := installAs(t, m, address, "y", Options{Plugin: "two"}); other.ID == e.ID || other.Plugin != "" {
		t.Errorf("%+v", other)
	}
	if state, err := m.Check(t.Context(), e); state != UpToDate || err != nil {
		t.Errorf("Check = %s, %v", state, err)
	}
	commit(in("2.0.0"))
	if state, err := m.Check(t.Context(), e); state != Available || err != nil {
		t.Errorf("Check = %s, %v", state, err)
	}
	if change, err := m.UpdateQuietly(t.Context(), e); change.To != "2.0.0" || err != nil {
		t.Errorf("%+v, %v", change, err)
	}
	e = mustFind(t, m, "x")
	if state, err := m.Check(t.Context(), e); state != UpToDate || err != nil {
		t.Errorf("Check = %s, %v", state, err)
	}
	for _, want := range []*extension.Extension{nil, mustFind(t, m, "y")} { // two have the source, then one
		installed, err := m.Installed(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if found := m.FindInstalled(installed, address); (found == nil) != (want == nil) || found != nil && found.Name != want.Name {
			t.Errorf("by its source: %v, want %v", found, want)
		}
		if want != nil {
			break
		}
		if err := m.Uninstall(t.Context(), m.FindInstalled(installed, "x")); err != nil {
			t.Fatal(err)
		}
	}
	// A link of the plugin that leads out of it is refused, although it stays in the repository.
	local := source(t, in("3.0.0"))
	if err := os.Symlink("../shared", filepath.Join(local, "p", "x", "link")); err != nil {
		t.Skip("NOT TESTED: no links", err)
	}
	if _, err := m.Install(t.Context(), local, Options{Plugin: "one"}); err == nil || !strings.Contains(err.Error(), "leads out of its directory") {
		t.Errorf("a link out of the plugin: %v", err)
	}
}

// installAs is mustInstall for an extension whose name is not x.
func installAs(t *testing.T, m *Manager, source, name string, o Options) *extension.Extension {
	t.Helper()
	if got, err := m.Install(t.Context(), source, o); got != name || err != nil {
		t.Fatalf("%s, %v", got, err)
	}
	return mustFind(t, m, name)
}

// TestValidatePlugin checks the report for an author.
func TestValidatePlugin(t *testing.T) {
	t.Parallel()
	src := source(t, guardian("1.0.0", guardHook+","+promptHook))
	before := files(t, src)
	r, err := Validate(src)
	if err != nil || !strings.HasPrefix(r.Conversion, "It is a plugin of Claude Code, which") || !strings.Contains(r.Conversion, "NOT COPIED: 1 hook ") || len(r.Errors)+len(r.Warnings) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if diff := cmp.Diff(before, files(t, src)); diff != "" {
		t.Errorf("the source has changed: %s", diff)
	}
	r, err = Validate(source(t, map[string]string{"plugin.json": `{"name": "empty"}`}))
	if err != nil || r.Conversion != "It is a plugin of Antigravity CLI." {
		t.Errorf("%+v, %v", r, err)
	}
	for _, files := range []map[string]string{{pluginManifest: `{}`}, {".claude-plugin/marketplace.json": `{"plugins": [{"name": "x"}]}`}} {
		if _, err := Validate(source(t, files)); err == nil || !strings.HasPrefix(err.Error(), "Cannot use ") {
			t.Errorf("%v: %v", files, err)
		}
	}
}
