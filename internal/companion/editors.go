package companion

import (
	"strings"

	"pollux/internal/config"
	"pollux/llm/ellipsis"
)

// anyEditor names an editor of which no more is known.
const anyEditor = "the editor"

// editors names the editors, by a variable in the environment of their terminals. The first one that is set counts: the variables of
// VS Code are set in editors that are made from it, too.
var editors = [...]struct{ variable, value, name, command string }{
	{"ANTIGRAVITY_CLI_ALIAS", "", "Antigravity", "antigravity"},
	{"CURSOR_TRACE_ID", "", "Cursor", "cursor"},
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
	{"TERM_PROGRAM", "vscode", "VS Code", "code"},
	{"VSCODE_IPC_HOOK_CLI", "", "VS Code", "code"},
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
	return anyEditor, ""
}
