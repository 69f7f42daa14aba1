//go:build linux

package seat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pollux/internal/config"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/gemini"
)

// place is a user with a home directory and a directory to work in.
type place struct{ home, work string }

// pages is the number of files in a work directory.
const pages = 100

// newPlace makes a place below a directory.
func newPlace(dir string) (place, error) {
	p := place{filepath.Join(dir, "home"), filepath.Join(dir, "work")}
	err := errors.Join(os.MkdirAll(filepath.Join(p.home, ".gemini"), 0o700), os.MkdirAll(p.work, 0o700))
	for i := range pages {
		err = errors.Join(err, os.WriteFile(filepath.Join(p.work, fmt.Sprint("page", i)), fmt.Appendf(nil, "This is page %d.\n", i), 0o600))
	}
	return p, err
}

func (p place) environ(model string) []string {
	return []string{
		"PATH=/usr/bin:/bin", "HOME=" + p.home, "LANG=C.UTF-8", "TERM=xterm-256color", "GEMINI_MODEL=gemini-2.5-flash",
		"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(p.home, "none.json"),
		"GEMINI_API_KEY=key", "GOOGLE_GEMINI_BASE_URL=" + model,
	}
}

// chats creates the directory of the session files.
func (p place) chats() (string, error) {
	temp, err := config.NewPaths(config.NewEnv(p.environ("")...), p.work).ProjectTemp()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(temp, "chats")
	return dir, os.MkdirAll(dir, 0o700)
}

// serve starts a model that follows a script.
func serve(script string) (*scriptmodel.Server, error) {
	parsed, err := scriptmodel.Parse(script)
	if err != nil {
		return nil, err
	}
	return scriptmodel.Start(parsed, scriptmodel.Options{Wires: []scriptmodel.Wire{gemini.Wire{}}})
}
