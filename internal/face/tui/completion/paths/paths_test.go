package paths

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// disk makes files, and directories for names that end in a slash.
func disk(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Skip("the disk has no such names: ", err)
		}
	}
	return root
}

func list(l *Lister, typed string) string {
	var texts []string
	for _, e := range l.List(context.Background(), typed) {
		texts = append(texts, e.Text)
		if strings.HasSuffix(e.Text, "/") != e.IsDir || !strings.HasSuffix(e.Text, e.Name) {
			texts = append(texts, fmt.Sprintf("%+v", e))
		}
	}
	return strings.Join(texts, " ")
}

func TestList(t *testing.T) {
	t.Parallel()
	root := disk(t, "work/src/main.go", "work/src/Map.go", "work/sub/", "work/.hidden", "work/a\x1b[2J", "work/a\xff", "home/notes/x", "home/.rc")
	if err := os.Symlink("src", filepath.Join(root, "work", "link")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("gone", filepath.Join(root, "work", "dead")); err != nil {
		t.Fatal(err)
	}
	l := New(filepath.Join(root, "work"), filepath.Join(root, "home"))
	for typed, want := range map[string]string{
		"":                           "dead link/ src/ sub/",
		"s":                          "src/ sub/",
		"S":                          "src/ sub/",
		"src":                        "src/",
		"src/":                       "src/main.go src/Map.go",
		"src/MA":                     "src/main.go src/Map.go",
		"./s":                        "./src/ ./sub/",
		".":                          ".hidden",
		"link/m":                     "link/main.go link/Map.go",
		"../":                        "../home/ ../work/",
		"~/":                         "~/notes/",
		"~/.":                        "~/.rc",
		"~":                          "",
		"gone/":                      "",
		"src/main.go/":               "",
		"x":                          "",
		filepath.ToSlash(root) + "/": filepath.ToSlash(root) + "/home/ " + filepath.ToSlash(root) + "/work/",
	} {
		if got := list(l, typed); got != want {
			t.Errorf("%q: %s\nwant %s", typed, got, want)
		}
	}
	if got := list(New(filepath.Join(root, "work"), ""), "~/"); got != "" {
		t.Errorf("without a home: %s", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l.List(ctx, "") // returns
}

func TestManyFiles(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 1500 {
		names = append(names, fmt.Sprintf("file%04d", 1499-i))
	}
	got := New(disk(t, names...), "").List(context.Background(), "f")
	if len(got) != maxListed || got[0].Text != "file0000" || got[maxListed-1].Text != "file0199" {
		t.Errorf("%d entries", len(got))
	}
}

func TestIsTypable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a b": true, "é": true, "日本": true, "a\u202eb": true, "a\tb": false, "a\nb": false, "\x7f": false, "\x1b": false, "a\xff": false,
		"\u0085": false, "\u2028": false, "é\u2029": false,
	} {
		if IsTypable(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
