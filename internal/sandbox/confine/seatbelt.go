package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/sandbox"
)

// ownNames are the profiles of Gemini CLI for which Pollux's own stands: they let programs read and change no more files than it does, and restrict no
// connections.
var ownNames = []string{"", "permissive-open", "restrictive-open"}

// laterNames are the others that Gemini CLI has.
var laterNames = []string{"permissive-closed", "permissive-proxied", "restrictive-closed", "restrictive-proxied", "strict-open", "strict-proxied"}

// maxBase limits the file of a profile, in bytes.
const maxBase = 1 << 20

// keepTo has programs keep to the profile that SEATBELT_PROFILE names, too, where the sandbox is that of macOS. It is called before the sandbox is opened.
func (c *Confinement) keepTo(name string) error {
	if sandbox.Name != "sandbox-exec" {
		return nil
	}
	text, err := readBase(c.options.Paths, name)
	if err != nil || text == "" {
		return err
	}
	c.base = func(dirs []string) *sandbox.Base {
		return &sandbox.Base{Text: text, Paths: baseParameters(c.options.Env("HOME"), os.TempDir(), slices.Concat(dirs, c.place(dirs, Grant{}).Write))}
	}
	return nil
}

// readBase returns the text of a profile of the user's, "" if Pollux's own stands for it. A profile of the project does not count: it could let programs leave the
// sandbox.
func readBase(paths *config.Paths, name string) (string, error) {
	switch {
	case slices.Contains(ownNames, name):
		return "", nil
	case slices.Contains(laterNames, name):
		return "", exit.Errorf(exit.Sandbox, "SEATBELT_PROFILE=%s is not available yet. Unset it for Pollux's own profile.", name)
	case name != filepath.Base(name) || strings.HasPrefix(name, "."):
		return "", exit.Errorf(exit.Sandbox, "SEATBELT_PROFILE has to be the name of a profile, not %s.", strconv.Quote(name))
	}
	file := "sandbox-macos-" + name + ".sb"
	text, err := durable.ReadFile(filepath.Join(paths.GeminiDir(), file), maxBase)
	if err == nil {
		if strings.TrimSpace(string(text)) == "" {
			return "", exit.Errorf(exit.Sandbox, "The profile %s is empty.", paths.Display(filepath.Join(paths.GeminiDir(), file)))
		}
		return string(text), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return "", exit.Errorf(exit.Sandbox, "SEATBELT_PROFILE: %w.", err)
	}
	ours := filepath.Join(paths.Dir(), ".gemini", file)
	if _, err := os.Stat(ours); err == nil {
		return "", exit.Errorf(exit.Sandbox, "SEATBELT_PROFILE names a profile of the project, which could let commands leave the sandbox. If you have read %s, copy it to ~/.gemini.", paths.Display(ours))
	}
	return "", exit.Errorf(exit.Sandbox, "SEATBELT_PROFILE names a profile that is missing: ~/.gemini/%s.", file)
}

// included is the number of directories that a profile has parameters for, besides that of the project.
const included = 5

// baseParameters returns the parameters that Gemini CLI gives a profile: dirs begin with the directory of the project.
func baseParameters(home, temp string, dirs []string) map[string]string {
	list := map[string]string{"TARGET_DIR": dirs[0], "TMP_DIR": temp, "HOME_DIR": home, "CACHE_DIR": filepath.Join(filepath.Dir(filepath.Clean(temp)), "C")}
	for i := range included {
		name := "INCLUDE_DIR_" + strconv.Itoa(i)
		if list[name] = os.DevNull; i+1 < len(dirs) {
			list[name] = dirs[i+1]
		}
	}
	return list
}
