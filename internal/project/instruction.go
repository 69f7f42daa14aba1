package project

import (
	"os"
	"path/filepath"

	"pollux/internal/prompt"
)

// OwnInstruction reads the user's replacement for the system instruction, nil for none,
// and returns the path of its file.
func (p *Project) OwnInstruction() (own *prompt.Template, file string, err error) {
	if file = prompt.TemplatePath(p.Env().User().Get("GEMINI_SYSTEM_MD"), p.Paths.Dir(), p.Paths.Expand); file != "" {
		own, err = prompt.ReadTemplate(file)
	}
	return own, file, err
}

// InGit reports whether dir or a directory above it is a git work tree.
func InGit(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
