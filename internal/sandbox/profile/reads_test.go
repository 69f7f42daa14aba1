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
		"me/Documents/bin/x", "me/.aliases", "me/dots/hooks/pre-commit", "me/dots/more", "me/dots/ignore", "me/dots/other", "me/apps/one/bin/one", "me/apps/one/lib/x", "me/apps/two.AppImage",
		"me/sdk2/rustup/x", "me/mono/.git/HEAD", "me/mono/go.work", "me/mono/package/a", "me/.local/bin/tool", "me/go/bin/tool", "me/.cache/go-build/x", "me/.cache/thumbnails/x", "me/allowed/file", "me/.m2/settings.xml", "me/bin-of-mine/run",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"me/link": "Documents", "me/.nvm": "tools/other", "me/.local/bin/one": "../../apps/one/bin/one", "me/.local/bin/two": "../../apps/two.AppImage",
		"me/Documents/work/project/.venv": "../..", "me/Documents/work/project/bin": "../../../.mail",
	} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"me/.bashrc":    "[ -f ~/.aliases ] && . ~/.aliases\nalias d='cd ~/Documents'\nsource \"$HOME/dots/more\"\n",
		"me/.gitconfig": "[core]\n\texcludesFile = ~/dots/ignore\n[safe]\n\tdirectory = ~/dots\n[include]\n\tpath = dots/git\n",
		"me/dots/git":   "[core]\n\thooksPath = \"" + home + "/dots/hooks\"\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := strings.Join([]string{
		home, root, "/", filepath.Join(home, "Documents/bin"), filepath.Join(home, "Documents/work/project/.venv/bin"), filepath.Join(home, "Documents/work/project/bin"),
		"/usr/bin", filepath.Join(home, "tools/node/bin"), filepath.Join(home, ".local/bin"), filepath.Join(home, "bin-of-mine"), "relative",
	}, ":")
	p := Make(Place{
		Dirs: []string{filepath.Join(home, "Documents/work/project"), filepath.Join(home, "mono/package")}, Homes: []string{home}, Temp: filepath.Join(root, "tmp"), HasProgram: func(string) bool { return false },
		Env: func(name string) string {
			return map[string]string{"PATH": path, "RUSTUP_HOME": home + "/sdk2/rustup"}[name]
		},
		Write: []string{filepath.Join(home, "allowed")}, ReadsWork: true,
	})
	for name, want := range map[string]sandbox.Verdict{
		"Documents/work/project/a.go": sandbox.MayChange, "allowed/file": sandbox.MayChange, ".cache/go-build/x": sandbox.MayChange,
		".gitconfig": sandbox.MayRead, ".ssh/config": sandbox.MayRead, ".config/git/ignore": sandbox.MayRead, ".m2/settings.xml": sandbox.MayRead, "go/bin/tool": sandbox.MayRead,
		"tools/node/bin/node": sandbox.MayRead, "tools/node/lib/node.js": sandbox.MayRead, ".local/bin/tool": sandbox.MayRead, "bin-of-mine/run": sandbox.MayRead,
		"tools/other/file": sandbox.MayRead, // where a link to programs leads
		"mono/go.work":     sandbox.MayRead, "mono/.git/HEAD": sandbox.MayRead, ".aliases": sandbox.MayRead, "dots/more": sandbox.MayRead, "dots/ignore": sandbox.MayRead, "dots/git": sandbox.MayRead,
		"dots/hooks/pre-commit": sandbox.MayRead, "apps/one/lib/x": sandbox.MayRead, "apps/two.AppImage": sandbox.MayRead, "sdk2/rustup/x": sandbox.MayRead, "Documents/bin/x": sandbox.MayRead,
		"dots/other":      sandbox.Hidden,
		".ssh/id_ed25519": sandbox.Hidden,
		"notes.txt":       sandbox.Hidden, "Documents/letter.txt": sandbox.Hidden, "Documents/work/other/b.go": sandbox.Hidden, ".mail/inbox": sandbox.Hidden,
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
