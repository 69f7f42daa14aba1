package mention

import (
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/workspace"
)

// maxOutside is the number of files about which a person is asked at once: more could not be read with care.
const maxOutside = 20

// Outside returns the files and directories that a prompt mentions, that are outside of the workspace, and that a person may
// permit the model to read: see [workspace.Workspace.Permit]. They are absolute, without links, and each once.
func Outside(w *workspace.Workspace, prompt string, known Known) []string {
	if !strings.Contains(prompt, "@") {
		return nil
	}
	r := resolver{w: w}
	mentions := parse(prompt)
	if known.IsAgent != nil {
		mentions, _ = split(mentions, known.IsAgent)
	}
	if known.Resources != nil {
		mentions, _ = split(mentions, known.Resources.Has)
	}
	r.choose(mentions)
	var found []string
	for _, m := range mentions[:min(len(mentions), maxMentions)] {
		if r.exists(m.path) {
			continue
		}
		for _, dir := range w.Dirs() {
			abs := m.path
			if !filepath.IsAbs(abs) {
				abs = filepath.Join(dir, abs)
			}
			if real, ok := w.Outside(abs); ok && !slices.Contains(found, real) {
				found = append(found, real)
				break
			}
		}
		if len(found) == maxOutside {
			break
		}
	}
	return found
}
