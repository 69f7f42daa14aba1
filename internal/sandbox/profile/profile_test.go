package profile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/sandbox"
	"pollux/internal/sandbox/profile"
)

// home makes a home directory with files of these names.
func home(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestMake(t *testing.T) {
	t.Parallel()
	dir := home(t, "project/main.go", ".ssh/id_rsa", ".ssh/id_rsa.pub", ".ssh/config", ".aws/credentials", ".aws/config", ".npm/x", "gocache/x",
		".pollux/key", ".pollux/skills/a", "real/gh/hosts.yml", ".bashrc", "elsewhere/f", ".netrc")
	if err := os.MkdirAll(filepath.Join(dir, ".config"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "real/gh"), filepath.Join(dir, ".config/gh")); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"GOCACHE": filepath.Join(dir, "gocache"), "GOMODCACHE": dir, "DENO_DIR": "relative", "CCACHE_DIR": "/"}
	place := profile.Place{
		Dirs: []string{filepath.Join(dir, "project")}, Home: dir, Temp: filepath.Join(dir, "elsewhere"), Env: func(name string) string { return env[name] },
		HasProgram: func(name string) bool { return name == "mvn" },
		Write:      []string{filepath.Join(dir, ".netrc")}, Private: []string{filepath.Join(dir, ".pollux")}, Read: []string{filepath.Join(dir, ".pollux/skills")},
	}
	p := profile.Make(place)
	for name, want := range map[string]sandbox.Verdict{
		"project/main.go":     sandbox.MayChange,
		".npm/x":              sandbox.MayChange,
		"gocache/x":           sandbox.MayChange,
		"elsewhere/new":       sandbox.MayChange,
		".bashrc":             sandbox.MayRead,
		".ssh/config":         sandbox.MayRead,
		".ssh/id_rsa.pub":     sandbox.MayRead,
		".aws/config":         sandbox.MayRead,
		".pollux/skills/a":    sandbox.MayRead,
		".netrc":              sandbox.MayRead,
		".ssh/id_rsa":         sandbox.Hidden,
		".ssh/id_new":         sandbox.Hidden,
		".aws/credentials":    sandbox.Hidden,
		"real/gh/hosts.yml":   sandbox.Hidden,
		".pollux/key":         sandbox.Hidden,
		".config/gcloud/x":    sandbox.Hidden,
		".m2/repository/x":    sandbox.MayRead, // as long as it does not exist
		"go/pkg/mod/x":        sandbox.MayRead,
		"project-other/x":     sandbox.MayRead,
		".mozilla/firefox/db": sandbox.Hidden,
	} {
		if got, because := p.Judge(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %v because of %q, want %v", name, got, because, want)
		}
	}
	for _, path := range []string{dir, "/"} { // a variable must not name them
		if slices.Contains(p.Write, path) {
			t.Errorf("%s can be changed", path)
		}
	}
	place.CreateCaches()
	if _, err := os.Stat(filepath.Join(dir, ".m2/repository")); err != nil {
		t.Errorf("the cache of a program on the PATH: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".gradle")); err == nil {
		t.Error("a cache was made for a program that is not there")
	}
}

// A worktree's repository is outside of it. A file that names another directory opens that directory only if it is a repository.
func TestRepositories(t *testing.T) {
	t.Parallel()
	dir := home(t, "main/.git/HEAD", "main/.git/objects/x", "main/.git/refs/x", "main/.git/worktrees/w/HEAD", "work/x", "other/x", "plain/x")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("main/.git/worktrees/w/commondir", "../..\n")
	write("work/.git", "gitdir: "+filepath.Join(dir, "main/.git/worktrees/w")+"\n")
	write("other/.git", "gitdir: ../plain\n")
	for name, want := range map[string]bool{"work": true, "other": false} {
		p := profile.Make(profile.Place{
			Dirs: []string{filepath.Join(dir, name)}, Home: "/nowhere", Env: func(string) string { return "" }, HasProgram: func(string) bool { return false },
		})
		if got := slices.Contains(p.Write, filepath.Join(dir, "main/.git")); got != want {
			t.Errorf("%s: the repository can be changed: %v", name, got)
		}
		if slices.Contains(p.Write, filepath.Join(dir, "plain")) {
			t.Errorf("%s: a directory that is no repository can be changed", name)
		}
	}
}

func TestAdvise(t *testing.T) {
	t.Parallel()
	p := sandbox.Profile{Write: []string{"/work"}, Hide: []string{"/home/u/.ssh/id_*"}}
	for output, want := range map[string]string{
		"cat: /home/u/.ssh/id_rsa: Permission denied":                                 "/home/u/.ssh/id_rsa is hidden",
		"touch: cannot touch '/home/u/x': Permission denied":                          "/home/u/x is outside",
		"Error: EACCES: permission denied, open '/home/u/.config/x'":                  "/home/u/.config/x is outside",
		"/work/run.sh: Permission denied":                                             "",
		"bash: ../x: Permission denied":                                               "",
		"open /home/u/x: no such file or directory":                                   "",
		"first\nbash: line 1: /etc/hosts: Permission denied\nlast":                    "/etc/hosts is outside",
		"rm: cannot remove '/work/../home/u/x': Operation not permitted":              "/work/../home/u/x is outside",
		"[Errno 13] Permission denied: '/usr/lib/python3/dist-packages/foo'\n":        "/usr/lib/python3/dist-packages/foo is outside",
		"error: could not lock config file /home/u/.gitconfig: Read-only file system": "/home/u/.gitconfig is outside",
	} {
		got := p.Advise(output)
		if want == "" && got != "" || want != "" && !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}
