package theme

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	home := filepath.Join(root, "home")
	write := func(name, text string) string {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(target, name string) string {
		path := filepath.Join(root, name)
		if err := os.Symlink(target, path); err != nil {
			t.Skip(err) // Windows without the right to create links
		}
		return path
	}
	named := write("home/a/x.json", `{"name":"Sea","Gray":"#123"}`)
	nameless := write("home/y.json", `{"Gray":"#123"}`)
	outside := write("home2/z.json", `{"name":"Out"}`)
	largest := `{"name":"Big"` + strings.Repeat(" ", maxFile-14) + "}"
	alias := link(home, "alias")
	for _, tt := range []struct{ path, home, name, warn string }{
		{named, home, "Sea", ""},
		{nameless, home, "y", ""},
		{named, alias, "Sea", ""},
		{filepath.Join(alias, "y.json"), home, "y", ""},
		{link(nameless, "in.json"), home, "in", ""},
		{outside, home, "", "it is outside of your home directory."},
		{link(outside, "home/out.json"), home, "", "it is outside of your home directory."},
		{filepath.Join(home, "..", "home2", "z.json"), home, "", "it is outside of your home directory."},
		{filepath.Join(home, "none.json"), home, "", "no such file or directory."},
		{home, home, "", "it is not a regular file."},
		{"x.json", home, "", "the path is not absolute."},
		{named, "", "", "the path is not absolute."},
		{named, filepath.Join(root, "nowhere"), "", "no such file or directory."},
		{write("home/big.json", largest), home, "Big", ""},
		{write("home/bigger.json", largest+" "), home, "", "it is larger than 1 MB."},
		{write("home/bad.json", "{"), home, "", `bad.json": it is not a JSON object.`},
		{write("home/warn.json", `{"name":"W","Gray":"nope"}`), home, "W", `Theme "W": Gray is "nope", which is not a color.`},
	} {
		got, warnings := LoadFile(tt.path, tt.home)
		all := strings.Join(warnings, "|")
		if got.Name != tt.name || tt.warn == "" != (all == "") || !strings.HasSuffix(all, tt.warn) && filepath.Separator == '/' {
			t.Errorf("%s in %s: %q %q", tt.path, tt.home, got.Name, warnings)
		}
		if got.Name == "Sea" && digits(got.Colors.Secondary) != "112233" {
			t.Error(describe(got))
		}
	}
}
