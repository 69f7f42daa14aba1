package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/sandbox"
	"pollux/internal/workspace"
)

// TestLinks checks that links which programs could have made give them no other files, while those of the user lead on.
func TestLinks(t *testing.T) {
	t.Parallel()
	root := workspace.RealPath(t.TempDir())
	home, work, disk := filepath.Join(root, "me"), filepath.Join(root, "me/work"), filepath.Join(root, "disk")
	for _, dir := range []string{"me/work/inside", "me/.cache/node/other", "me/private", "disk/npm", "disk/target", "disk/wide"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"me/.npm":                 disk + "/npm",      // the user's
		"me/allowed":              "../disk/target",   // the user's, for tools.sandboxAllowedPaths
		"me/.cache/node/corepack": home,               // of a command: the cache of node is above that of corepack
		"me/work/target":          "../private",       // of a command
		"me/work/shown":           home + "/private",  // of a command
		"me/work/added":           "../../disk/wide",  // of a command, in place of a directory of the workspace
		"me/work/near":            "inside",           // leads nowhere else
		"me/.pip":                 work + "/hop/deep", // the user's, by a link of a command
		"me/work/hop":             root + "/me",       // of a command
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(home, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"CARGO_TARGET_DIR": work + "/target", "PIP_CACHE_DIR": home + "/.pip", "COMPOSER_CACHE_DIR": work + "/near"}
	p := Make(Place{
		Dirs: []string{work, work + "/added"}, Homes: []string{home}, Temp: filepath.Join(root, "tmp"), HasProgram: func(string) bool { return true },
		Env: func(name string) string { return env[name] }, Write: []string{home + "/allowed", work + "/shown"},
	})
	for path, want := range map[string]bool{
		work: true, disk + "/npm": true, disk + "/target": true, home + "/.cache/node": true, work + "/inside": true,
		home: false, home + "/private": false, disk + "/wide": false, home + "/deep": false,
	} {
		if got := slices.Contains(p.Write, path); got != want {
			t.Errorf("%s is in Write: %v", path, got)
		}
	}
	if slices.Contains(p.Read, home+"/private") || slices.Contains(p.Sockets, home+"/private") {
		t.Errorf("a link shows %v, %v", p.Read, p.Sockets)
	}
	// No cache is created through such a link.
	env["npm_config_cache"] = work + "/hop/new"
	place := Place{
		Dirs: []string{work}, Homes: []string{home}, HasProgram: func(name string) bool { return name == "npm" }, Env: func(name string) string { return env[name] },
	}
	if needed := place.Needed(); slices.ContainsFunc(needed, func(path string) bool { return workspace.IsWithin(path, work) }) {
		t.Errorf("%v", needed)
	}
}

// TestReplacedWorkspace checks that a workspace in a directory for temporary files does not become another one.
func TestReplacedWorkspace(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/var/tmp"); err != nil {
		t.Skip("NOT TESTED: no /var/tmp")
	}
	dir, err := os.MkdirTemp("/var/tmp", "pollux-")
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	defer os.RemoveAll(dir)
	other := filepath.Join(workspace.RealPath(dir), "work")
	if err := os.Symlink("/etc", other); err != nil {
		t.Fatal(err)
	}
	p := Make(Place{Dirs: []string{other}, Env: func(string) string { return "" }, HasProgram: func(string) bool { return false }})
	if slices.Contains(p.Write, "/etc") {
		t.Error("a link in /var/tmp in place of the workspace has its target changed")
	}
}

// TestOrder checks that links do not count whatever the depth of the paths that lead through them: a workspace behind a link, with a cache in it.
func TestOrder(t *testing.T) {
	t.Parallel()
	root := workspace.RealPath(t.TempDir())
	home, app := filepath.Join(root, "me"), filepath.Join(root, "me/src/github/app")
	for _, dir := range []string{app, filepath.Join(home, "private"), filepath.Join(home, ".ssh")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"me/app": app, "me/src/github/app/target": home + "/private", "me/src/github/app/data": home + "/.ssh", "short": home} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, h := range []string{home, filepath.Join(root, "short")} {
		env := map[string]string{"CARGO_TARGET_DIR": h + "/app/target", "GOCACHE": h + "/app/target"}
		p := Make(Place{
			Dirs: []string{app}, Homes: []string{h}, HasProgram: func(string) bool { return true }, Env: func(name string) string { return env[name] },
			Write: []string{h + "/app/data"},
		})
		for _, list := range [][]string{p.Write, p.Read} {
			if slices.Contains(list, home+"/private") || slices.Contains(list, home+"/.ssh") || slices.Contains(list, home) {
				t.Errorf("%s: a link counts: %v", h, list)
			}
		}
		if !slices.Contains(p.Write, app) {
			t.Errorf("%s: the workspace is none: %v", h, p.Write)
		}
	}
}

// TestLinksToSecrets checks that a link in the workspace by which the user reaches a secret cannot be replaced: the secret would not be hidden any more.
func TestLinksToSecrets(t *testing.T) {
	t.Parallel()
	root := workspace.RealPath(t.TempDir())
	home, dots, secure := filepath.Join(root, "me"), filepath.Join(root, "me/dots"), filepath.Join(root, "secure")
	for _, dir := range []string{dots, filepath.Join(secure, "ssh")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"me/.ssh": dots + "/ssh", "me/dots/ssh": secure + "/ssh"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	key := filepath.Join(secure, "ssh/id_rsa")
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := Make(Place{Dirs: []string{dots}, Homes: []string{home}, HasProgram: func(string) bool { return false }, Env: func(string) string { return "" }})
	for _, path := range []string{key, dots + "/ssh"} {
		if verdict, _ := p.Judge(path); verdict != sandbox.Hidden {
			t.Errorf("%s is not hidden", path)
		}
	}
}

// TestCommonDirectory checks that a worktree has no other repository than its own.
func TestCommonDirectory(t *testing.T) {
	t.Parallel()
	root := workspace.RealPath(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, repository := range []string{"main/.git", "other/.git"} {
		for _, name := range []string{"HEAD", "objects/x", "refs/x"} {
			write(repository+"/"+name, "")
		}
	}
	write("work/.git", "gitdir: "+root+"/main/.git/worktrees/work\n")
	write("main/.git/worktrees/work/gitdir", root+"/work/.git\n")
	write("main/.git/worktrees/work/commondir", "../..\n")
	p := Place{Dirs: []string{root + "/work"}}
	if got := p.Repositories(); !slices.Equal(got, []string{root + "/main/.git"}) {
		t.Errorf("%v", got)
	}
	write("main/.git/worktrees/work/commondir", root+"/other/.git\n")
	if got := p.Repositories(); slices.Contains(got, root+"/other/.git") {
		t.Errorf("%v", got)
	}
	write("work/ev/gitdir", root+"/work/.git\n")
	write("work/ev/commondir", root+"/other/.git\n")
	write("work/.git", "gitdir: "+root+"/work/ev\n")
	if got := p.Repositories(); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

// TestRemove checks that only what was made is removed at the end.
func TestRemove(t *testing.T) {
	t.Parallel()
	root := workspace.RealPath(t.TempDir())
	made := create(filepath.Join(root, "cache/a"))
	if !slices.Equal(made, []string{root + "/cache", root + "/cache/a"}) {
		t.Fatal(made)
	}
	if err := os.MkdirAll(root+"/other/a", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(root + "/cache"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root+"/other", root+"/cache"); err != nil {
		t.Fatal(err)
	}
	for _, dir := range slices.Backward(made) {
		Remove(dir)
	}
	for _, path := range []string{root + "/other/a", root + "/cache"} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}

// TestWay checks where paths lead, as the kernel does, and through which links.
func TestWay(t *testing.T) {
	t.Parallel()
	root := workspace.RealPath(t.TempDir())
	if err := os.MkdirAll(root+"/a/b/c", 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"to-c": "a/b/c", "up": "to-c/..", "abs": root + "/up/c", "circle": "circle2/x", "circle2": "circle", "a/same": "./.."} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	z := newZone(resolver{})
	for name, want := range map[string]struct{ path, links string }{
		"a/b": {"/a/b", ""}, "to-c": {"/a/b/c", "/to-c"}, "up": {"/a/b", "/up /to-c"}, "abs/new": {"/a/b/c/new", "/abs /up /to-c"},
		"a/same/a/b": {"/a/b", "/a/same"}, "missing/x": {"/missing/x", ""},
	} {
		w := z.way(filepath.Join(root, name))
		_, err := os.Stat(filepath.Join(root, name))
		if w.path != root+want.path || strings.ReplaceAll(strings.Join(w.links, " "), root, "") != want.links || w.exists != (err == nil) {
			t.Errorf("%s: %+v", name, w)
		}
	}
	if w := z.way(root + "/circle"); len(w.links) == 0 || w.exists {
		t.Errorf("%+v", w)
	}
}
