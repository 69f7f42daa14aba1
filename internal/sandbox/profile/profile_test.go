package profile_test

import (
	"os"
	"path/filepath"
	"reflect"
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
	other := home(t, ".ssh/id_rsa", ".npm/x")
	env := map[string]string{"GOCACHE": filepath.Join(dir, "gocache"), "GOMODCACHE": dir, "DENO_DIR": "relative", "CCACHE_DIR": "/"}
	place := profile.Place{
		Dirs: []string{filepath.Join(dir, "project")}, Homes: []string{dir, other}, Temp: filepath.Join(dir, "elsewhere"), Env: func(name string) string { return env[name] },
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
	for name, want := range map[string]sandbox.Verdict{".ssh/id_rsa": sandbox.Hidden, ".npm/x": sandbox.MayRead} {
		if got, because := p.Judge(filepath.Join(other, name)); got != want {
			t.Errorf("%s in the other home: %v because of %q, want %v", name, got, because, want)
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

// TestMoved checks that secrets are hidden where variables say that they are, but not in the workspace, where that would keep programs from
// creating files.
func TestMoved(t *testing.T) {
	t.Parallel()
	dir := home(t, "xdg/gh/hosts.yml", "xdg/gh/config.yml", "xdg/gcloud/db", "gpg/private-keys-v1.d/k", "k1", "k2", "cargo/credentials.toml", "work/key.json", "home/x", "temp/x")
	at := func(name string) string { return filepath.Join(dir, name) }
	env := map[string]string{
		"XDG_CONFIG_HOME": at("xdg"), "GNUPGHOME": at("gpg"), "KUBECONFIG": at("k1") + ":" + at("k2") + ":/dev/null", "CARGO_HOME": at("cargo"),
		"HISTFILE": "relative", "NETRC": dir, "PGPASSFILE": "/", "DOCKER_CONFIG": "", "GOOGLE_APPLICATION_CREDENTIALS": at("work/key.json"), "SSH_AUTH_SOCK": at("work/agent"),
	}
	p := profile.Make(profile.Place{
		Dirs: []string{at("work")}, Homes: []string{at("home")}, Temp: at("temp"), Env: func(name string) string { return env[name] }, HasProgram: func(string) bool { return false },
	})
	for name, want := range map[string]sandbox.Verdict{
		"xdg/gh/hosts.yml": sandbox.Hidden, "xdg/gcloud/db": sandbox.Hidden, "gpg/private-keys-v1.d/k": sandbox.Hidden, "k1": sandbox.Hidden, "k2": sandbox.Hidden,
		"cargo/credentials.toml": sandbox.Hidden, "xdg/gh/config.yml": sandbox.MayRead, "work/key.json": sandbox.MayChange, "work/new": sandbox.MayChange,
	} {
		if got, because := p.Judge(at(name)); got != want {
			t.Errorf("%s: %v because of %q, want %v", name, got, because, want)
		}
	}
	if slices.Contains(p.Hide, "/dev/null") || slices.Contains(p.Hide, "/") || !slices.Contains(p.HideSockets, at("work/agent")) {
		t.Errorf("hidden are %q, and the sockets %q", p.Hide, p.HideSockets)
	}
}

// A worktree's repository is outside of it. A file that names another directory opens that directory only if it is a repository.
func TestRepositories(t *testing.T) {
	t.Parallel()
	dir := home(t, "main/.git/HEAD", "main/.git/objects/x", "main/.git/refs/x", "main/.git/worktrees/w/HEAD", "work/x", "other/x", "plain/x", "thief/x",
		"super/.git/modules/sub/HEAD", "super/.git/modules/sub/objects/x", "super/.git/modules/sub/refs/x", "super/sub/x", "thief2/x")
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("main/.git/worktrees/w/commondir", "../..\n")
	write("work/.git", "gitdir: "+filepath.Join(dir, "main/.git/worktrees/w")+"\n")
	write("main/.git/worktrees/w/gitdir", filepath.Join(dir, "work/.git")+"\n")
	write("thief/.git", "gitdir: "+filepath.Join(dir, "main/.git/worktrees/w")+"\n")
	write("super/.git/modules/sub/config", "[core]\n\tworktree = ../../../sub\n")
	write("super/sub/.git", "gitdir: ../.git/modules/sub\n")
	write("thief2/.git", "gitdir: "+filepath.Join(dir, "super/.git/modules/sub")+"\n")
	write("other/.git", "gitdir: ../plain\n")
	for name, want := range map[string]string{"work": "main/.git", "other": "", "thief": "", "super/sub": "super/.git/modules/sub", "thief2": ""} {
		p := profile.Make(profile.Place{
			Dirs: []string{filepath.Join(dir, name)}, Homes: []string{"/nowhere"}, Env: func(string) string { return "" }, HasProgram: func(string) bool { return false },
		})
		for _, repository := range []string{"main/.git", "super/.git/modules/sub"} {
			if got := slices.Contains(p.Write, filepath.Join(dir, repository)); got != (repository == want) {
				t.Errorf("%s: %s can be changed: %v", name, repository, got)
			}
		}
		if slices.Contains(p.Write, filepath.Join(dir, "plain")) {
			t.Errorf("%s: a directory that is no repository can be changed", name)
		}
	}
}

// TestShelves checks which secrets a path in the user's list shows: that path, or those of a program that is in it alone.
func TestShelves(t *testing.T) {
	t.Parallel()
	dir := home(t, ".ssh/id_rsa", ".config/gh/hosts.yml", ".config/x", "xdg/gh/hosts.yml", ".netrc", "work/a")
	for listed, shows := range map[string]string{
		"": "", ".": "", "..": "", ".config": "", ".ssh": ".ssh/id_rsa", ".config/gh": ".config/gh/hosts.yml", ".netrc": ".netrc", ".ssh/id_rsa": ".ssh/id_rsa", "xdg": "", "xdg/gh": "xdg/gh/hosts.yml",
	} {
		place := profile.Place{
			Dirs: []string{filepath.Join(dir, "work")}, Homes: []string{dir}, HasProgram: func(string) bool { return false },
			Env: func(name string) string { return map[string]string{"XDG_CONFIG_HOME": filepath.Join(dir, "xdg")}[name] },
		}
		if listed != "" {
			place.Write = []string{filepath.Join(dir, listed)}
		}
		p := profile.Make(place)
		for _, secret := range []string{".ssh/id_rsa", ".config/gh/hosts.yml", ".netrc", "xdg/gh/hosts.yml"} {
			if verdict, _ := p.Judge(filepath.Join(dir, secret)); (verdict == sandbox.Hidden) != (secret != shows) {
				t.Errorf("with %q, %s has the verdict %v", listed, secret, verdict)
			}
		}
		if verdict, _ := p.Judge(filepath.Join(dir, ".config/x")); (verdict == sandbox.MayChange) != slices.Contains([]string{".", "..", ".config"}, listed) {
			t.Errorf("with %q, .config/x has the verdict %v", listed, verdict)
		}
	}
}

// TestDenial checks which failures are the sandbox's: those of the user, who may do no more without it, are not.
func TestDenial(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, key := filepath.Join(home, "work"), filepath.Join(home, ".ssh", "id_rsa")
	for _, dir := range []string{work, filepath.Dir(key)} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"link": key, "out": home} {
		if err := os.Symlink(target, filepath.Join(work, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := sandbox.Profile{Write: []string{work}, Hide: []string{filepath.Join(home, ".ssh", "id_*")}}
	besideHidden := sandbox.KeepsDirectory
	if sandbox.ByPath {
		besideHidden = sandbox.KeepsFile
	}
	for output, want := range map[string]sandbox.Denial{
		"cat: HOME/.ssh/id_rsa: Permission denied":                                                                                               {Kind: sandbox.HidesFile, Path: key, Exists: key},
		"touch: cannot touch 'HOME/x': Permission denied":                                                                                        {Kind: besideHidden, Path: home + "/x", Exists: home},
		"Error: EACCES: permission denied, open 'HOME/.config/x'":                                                                                {Kind: besideHidden, Path: home + "/.config/x", Exists: home},
		"first\nbash: line 1: HOME/new: Permission denied\nlast":                                                                                 {Kind: besideHidden, Path: home + "/new", Exists: home},
		"cat: HOME/work/link: Permission denied":                                                                                                 {Kind: sandbox.HidesFile, Path: key, Exists: key},
		"touch: cannot touch 'HOME/work/out/new': Permission denied":                                                                             {Kind: besideHidden, Path: home + "/new", Exists: home},
		"/usr/bin/bash: line 2: HOME/new: Permission denied":                                                                                     {Kind: besideHidden, Path: home + "/new", Exists: home},
		"/usr/bin/bash: line 2: HOME/work/new: Permission denied":                                                                                {},
		"mv: cannot move 'HOME/work/a' to 'HOME/b': Permission denied":                                                                           {Kind: besideHidden, Path: home + "/b", Exists: home},
		"EACCES: permission denied, rename 'HOME/a' -> 'HOME/work/b'":                                                                            {Kind: besideHidden, Path: home + "/a", Exists: home},
		"rm: cannot remove 'HOME/work/../x': Operation not permitted":                                                                            {Kind: besideHidden, Path: home + "/x", Exists: home},
		"error: could not lock config file HOME/.gitconfig: Read-only file system":                                                               {Kind: besideHidden, Path: home + "/.gitconfig", Exists: home},
		"git@host: Permission denied (publickey,password).":                                                                                      {Kind: sandbox.HasNoKeys},
		"mkdir: cannot create directory ‘HOME/x’: Permission denied":                                                                             {Kind: besideHidden, Path: home + "/x", Exists: home},
		"EACCES: permission denied, open 'HOME/with spaces/x'":                                                                                   {Kind: besideHidden, Path: home + "/with spaces/x", Exists: home},
		"error: failed to install\n\nCaused by:\n  failed to open: HOME/bin/x\n\nCaused by:\n  Permission denied (os error 13)":                  {Kind: besideHidden, Path: home + "/bin/x", Exists: home},
		"error: remote unpack failed: unable to create temporary object directory\nTo HOME/x\n ! [remote rejected] main -> new (unpacker error)": {Kind: besideHidden, Path: home + "/x", Exists: home},
		"sudo: The \"no new privileges\" flag is set":                                                                                            {Kind: sandbox.HasNoRights},
		"HOME/work/run.sh: Permission denied":                                                                                                    {},
		"bash: ../x: Permission denied":                                                                                                          {Kind: besideHidden, Path: home + "/x", Exists: home},
		"/usr/bin/bash: line 2: y: Permission denied":                                                                                            {Kind: besideHidden, Path: home + "/y", Exists: home},
		"HOME/work/run: 3: HOME/work/run: cannot create y: Permission denied":                                                                    {Kind: besideHidden, Path: home + "/y", Exists: home},
		"/usr/bin/bash: Permission denied":                                                                                                       {Kind: sandbox.KeepsFile, Path: "/usr/bin/bash", Exists: "/usr/bin/bash"},
		"touch: cannot touch 'work/y': Permission denied":                                                                                        {},
		"mkdir: cannot create directory ‘out/y’: Permission denied":                                                                              {Kind: besideHidden, Path: home + "/y", Exists: home},
		"PermissionError: [Errno 13] Permission denied: '../z'":                                                                                  {Kind: besideHidden, Path: home + "/z", Exists: home},
		"fatal: could not create leading directories of '../r/.git': Permission denied":                                                          {Kind: besideHidden, Path: home + "/r/.git", Exists: home},
		"tar: ../z.tar: Cannot open: Permission denied":                                                                                          {Kind: besideHidden, Path: home + "/z.tar", Exists: home},
		"y.txt: Permission denied":                                                                                                               {Kind: besideHidden, Path: home + "/y.txt", Exists: home},
		"sh: 3: cannot create: Permission denied":                                                                                                {},
		"open ../z: permission denied":                                                                                                           {Kind: besideHidden, Path: home + "/z", Exists: home},
		"open HOME/x: no such file or directory":                                                                                                 {},
		"cat: HOME/.ssh/id_none: Permission denied":                                                                                              {Kind: sandbox.KeepsDirectory, Path: home + "/.ssh/id_none", Exists: home + "/.ssh"},
	} {
		if got := p.Denial(sandbox.Ending{Output: strings.ReplaceAll(output, "HOME", home), Dirs: []string{home + "/work", home}}); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", output, got, want)
		}
	}
}
