package cli

import (
	"path/filepath"

	"pollux/internal/config"
	"pollux/internal/guard/trust"
)

// startWarnings are what a user should know before a run begins (spec/cli.md §8.4).
// What the terminal can do is not among it: no face needs more than lines.
func (h *session) startWarnings(state trust.State) []string {
	warnings := config.InstallWarnings(h.env)
	dir := h.paths.Dir()
	known := state == trust.Trusted && config.FolderTrust.In(h.settings) // somebody has decided on it
	if h.paths.AtHome() && !known && config.HomeWarning.In(h.settings) {
		warnings = append(warnings, "Warning you are running Pollux in your home directory.\n"+
			"This warning can be disabled with: pollux config set ui.showHomeDirectoryWarning false")
	}
	if dir == filepath.Dir(dir) {
		warnings = append(warnings, "Warning: You are running Pollux in the root directory. "+
			"Your entire folder structure will be used for context. It is strongly recommended to run in a project-specific directory.")
	}
	return warnings
}
