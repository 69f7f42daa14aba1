package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"pollux/internal/config"
)

// answerInstalled prints how to upgrade or uninstall Pollux for the single words "upgrade", "update" and "uninstall".
// It returns false for other words, which are a prompt.
func (p *program) answerInstalled(words []string) bool {
	if len(words) != 1 {
		return false
	}
	file, err := os.Executable()
	if err != nil {
		file = "the file pollux"
	}
	text := ""
	switch words[0] {
	case "upgrade", "update":
		text = "Pollux does not upgrade itself. " + upgradeStep(file, p.env)
	case "uninstall":
		text = fmt.Sprintf("To uninstall Pollux, delete %s. To delete its API keys too, run 'pollux auth remove' first. "+
			"Settings and sessions stay in ~/.gemini, which Gemini CLI shares.", file)
	default:
		return false
	}
	fmt.Fprintln(p.term.Out, p.term.WrapOut(text))
	return true
}

// upgradeStep returns how to upgrade the program in file: as it was installed.
func upgradeStep(file string, env *config.Env) string {
	dir := filepath.Dir(file)
	isGo := dir == env.Get("GOBIN")
	for _, root := range filepath.SplitList(cmp.Or(env.Get("GOPATH"), filepath.Join(env.Get("HOME"), "go"))) {
		isGo = isGo || dir == filepath.Join(root, "bin")
	}
	if isGo {
		return fmt.Sprintf("%s was installed by 'go install'. Run 'git pull' and 'CGO_ENABLED=0 go install ./cmd/pollux' in your clone.", file)
	}
	return fmt.Sprintf("%s is a single program file. Replace it with a newer one.", file)
}
