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

// TestReadsWork checks which files are hidden besides secrets.
func TestReadsWork(t *testing.T) {
	t.Parallel()
	root := workspace.RealPath(t.TempDir())
	home := filepath.Join(root, "me")
	for _, name := range []string{
		"me/Documents/letter.txt", "me/Documents/work/project/a.go", "me/Documents/work/other/b.go", "me/notes.txt", "me/.mail/inbox", "me/.gitconfig", "me/.ssh/config",
		"me/.ssh/id_ed25519", "me/.config/git/ignore", "me/.config/app/state", "me/tools/node/bin/node", "me/tools/node/lib/node.js", "me/tools/other/file", "me/.local/share/photos/a.jpg",
		"me/.local/bin/tool", "me/go/bin/tool", "me/.cache/go-build/x", "me/.cache/thumbnails/x", "me/allowed/file", "me/.m2/settings.xml", "me/bin-of-mine/run",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"me/link": "Documents", "me/.nvm": "tools/other"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	path := strings.Join([]string{"/usr/bin", filepath.Join(home, "tools/node/bin"), filepath.Join(home, ".local/bin"), filepath.Join(home, "bin-of-mine"), "relative"}, ":")
	p := Make(Place{
		Dirs: []string{filepath.Join(home, "Documents/work/project")}, Homes: []string{home}, Temp: filepath.Join(root, "tmp"), HasProgram: func(string) bool { return false },
		Env:   func(name string) string { return map[string]string{"PATH": path}[name] },
		Write: []string{filepath.Join(home, "allowed")}, ReadsWork: true,
	})
	for name, want := range map[string]sandbox.Verdict{
		"Documents/work/project/a.go": sandbox.MayChange, "allowed/file": sandbox.MayChange, ".cache/go-build/x": sandbox.MayChange,
		".gitconfig": sandbox.MayRead, ".ssh/config": sandbox.MayRead, ".config/git/ignore": sandbox.MayRead, ".m2/settings.xml": sandbox.MayRead, "go/bin/tool": sandbox.MayRead,
		"tools/node/bin/node": sandbox.MayRead, "tools/node/lib/node.js": sandbox.MayRead, ".local/bin/tool": sandbox.MayRead, "bin-of-mine/run": sandbox.MayRead,
		"tools/other/file": sandbox.MayRead, // where a link to programs leads
		".ssh/id_ed25519":  sandbox.Hidden,
		"notes.txt":        sandbox.Hidden, "Documents/letter.txt": sandbox.Hidden, "Documents/work/other/b.go": sandbox.Hidden, ".mail/inbox": sandbox.Hidden,
		".config/app/state": sandbox.Hidden, ".local/share/photos/a.jpg": sandbox.Hidden, ".cache/thumbnails/x": sandbox.Hidden,
	} {
		if got, because := p.Judge(filepath.Join(home, name)); got != want {
			t.Errorf("%s: %v because of %s, want %v", name, got, because, want)
		}
	}
	for _, path := range []string{"/usr/bin/env", "/etc/hosts", root} {
		if got, because := p.Judge(path); got == sandbox.Hidden {
			t.Errorf("%s is hidden because of %s", path, because)
		}
	}
	if i := slices.IndexFunc(p.Hide, func(path string) bool {
		return slices.ContainsFunc(p.Write, func(dir string) bool { return workspace.IsWithin(dir, path) })
	}); i >= 0 {
		t.Errorf("%s has what programs change", p.Hide[i])
	}

	// A home directory that is the workspace, and one that is the root.
	for _, place := range []Place{{Dirs: []string{home}, Homes: []string{home}}, {Dirs: []string{root}, Homes: []string{"/"}}} {
		place.HasProgram, place.Env, place.ReadsWork = func(string) bool { return false }, func(string) string { return "" }, true
		p := Make(place)
		for _, path := range []string{filepath.Join(home, "notes.txt"), "/usr/bin/env", "/etc/hosts"} {
			if got, because := p.Judge(path); got == sandbox.Hidden {
				t.Errorf("%v: %s is hidden because of %s", place.Dirs, path, because)
			}
		}
	}
}
