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
	// Command is the name of its program, which opens files and installs extensions.
	Command string
	// File is the path of its keybindings.json. It is "" if that is on another machine, where the window of the editor is.
	File string
}

// family lists the editors by a word in the paths of their programs, or by a variable that they set, with the directory of their settings. The
// last one is VS Code itself.
var family = [...]struct{ word, variable, name, command, dir string }{
	{"cursor", "CURSOR_TRACE_ID", "Cursor", "cursor", "Cursor"},
	{"windsurf", "", "Windsurf", "windsurf", "Windsurf"},
	{"antigravity", "ANTIGRAVITY_CLI_ALIAS", "Antigravity", "antigravity", "Antigravity"},
	{"codium", "", "VSCodium", "codium", "VSCodium"},
	{"insiders", "", "VS Code Insiders", "code-insiders", "Code - Insiders"},
	{"", "", "VS Code", "code", "Code"},
}

// Find returns the editor in whose terminal a process with these variables runs on an operating system, as in [runtime.GOOS], and false for
// none.
func Find(getenv func(name string) string, goos string) (Editor, bool) {
	if getenv("TERM_PROGRAM") != "vscode" {
		return Editor{}, false
	}
	return Of(getenv, goos), true
}

// Of is Find for a process that certainly runs in a terminal of such an editor, maybe with another terminal inside of that.
func Of(getenv func(name string) string, goos string) (found Editor) {
	clues := strings.ToLower(getenv("VSCODE_GIT_ASKPASS_NODE") + "\n" + getenv("VSCODE_GIT_ASKPASS_MAIN") + "\n" + getenv("__CFBundleIdentifier"))
	for _, e := range family {
		if strings.Contains(clues, e.word) || e.variable != "" && getenv(e.variable) != "" {
			found = Editor{Name: e.name, Command: e.command}
			if root := settingsRoot(getenv, goos); root != "" && !isRemote(getenv, clues) {
				found.File = filepath.Join(root, e.dir, "User", "keybindings.json")
			}
			break
		}
	}
	return found
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
