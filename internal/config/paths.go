package config

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Paths knows where the files of Pollux are for one user and one working
// directory (spec/cli.md §4). Nothing is read or made before it is asked for.
// Its methods may be called from several goroutines.
type Paths struct {
	env  *Env
	dir  string
	home string
	// slug claims the project's directories when they are first needed.
	slug func() (string, error)
	// likely is what slug will return, most likely.
	likely func() string
}

// NewPaths returns the paths for a working directory, which must be absolute.
// GEMINI_CLI_HOME replaces the home directory; without any, files go below the
// directory for temporary files.
func NewPaths(env *Env, dir string) *Paths {
	p := &Paths{env: env, dir: dir, home: homeOf(env)}
	p.slug = sync.OnceValues(p.claim)
	p.likely = sync.OnceValue(p.likelySlug)
	return p
}

// homeOf returns the home directory, absolute if the working directory is known.
func homeOf(env *Env) string {
	home := userHome(env)
	if other := env.Get("GEMINI_CLI_HOME"); other != "" {
		// A tilde is for the shell to expand, and it does not where a service or
		// a container is described.
		if rest, ok := strings.CutPrefix(other, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			other = filepath.Join(home, rest)
		}
		home = other
	}
	if abs, err := filepath.Abs(home); err == nil {
		return abs
	}
	return home
}

// userHome returns the user's own home directory.
func userHome(env *Env) string {
	variable := "HOME"
	if runtime.GOOS == "windows" {
		variable = "USERPROFILE"
	}
	if home := env.Get(variable); home != "" {
		return home
	}
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		return u.HomeDir
	}
	return tempOf(env)
}

func tempOf(env *Env) string {
	if runtime.GOOS == "windows" {
		return env.First("TEMP", "TMP", "USERPROFILE")
	}
	if dir := env.Get("TMPDIR"); dir != "" {
		return dir
	}
	return "/tmp"
}

// Dir returns the working directory.
func (p *Paths) Dir() string { return p.dir }

// Home returns the home directory, which is also what "~" stands for.
func (p *Paths) Home() string { return p.home }

// Expand returns path with the home directory for a leading "~", or for the
// %userprofile% that settings shared with Windows have.
func (p *Paths) Expand(path string) string {
	const profile = "%userprofile%"
	switch {
	case path == "~", strings.HasPrefix(path, "~/"), strings.HasPrefix(path, "~"+string(filepath.Separator)):
		return filepath.Join(p.home, path[1:])
	case len(path) >= len(profile) && strings.EqualFold(path[:len(profile)], profile):
		return filepath.Join(p.home, path[len(profile):])
	}
	return path
}

// Absolute returns a path that a user wrote, from the root on: "~" is the home
// directory, and what is relative is so to the working directory.
func (p *Paths) Absolute(path string) string {
	if path = p.Expand(path); !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	return path
}

// Gemini returns ~/.gemini.
func (p *Paths) Gemini() string { return filepath.Join(p.home, ".gemini") }

// Runtime returns where files are kept that change all the time: ~/.gemini, or
// ~/.cache/.gemini inside the macOS sandbox.
func (p *Paths) Runtime() string {
	if p.env.Get("SANDBOX") == "sandbox-exec" {
		return filepath.Join(p.home, ".cache", ".gemini")
	}
	return p.Gemini()
}

// UserSettings returns the path of the user's settings file.
func (p *Paths) UserSettings() string { return filepath.Join(p.Gemini(), "settings.json") }

// WorkspaceSettings returns the path of the workspace's settings file, "" in the
// home directory, where it would be the user's.
func (p *Paths) WorkspaceSettings() string {
	if p.AtHome() {
		return ""
	}
	return filepath.Join(p.dir, ".gemini", "settings.json")
}

// AtHome reports whether the working directory is the home directory, by
// whatever name.
func (p *Paths) AtHome() bool {
	if p.dir == p.home {
		return true
	}
	dir, err := os.Stat(p.dir)
	if err != nil {
		return false
	}
	home, err := os.Stat(p.home)
	return err == nil && os.SameFile(dir, home)
}

// SystemSettings returns the path of the settings that win over the user's.
func (p *Paths) SystemSettings() string {
	if path := p.env.Get("GEMINI_CLI_SYSTEM_SETTINGS_PATH"); path != "" {
		return p.absolute(path)
	}
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/GeminiCli/settings.json"
	case "windows":
		return `C:\ProgramData\gemini-cli\settings.json`
	}
	return "/etc/gemini-cli/settings.json"
}

// SystemDefaults returns the path of the settings below the user's.
func (p *Paths) SystemDefaults() string {
	if path := p.env.Get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH"); path != "" {
		return p.absolute(path)
	}
	return filepath.Join(filepath.Dir(p.SystemSettings()), "system-defaults.json")
}

// UserPolicies returns the directory of the user's policy files.
func (p *Paths) UserPolicies() string { return filepath.Join(p.Gemini(), "policies") }

// SystemPolicies returns the directory of the administrator's policy files. No
// variable moves it: who could move it would be the administrator.
func SystemPolicies() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/GeminiCli/policies"
	case "windows":
		return `C:\ProgramData\gemini-cli\policies`
	}
	return "/etc/gemini-cli/policies"
}

func (p *Paths) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return p.dir + string(filepath.Separator) + path
}

// Slug returns the short name of this project, which is unique among the
// user's projects (spec/cli.md §4.4). The first call may write below ~/.gemini.
func (p *Paths) Slug() (string, error) { return p.slug() }

// ProjectTemp returns tmp/<slug>, the directory for what Pollux keeps about this
// project, and makes it.
func (p *Paths) ProjectTemp() (string, error) { return p.below(p.tmp()) }

// ProjectHistory returns history/<slug>, the directory for snapshots of this
// project, and makes it.
func (p *Paths) ProjectHistory() (string, error) { return p.below(p.history()) }

func (p *Paths) below(base string) (string, error) {
	slug, err := p.slug()
	if err != nil {
		return "", err
	}
	return filepath.Join(base, slug), nil
}

func (p *Paths) tmp() string     { return filepath.Join(p.Runtime(), "tmp") }
func (p *Paths) history() string { return filepath.Join(p.Gemini(), "history") }
