package extension

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/config"
	"pollux/internal/keychain"
)

// write writes files below dir, by their slash-separated names.
func write(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// load loads the extensions below dir, and returns the warnings with DIR in place of it.
func load(t *testing.T, dir string, o Options) (list []*Extension, warnings []string) {
	t.Helper()
	o.Dir = dir
	if o.Workspace == "" {
		o.Workspace = "/work"
	}
	o.Warn = func(text string) { warnings = append(warnings, strings.ReplaceAll(text, dir, "DIR")) }
	list, err := Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return list, warnings
}

func active(list []*Extension) (names []string) {
	for _, e := range Active(list) {
		names = append(names, e.Name)
	}
	return names
}

const minimal = `{"name": "NAME", "version": "1.0.0"}`

func manifest(name string) string { return strings.Replace(minimal, "NAME", name, 1) }

func TestLoad(t *testing.T) {
	t.Parallel()
	elsewhere := write(t, t.TempDir(), map[string]string{"gemini-extension.json": manifest("linked"), "GEMINI.md": "hello"})
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := write(t, t.TempDir(), map[string]string{
		"b/gemini-extension.json":                            manifest("b"),
		"b/GEMINI.md":                                        "b",
		"a/gemini-extension.json":                            `{"name": "a", "version": 2, "contextFileName": ["one.md", "missing.md", "docs${/}two.md", "../b/GEMINI.md", "out.md", "` + filepath.ToSlash(secret) + `", "docs"], "excludeTools": ["${A}", 5], "plan": {"directory": "../x"}}`,
		"a/one.md":                                           "1",
		"a/docs/two.md":                                      "2",
		"linked/" + InstallName:                              `{"source": "` + filepath.ToSlash(elsewhere) + `", "type": "link"}`,
		"no-manifest/README":                                 "",
		"text/gemini-extension.json":                         "hello",
		"copy-of-b/gemini-extension.json":                    manifest("b"),
		".hidden/README":                                     "",
		"extension-enablement.json.lock/x":                   "",
		"relative/" + InstallName:                            `{"source": "x", "type": "link"}`,
		"broken-record/" + InstallName:                       `{`,
		"broken-record/gemini-extension.json":                manifest("broken-record"),
		"a file":                                             "",
		"manifest-is-directory/gemini-extension.json/README": "",
	})
	if runtime.GOOS != "windows" {
		for link, target := range map[string]string{"a/out.md": secret, "loop": "loop", "a/loop": "."} {
			if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
				t.Fatal(err)
			}
		}
	}
	list, warnings := load(t, dir, Options{Lookup: func(name string) (string, bool) { return "tool", name == "A" }})
	var got []string
	for _, e := range list {
		for _, file := range e.ContextFiles {
			rel, err := filepath.Rel(e.Dir, file)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Name+": "+filepath.ToSlash(rel))
		}
	}
	want := []string{"a: one.md", "a: docs/two.md", "b: GEMINI.md", "linked: GEMINI.md"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("context files: %s", diff)
	}
	if diff := cmp.Diff([]string{"a", "b", "broken-record", "linked"}, active(list)); diff != "" {
		t.Error(diff)
	}
	a := list[0]
	if a.Version != "2" || !slices.Equal(a.ExcludeTools, []string{"tool"}) || a.PlanDirectory != "" {
		t.Errorf("got %+v", a.Manifest)
	}
	if list[1].Dir != filepath.Join(dir, "b") {
		t.Errorf("of two directories, %s won", list[1].Dir)
	}
	for _, want := range []string{
		"Warning: Skipping extension in DIR/no-manifest: there is no gemini-extension.json. To remove it, run: pollux extensions uninstall no-manifest",
		"Warning: Skipping extension in DIR/text: gemini-extension.json: line 1: invalid character 'h' looking for beginning of value. To remove it, run: pollux extensions uninstall text",
		`Warning: Skipping extension in DIR/copy-of-b: DIR/b has the same name "b"`,
		`Warning: Skipping extension in DIR/relative: the path of the linked directory is not absolute: "x". To remove it, run: pollux extensions uninstall relative`,
		"Warning: Skipping extension in DIR/manifest-is-directory: cannot read gemini-extension.json: it is a directory. To remove it, run: pollux extensions uninstall manifest-is-directory",
		`Warning: Extension a: Ignoring the context file "out.md": it is a link that leads out of the extension.`,
		`Warning: Extension a: Ignoring the context file "../b/GEMINI.md": it must be a path within the extension.`,
		`Warning: Extension a: Ignoring the context file "docs": it is not a regular file.`,
		`Warning: Extension a: Ignoring plan.directory "../x": it must be a relative path without "..".`,
		"Warning: Extension a: gemini-extension.json: excludeTools must be a list of strings.",
	} {
		if !slices.Contains(warnings, want) {
			t.Errorf("missing warning %q\n%s", want, strings.Join(warnings, "\n"))
		}
	}
	if len(warnings) != 11 {
		t.Errorf("%d warnings:\n%s", len(warnings), strings.Join(warnings, "\n"))
	}
}

func TestNoExtensions(t *testing.T) {
	t.Parallel()
	list, warnings := load(t, filepath.Join(t.TempDir(), "extensions"), Options{Only: []string{"x"}})
	if len(list)+len(warnings) != 0 {
		t.Error(list, warnings)
	}
}

func TestOnly(t *testing.T) {
	t.Parallel()
	dir := write(t, t.TempDir(), map[string]string{
		"one/gemini-extension.json": manifest("one"), "Two/gemini-extension.json": manifest("Two"),
		"extension-enablement.json": `{"one": {"overrides": ["!/*"]}}`,
	})
	for _, test := range []struct {
		only     []string
		active   []string
		warnings []string
	}{
		{nil, []string{"Two"}, nil},
		{[]string{"ONE"}, []string{"one"}, nil},
		{[]string{"one", "two"}, []string{"Two", "one"}, nil},
		{[]string{"None"}, nil, nil},
		{[]string{""}, nil, nil},
		{[]string{"none", "one"}, []string{"one"}, nil},
		{[]string{"x", "one"}, []string{"one"}, []string{"Extension not found: x"}},
	} {
		list, warnings := load(t, dir, Options{Only: test.only})
		if diff := cmp.Diff(test.active, active(list)); diff != "" {
			t.Errorf("%q: %s", test.only, diff)
		}
		if diff := cmp.Diff(test.warnings, warnings); diff != "" {
			t.Errorf("%q: %s", test.only, diff)
		}
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	dir := write(t, t.TempDir(), map[string]string{
		"plain/gemini-extension.json":   manifest("plain"),
		"git/gemini-extension.json":     manifest("git"),
		"git/" + InstallName:            `{"source": "https://github.com/o/r", "type": "git"}`,
		"release/gemini-extension.json": manifest("release"),
		"release/" + InstallName:        `{"source": "https://github.com/me/r", "type": "github-release"}`,
		"broken/gemini-extension.json":  manifest("broken"),
		"broken/" + InstallName:         `{"source": `,
	})
	for _, test := range []struct {
		sources  []string
		blockGit bool
		want     []string
	}{
		{nil, false, []string{"broken", "git", "plain", "release"}},
		{nil, true, []string{"plain"}},
		{[]string{"^https://github\\.com/(?=me/)"}, true, []string{"release"}},
		{[]string{"("}, false, nil},
	} {
		list, _ := load(t, dir, Options{Sources: test.sources, BlockGit: test.blockGit})
		if diff := cmp.Diff(test.want, active(list)); diff != "" {
			t.Errorf("%q %v: %s", test.sources, test.blockGit, diff)
		}
	}
}

// settled is an extension with four settings.
const settled = `{"name": "s", "version": "1", "settings": [
	{"name": "Key", "envVar": "S_KEY", "sensitive": true}, {"name": "URL", "envVar": "S_URL"},
	{"name": "Place", "envVar": "S_PLACE"}, {"name": "Path", "envVar": "LD_PRELOAD"}, {"name": "x", "envVar": "a b"}]}`

func TestValues(t *testing.T) {
	t.Parallel()
	work := write(t, t.TempDir(), map[string]string{".env": "S_URL=https://project\nS_PLACE=project\nLD_PRELOAD=evil\nextensionPath=/evil\n"})
	dir := write(t, t.TempDir(), map[string]string{
		"s/gemini-extension.json": settled,
		"s/.env":                  "S_URL=https://user\nEXTRA=extra\nworkspacePath=/evil\n",
	})
	at := filepath.Join(dir, "s")
	store := keychain.Open(keychain.Options{File: filepath.Join(t.TempDir(), "keys.json"), FileOnly: true})
	service, account := SecretName("s", IDOf("s", nil), "", "S_KEY")
	if _, err := store.Set(t.Context(), service, account, "hush"); err != nil {
		t.Fatal(err)
	}
	opened := 0
	o := Options{
		Workspace: work, Refused: []string{"S_PLACE"},
		Secrets: func() *keychain.Store { opened++; return store },
		Lookup:  func(name string) (string, bool) { return "env", name == "HOME" },
	}
	list, _ := load(t, dir, o)
	e := list[0]
	if got, want := e.Expand("${S_URL} ${S_KEY} ${EXTRA} $S_URL ${extensionPath}${/}x ${workspacePath} ${HOME} ${unknown}"),
		"https://user ${S_KEY} extra $S_URL "+at+string(filepath.Separator)+"x "+work+" ${HOME} ${unknown}"; got != want {
		t.Errorf("untrusted: got %s\nwant %s", got, want)
	}
	if diff := cmp.Diff(map[string]string{"S_KEY": "hush", "S_URL": "https://user"}, e.Environ()); diff != "" {
		t.Error(diff)
	}
	if !slices.Equal(e.Secrets(), []string{"hush"}) || opened != 1 {
		t.Error(e.Secrets(), opened)
	}
	if got, want := e.ofManifest().Text("$S_KEY ${S_KEY} $HOME ${extensionPath} ${NO:-default}"), "hush hush env "+at+" default"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}

	service, account = SecretName("s", IDOf("s", nil), work, "S_KEY")
	if _, err := store.Set(t.Context(), service, account, "of the project"); err != nil {
		t.Fatal(err)
	}
	o.IsTrusted = true
	list, _ = load(t, dir, o)
	e = list[0]
	want := map[string]string{"S_KEY": "of the project", "S_URL": "https://project"}
	if diff := cmp.Diff(want, e.Environ()); diff != "" {
		t.Errorf("trusted: %s", diff)
	}
	if v := e.Values[1]; v.Scope != Workspace || v.Source != filepath.Join(work, ".env") || e.Values[0].Source != "Keychain" {
		t.Errorf("got %+v", e.Values)
	}
	if got := config.NewExpander(e.inHook, nil).Text("${S_URL} ${EXTRA} ${S_KEY}"); got != "${S_URL} extra ${S_KEY}" {
		t.Errorf("in a hook: %s", got)
	}

	o.Only = []string{"none"}
	if list, _ = load(t, dir, o); len(list[0].Values) != 0 {
		t.Error("an inactive extension has values")
	}
	o.Only, o.NoSettings = nil, true
	if list, _ = load(t, dir, o); len(list[0].Values) != 0 {
		t.Error("settings are off, but there are values")
	}
	if opened != 2 {
		t.Errorf("the keychain was opened %d times", opened)
	}
}
