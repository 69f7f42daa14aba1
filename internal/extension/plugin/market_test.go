package plugin

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMarket checks the offers of a marketplace, and which of its plugins can be taken.
func TestMarket(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		marketFile: `{"name": "m", "metadata": {"pluginRoot": "./plugins"}, "plugins": [5, {"source": "./x"},
			{"name": "a", "source": "./a", "description": "A"}, {"name": "here", "source": "../", "version": "3", "mcpServers": {"s": {"command": "x"}}},
			{"name": "ext", "source": "ext"}, {"name": "up", "source": "../../x"}, {"name": "win", "source": "..\\x"}, {"name": "none"}, {"name": "gone", "source": "./gone"}, {"name": "link", "source": "./link"},
			{"name": "gh", "source": {"source": "github", "repo": "o/r", "ref": "v1", "sha": "abc"}}, {"name": "url", "source": {"source": "url", "url": "https://x.example/r.git"}},
			{"name": "sub", "source": {"source": "git-subdir", "url": "https://x.example/m", "path": "p"}}, {"name": "npm", "source": {"source": "npm", "package": "@a/b"}},
			{"name": "new", "source": {"source": "new"}}, {"name": "sly", "source": {"source": "url", "url": "https://x/$(y)"}}, {"name": "ref", "source": {"source": "github", "repo": "o/r", "ref": "-x y"}},
			{"name": "opt", "source": {"source": "github", "repo": "--consent"}}]}`,
		"plugins/a/.claude-plugin/plugin.json": `{"name": "a", "version": "1"}`, "plugins/a/commands/x.md": "x",
		"plugins/ext/gemini-extension.json": `{"name": "ext", "version": "1"}`,
	})
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "plugins", "link")); err != nil {
		t.Skip("NOT TESTED: no links", err)
	}
	_, err := Find(dir, "")
	var choice *MarketError
	if !errors.As(err, &choice) || !Has(dir) {
		t.Fatal(err)
	}
	var got []string
	for _, o := range choice.Offers {
		got = append(got, strings.Join([]string{o.Name, o.Description, o.Dir, o.Source, o.Why}, "|"))
	}
	const want = `a|A|plugins/a||
here||.||
ext||plugins/ext||
up||||its source leads out of the marketplace
win||||its source leads out of the marketplace
none||||it has no source
gone||plugins/gone||
link||plugins/link||
gh|||github:o/r --ref=abc|
url|||https://x.example/r.git|
sub||||it is in a directory of another repository, https://x.example/m
npm||||it is the npm package @a/b
new||||Pollux does not know its source
sly||||its source is not the address of a repository
ref||||its source is not the address of a repository
opt||||its source is not the address of a repository`
	if text := strings.Join(got, "\n"); text != want {
		t.Errorf("offers:\n%s", text)
	}
	for name, want := range map[string]string{
		"a": "", "here": "", "ext": "", "up": "leads out", "none": "has no source", "gone": "does not exist", "link": "leads out of the marketplace",
		"gh": `its plugin "gh" is in another repository (pollux extensions install github:o/r --ref=abc)`, "npm": "npm package", "other": `no plugin "other"`,
	} {
		s, err := Find(dir, name)
		if (err == nil) != (want == "") || (s == nil) == (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if s, _ := Find(dir, "ext"); !s.IsExtension() || s.Dir != filepath.Join(dir, "plugins", "ext") {
		t.Errorf("%+v", s)
	}
	// A plugin can be an entry alone.
	c, err := convert(t, dir, "here")
	if err != nil || c.Manifest.Name != "here" || c.Manifest.Version != "3" || c.Manifest.MCPServers["s"] == nil {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestNoMarket checks files that are no marketplace.
func TestNoMarket(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`{`: "cannot read " + marketFile, `{}`: marketFile + " has no plugins", `{"plugins": [{"name": 5}]}`: marketFile + " has no plugins"} {
		dir := write(t, map[string]string{marketFile: text})
		for _, name := range []string{"", "x"} {
			if _, err := Find(dir, name); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %q: %v", text, name, err)
			}
		}
	}
	if _, err := Find(t.TempDir(), "x"); err == nil || !strings.Contains(err.Error(), "there is no "+marketFile) {
		t.Error(err)
	}
}
