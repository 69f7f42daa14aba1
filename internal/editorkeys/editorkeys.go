// Package editorkeys adds key bindings for Pollux to keybindings.json of VS Code and the editors made from it. Their terminals send
// Shift+Enter as Enter, and keep keys that undo and redo for themselves.
package editorkeys

import (
	"path/filepath"
	"strings"
)

// Editor is an editor of the family of VS Code.
type Editor struct {
	Name string
	// File is the path of its keybindings.json. It is "" if that is on another machine, where the window of the editor is.
	File string
}

// family lists the editors by a word in the paths of their programs, with the directory of their settings. The last one is VS Code itself.
var family = [...]struct{ word, name, dir string }{
	{"cursor", "Cursor", "Cursor"},
	{"windsurf", "Windsurf", "Windsurf"},
	{"antigravity", "Antigravity", "Antigravity"},
	{"codium", "VSCodium", "VSCodium"},
	{"insiders", "VS Code Insiders", "Code - Insiders"},
	{"", "VS Code", "Code"},
}

// Find returns the editor in whose terminal a process with these variables runs on an operating system, as in [runtime.GOOS], and false for
// none.
func Find(getenv func(name string) string, goos string) (Editor, bool) {
	if getenv("TERM_PROGRAM") != "vscode" {
		return Editor{}, false
	}
	clues := strings.ToLower(getenv("VSCODE_GIT_ASKPASS_NODE") + "\n" + getenv("VSCODE_GIT_ASKPASS_MAIN") + "\n" + getenv("__CFBundleIdentifier"))
	for _, e := range family {
		if strings.Contains(clues, e.word) {
			found := Editor{Name: e.name}
			if root := settingsRoot(getenv, goos); root != "" && !isRemote(getenv, clues) {
				found.File = filepath.Join(root, e.dir, "User", "keybindings.json")
			}
			return found, true
		}
	}
	return Editor{}, false
}

// isRemote reports whether the window of the editor is on another machine, or outside of a container or WSL.
func isRemote(getenv func(name string) string, clues string) bool {
	for _, name := range [...]string{"SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT", "WSL_DISTRO_NAME", "WSL_INTEROP"} {
		if getenv(name) != "" {
			return true
		}
	}
	return strings.Contains(clues, "-server/")
}

// settingsRoot returns the directory below which editors have theirs for settings, "" if it is not known.
func settingsRoot(getenv func(name string) string, goos string) string {
	below := func(dir string, elements ...string) string {
		if !filepath.IsAbs(dir) {
			return ""
		}
		return filepath.Join(append([]string{dir}, elements...)...)
	}
	switch goos {
	case "windows":
		return below(getenv("APPDATA"))
	case "darwin":
		return below(getenv("HOME"), "Library", "Application Support")
	}
	if dir := below(getenv("XDG_CONFIG_HOME")); dir != "" {
		return dir
	}
	return below(getenv("HOME"), ".config")
}
