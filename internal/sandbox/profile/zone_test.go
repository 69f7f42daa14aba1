package profile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

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
