package files

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/mention"
	"pollux/internal/workspace"
)

// read returns the names that internal/mention finds in a prompt if all of the others name nothing.
func read(t interface{ Fatal(...any) }, w *workspace.Workspace, prompt, name string) []string {
	e, err := mention.Expand(context.Background(), w, prompt, nil, mention.Known{IsAgent: func(n string) bool { return n == name }})
	if err != nil {
		t.Fatal(err)
	}
	return e.Agents
}

// TestMention checks that prompts mention exactly the path for which the text was inserted.
func TestMention(t *testing.T) {
	t.Parallel()
	w, _ := workspace.New(workspace.Options{Root: t.TempDir()})
	names := rapid.OneOf(
		rapid.StringMatching(`[a-zA-Z0-9 _./\\,;!?(){}\[\]"'<>|$&*#=^~@:+%-]{1,12}`),
		rapid.StringMatching(`[a.中ー文é：「 ]{1,8}(\.md)?`),
		rapid.StringMatching(`[a中]{0,2}\.(md|go)[中a：]{1,3}`),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		name := names.Draw(t, "name")
		before := rapid.SampledFrom([]string{"", "see ", "(", "看", "line\n"}).Draw(t, "before")
		after := rapid.SampledFrom([]string{" ", " and more words than a name has: a b c d e f g h i j k l m n o p q r s t", ") x", "\nx"}).Draw(t, "after")
		for _, goos := range []string{"linux", "windows"} {
			text, ok := mentionOn(goos, name)
			if !ok {
				continue
			}
			if got := read(t, w, before+text+after, name); !slices.Equal(got, []string{name}) {
				t.Fatalf("%q on %s is %q: %q", name, goos, text, got)
			}
			if got, ok := tokenAt(text, len(text)); goos == "linux" && text[1] != '"' && (!ok || got.query != name) {
				t.Fatalf("%q is %q: the query is %q", name, text, got.query)
			}
		}
	})
}

func TestMentionTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, unix, windows string }{
		{"src/main.go", "@src/main.go", "@src/main.go"},
		{"a b.go", `@a\ b.go`, `@"a b.go"`},
		{"app/[id]/$x.ts", `@app/\[id\]/\$x.ts`, `@"app/[id]/$x.ts"`},
		{`a"b`, `@a\"b`, ""},
		{"note.", `@"note."`, `@"note."`},
		{`note".`, "", ""},
		{"v1.0说明.md", `@"v1.0说明.md"`, `@"v1.0说明.md"`},
		{"说明.md", "@说明.md", "@说明.md"},
		{"a\nb", "", ""},
		{"a\x1b[2Jb", "", ""},
		{"a\xffb", "", ""},
		{"a\u2028b", "", ""},
		{"a\u0085b", "", ""},
		{"a\u202eb", "@a\u202eb", "@a\u202eb"},
		{"", "", ""},
	} {
		unix, _ := mentionOn("linux", c.path)
		windows, ok := mentionOn("windows", c.path)
		if !ok {
			windows = ""
		}
		if _, ok := mentionOn("linux", c.path); !ok {
			unix = ""
		}
		if unix != c.unix || windows != c.windows {
			t.Errorf("%q: %q, %q", c.path, unix, windows)
		}
	}
}

// TestMentionedFiles checks that mentions of real files attach these files.
func TestMentionedFiles(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	names := []string{
		"plain.go", "two words.go", `quo"te.go`, `it's.go`, `back\slash`, "[id].tsx", "a{1,2}.go", "st*r", "wh?t", "$HOME", "#1", "a,b;c!d", "(x)",
		"end.", "v1.0说明.md", "~home", "a@b", "@scope", "x:12", "dir with space/file (1).txt", "bi\u202edi.go", "-flag", "é ü",
	}
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("content of "+name), 0o600); err != nil {
			t.Skip("the disk has no such names: ", err)
		}
	}
	w, _ := workspace.New(workspace.Options{Root: root})
	for _, name := range names {
		text, ok := inserted(name)
		if !ok {
			t.Errorf("%q cannot be mentioned", name)
		}
		e, err := mention.Expand(context.Background(), w, "Read "+text+" and fix it", func() int { return 0 }, mention.Known{})
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(w.Root(), filepath.FromSlash(name)); !slices.Equal(e.Files, []string{want}) {
			t.Errorf("%q as %q: %q", name, text, e.Files)
		}
	}
}

// inserted returns the text of a mention, as a source does.
func inserted(path string) (string, bool) {
	list := appendPath(nil, path, nil)
	if len(list) == 0 {
		return "", false
	}
	return list[0].Insert, !strings.Contains(list[0].Label, "\u202e")
}
