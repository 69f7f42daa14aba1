package companion

import (
	"runtime"
	"strings"

	"pollux/internal/config"
	"pollux/internal/editorkeys"
	"pollux/llm/ellipsis"
)

// anyEditor names an editor of which no more is known.
const anyEditor = "the editor"

// editors names editors, by a variable in the environment of their terminals. The first one that is set counts. Those of the family of
// VS Code are in editorkeys, which follows.
var editors = [...]struct{ variable, value, name, command string }{
	{"TERM_PRODUCT", "Trae", "Trae", "trae"},
	{"POSITRON", "1", "Positron", "positron"},
	{"CODESPACES", "", "GitHub Codespaces", "code"},
	{"GOOGLE_CLOUD_WORKSTATIONS", "", "Google Cloud Workstations", "code"},
	{"REPLIT_USER", "", "Replit", "code"},
	{"MONOSPACE_ENV", "", "Firebase Studio", "code"},
	{"ZED_SESSION_ID", "", "Zed", ""},
	{"XCODE_VERSION_ACTUAL", "", "Xcode", ""},
	{"TERM_PROGRAM", "sublime", "Sublime Text", ""},
	{"TERMINAL_EMULATOR", "JetBrains-JediTerm", "the JetBrains IDE", ""},
}

// editorName returns the name of an editor: the one it has given itself, else that of the terminal's.
func editorName(env *config.Env, l listing) string {
	for _, own := range [...]string{l.IDE.DisplayName, l.IDE.Name} {
		if own = strings.TrimSpace(own); own != "" {
			return ellipsis.Runes(own, 40)
		}
	}
	name, _ := Terminal(env)
	return name
}

// Terminal returns the name of the editor in whose terminal Pollux runs, and of the program that installs extensions in it, ""
// if there is none.
func Terminal(env *config.Env) (name, command string) {
	for _, e := range editors {
		if value := env.Get(e.variable); value != "" && (e.value == "" || value == e.value) {
			return e.name, e.command
		}
	}
	if env.Get("TERM_PROGRAM") == "vscode" || env.Get("VSCODE_IPC_HOOK_CLI") != "" {
		e := editorkeys.Of(env.Get, runtime.GOOS)
		return e.Name, e.Command
	}
	return anyEditor, ""
}
