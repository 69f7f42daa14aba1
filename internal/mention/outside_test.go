package mention

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/workspace"
)

// TestOutside checks which mentions a person may permit: files that exist outside of the workspace, by any path, and are no secrets.
func TestOutside(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(base, "here")
	for _, name := range []string{"here/in.txt", "here/.git/config", "far/a.txt", "far/b c.txt", "far/.env", "far/.git/config", "far/node_modules/x.js", "tmp/chats/x.json"} {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(base, "far", "a.txt"), filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	w, _ := workspace.New(workspace.Options{Root: root, ProjectTemp: filepath.Join(base, "tmp")})
	far := func(name string) string { return filepath.Join(base, "far", name) }
	for prompt, want := range map[string][]string{
		"Read @in.txt":                              nil,
		"Read @" + far("a.txt") + ", please":        {far("a.txt")},
		"Read @../far/a.txt and @" + far("a.txt"):   {far("a.txt")},
		"Read @link":                                {far("a.txt")},
		"Read @\"" + far("b c.txt") + "\"":          {far("b c.txt")},
		"Read @" + far(""):                          {filepath.Join(base, "far")},
		"Read @" + far("none.txt"):                  nil,
		"Read @" + far(".env"):                      nil,
		"Read @" + far(".git/config"):               nil,
		"Read @" + far("node_modules/x.js"):         nil,
		"Read @.git/config":                         nil,
		"Read @" + base + "/tmp/chats/x.json":       nil,
		"Ask @" + strings.TrimPrefix(far("x"), "/"): nil,
		"Ask me" + "@" + far("a.txt"):               nil,
		"Ask @reviewer about @res:" + far("a.txt"):  nil,
	} {
		known := Known{IsAgent: func(name string) bool { return name == "reviewer" }}
		if got := Outside(w, prompt, known); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", prompt, got, want)
		}
	}
	known := Known{IsAgent: func(name string) bool { return name == far("a.txt") }}
	if got := Outside(w, "@"+far("a.txt"), known); got != nil {
		t.Errorf("an agent's name is the path %q", got)
	}
}

// TestOutsideIsBounded checks that a long text from elsewhere leads to a question that can be read.
func TestOutsideIsBounded(t *testing.T) {
	t.Parallel()
	far := t.TempDir()
	var prompt strings.Builder
	for i := range 2 * maxOutside {
		path := filepath.Join(far, fmt.Sprint(i))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		prompt.WriteString("@" + path + " ")
	}
	w, _ := workspace.New(workspace.Options{Root: t.TempDir()})
	if got := Outside(w, prompt.String(), Known{}); len(got) != maxOutside {
		t.Errorf("%d files", len(got))
	}
}
