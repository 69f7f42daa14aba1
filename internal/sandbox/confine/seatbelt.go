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

// named is the rules of a profile of Gemini CLI that Pollux has itself.
type named struct {
	isOffline bool // no network, except servers and proxies on this machine
	readsWork bool // see [profile.Place.ReadsWork]
}

// ownProfile returns the rules that the name of a profile stands for, and whether it is one of Gemini CLI: permissive-open and the like, or "".
func ownProfile(name string) (says named, isOwn bool) {
	if name == "" {
		return named{}, true
	}
	level, network, _ := strings.Cut(name, "-")
	if !slices.Contains([]string{"permissive", "restrictive", "strict"}, level) || !slices.Contains([]string{"open", "closed", "proxied"}, network) {
		return named{}, false
	}
	return named{isOffline: network != "open", readsWork: level == "strict"}, true
}

const (
	// seatbeltProfile is the variable with the name of a profile for the sandbox of macOS, which has the name seatbeltName.
	seatbeltProfile = "SEATBELT_PROFILE"
	seatbeltName    = "sandbox-exec"
)

// maxBase limits the file of a profile, in bytes.
const maxBase = 1 << 20

// Restrict has programs keep to the rules that variables of the user's have for them: they use a proxy, and on macOS keep to a profile, too. It is called
// before the sandbox is opened.
func (c *Confinement) Restrict() error {
	c.useProxy()
	name := c.options.Env(seatbeltProfile)
	if sandbox.Name != seatbeltName {
		return nil
	}
	says, isOwn := ownProfile(name)
	if c.proxied != nil && name != "" && !says.isOffline { // a profile of the user's own decides about the network itself
		c.proxied.isOnlyWay = false
	}
	if isOwn {
		c.named = says
		return nil
	}
	text, err := readBase(c.options.Paths, name)
	if err != nil {
		return err
	}
	c.base = func(dirs []string) *sandbox.Base {
		return &sandbox.Base{Text: text, Paths: baseParameters(c.options.Env("HOME"), os.TempDir(), slices.Concat(dirs, c.place(dirs, access{}).Write))}
	}
	return nil
}

// readBase returns the text of a profile of the user's. One of the project does not count: it could let programs leave the sandbox.
func readBase(paths *config.Paths, name string) (string, error) {
	if name != filepath.Base(name) || strings.HasPrefix(name, ".") {
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
