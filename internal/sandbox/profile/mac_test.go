package profile_test

import (
	"path/filepath"
	"slices"
	"testing"

	"pollux/internal/sandbox"
	"pollux/internal/sandbox/profile"
)

// TestMac checks the profile of a machine whose directories are those of macOS, and whose rules are about paths.
func TestMac(t *testing.T) {
	t.Parallel()
	dir := home(t, "Projects/app/main.go", "folders/ab/T/x", "Library/Application Support/Google/Chrome/Cookies", "Library/Application Support/Google/Chrome Beta/Cookies")
	place := profile.Place{
		Dirs: []string{filepath.Join(dir, "Projects/app")}, Homes: []string{dir}, Temp: filepath.Join(dir, "folders/ab/T"), Env: func(string) string { return "" },
		HasProgram: func(name string) bool { return name != "cargo" }, Mac: true, Scratch: filepath.Join(dir, "scratch"),
		Write: []string{filepath.Join(dir, "notes/new")},
	}
	p := profile.Make(place)
	for name, want := range map[string]sandbox.Verdict{
		"Projects/app/new":                      sandbox.MayChange,
		"notes/new":                             sandbox.MayChange, // although it does not exist
		"scratch/x":                             sandbox.MayChange,
		"folders/ab/T/x":                        sandbox.MayChange,
		"folders/ab/T/gemini":                   sandbox.Hidden, // else it could be moved there with files in it
		"folders/ab/T/gemini/ide/x.json":        sandbox.Hidden,
		"folders/ab/C/clang/x":                  sandbox.MayChange,
		"Library/Caches/go-build/x":             sandbox.MayChange,
		"Library/Caches/pip/x":                  sandbox.MayChange,
		"Library/Developer/Xcode/DerivedData/x": sandbox.MayChange,
		".cache/uv/x":                           sandbox.MayChange,
		".cargo/registry/x":                     sandbox.MayRead, // neither the program nor the directory is there
		"Library/Caches/com.apple.Safari/x":     sandbox.MayRead,
		"Library/LaunchAgents/x.plist":          sandbox.MayRead,
		"Library/Preferences/x.plist":           sandbox.MayRead,
		".zshrc":                                sandbox.MayRead,
		".ssh/id_rsa":                           sandbox.Hidden,
		"Library/Keychains/login.keychain-db":   sandbox.Hidden,

		"Library/Application Support/Google/Chrome/Cookies":      sandbox.Hidden,
		"Library/Application Support/Google/Chrome Beta/Cookies": sandbox.Hidden,
		"Library/Containers/com.docker.docker/Data/x":            sandbox.Hidden,
		"Library/Messages/chat.db":                               sandbox.Hidden,
	} {
		if got, because := p.Judge(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %v because of %q, want %v", name, got, because, want)
		}
	}
	if made, _ := place.CreateCaches(); len(made) > 0 {
		t.Errorf("directories are created that programs can create: %v", made)
	}
	if got, _ := p.Judge("/tmp/gemini/ide/x.json"); got != sandbox.Hidden {
		t.Errorf("/tmp/gemini: %v", got)
	}
	place.Mac = false
	for _, path := range profile.Make(place).Hide {
		if slices.Contains(filepath.SplitList(path), "Library") || filepath.Base(path) == "gemini" {
			t.Errorf("%s is hidden elsewhere", path)
		}
	}
}
