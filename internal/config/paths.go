package config

import (
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// Paths returns the locations of Pollux's files for one user and one working directory. It
// accesses the disk only when necessary. It is safe for concurrent use.
type Paths struct {
	env  *Env
	dir  string
	home string
	// slug claims the project's directory for temporary files on the first call, undone the one below history.
	slug, undone func() (string, error)
	// claimed is the result of slug, nil until the project has a directory.
	claimed atomic.Pointer[string]
	// likely returns the probable result of slug without claiming it.
	likely func() string
	// resolvedHome returns the home directory with symbolic links resolved, "" if that fails.
	resolvedHome func() string
	atHome       func() bool
}

// NewPaths returns the paths for a working directory, which must be absolute. GEMINI_CLI_HOME
// replaces the home directory; without either, files are below the directory for temporary
// files.
func NewPaths(env *Env, dir string) *Paths {
	p := &Paths{env: env, dir: dir, home: homeOf(env)}
	p.slug, p.undone = sync.OnceValues(p.claim), sync.OnceValues(p.claimHistory)
	p.likely = sync.OnceValue(p.likelySlug)
	p.resolvedHome = sync.OnceValue(func() string {
		resolved, _ := filepath.EvalSymlinks(p.home) // "" if it fails
		return resolved
	})
	p.atHome = sync.OnceValue(p.isHome)
	return p
}

// homeOf returns the home directory. It is absolute unless the working directory is unknown.
func homeOf(env *Env) string {
	home := userHome(env)
	if other := env.Get("GEMINI_CLI_HOME"); other != "" {
		// Usually the shell expands a tilde, but not in descriptions of services and
		// containers.
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

// Home returns the home directory, which replaces "~" in paths.
func (p *Paths) Home() string { return p.home }

// Expand replaces a leading "~" with the home directory, and also %userprofile%, which is in
// settings shared with Windows.
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

// Display returns an absolute path in the form that people read: "~/..." for a path in the
// user's home directory. [Paths.Expand] is the inverse. A shell expands the result to the same
// path: Display does not shorten paths in a home directory from GEMINI_CLI_HOME.
func (p *Paths) Display(path string) string {
	if p.home != filepath.Clean(userHome(p.env)) {
		return path
	}
	for _, home := range [...]string{p.home, p.resolvedHome()} {
		switch rest, ok := strings.CutPrefix(path, home); {
		case !ok, home == "", os.IsPathSeparator(home[len(home)-1]): // the root directory is not worth a tilde
		case rest == "":
			return "~"
		case os.IsPathSeparator(rest[0]):
			return "~" + rest
		}
	}
	return path
}

// DisplayText returns a text with the paths in it in the form of [Paths.Display], except that of
// the home directory itself. A path begins at the beginning of a line or after a space, a quote or
// an opening parenthesis.
func (p *Paths) DisplayText(text string) string {
	if !strings.Contains(text, p.home) && !strings.Contains(text, p.resolvedHome()) {
		return text
	}
	var b strings.Builder
	isStart, start := true, 0
	for i := range len(text) {
		if isStart && i > start {
			b.WriteString(p.displayStart(text[start:i]))
			start = i
		}
		isStart = strings.IndexByte(" \n\t\"'`(", text[i]) >= 0
	}
	b.WriteString(p.displayStart(text[start:]))
	return b.String()
}

// displayStart applies Display to the path at the beginning of a text.
func (p *Paths) displayStart(text string) string {
	end := strings.IndexAny(text, " \n\t\"'`,;:)")
	if end < 0 {
		end = len(text)
	}
	if short := p.Display(text[:end]); short != "~" {
		return short + text[end:]
	}
	return text
}

// Absolute returns the absolute form of a path that a user wrote. "~" is the home directory;
// relative paths start at the working directory.
func (p *Paths) Absolute(path string) string {
	if path = p.Expand(path); !filepath.IsAbs(path) {
		path = filepath.Join(p.dir, path)
	}
	return path
}

// GeminiDir returns the path of ~/.gemini.
func (p *Paths) GeminiDir() string { return filepath.Join(p.home, ".gemini") }

// RuntimeDir returns the directory for files that change often: ~/.gemini, or ~/.cache/.gemini
// inside the macOS sandbox.
func (p *Paths) RuntimeDir() string {
	if p.env.Get("SANDBOX") == "sandbox-exec" {
		return filepath.Join(p.home, ".cache", ".gemini")
	}
	return p.GeminiDir()
}

// UserSettings returns the path of the user's settings file.
func (p *Paths) UserSettings() string { return filepath.Join(p.GeminiDir(), "settings.json") }

// WorkspaceSettings returns the path of the workspace's settings file. It is "" in the home
// directory, where that file is the user's.
func (p *Paths) WorkspaceSettings() string {
	if p.AtHome() {
		return ""
	}
	return filepath.Join(p.dir, ".gemini", "settings.json")
}

// AtHome reports whether the working directory is the home directory, even under another name.
func (p *Paths) AtHome() bool { return p.atHome() }

func (p *Paths) isHome() bool {
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

// SystemSettings returns the path of the system's settings file, which has priority over the
// user's.
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

// SystemDefaults returns the path of the system's default settings, which the user's have
// priority over.
func (p *Paths) SystemDefaults() string {
	if path := p.env.Get("GEMINI_CLI_SYSTEM_DEFAULTS_PATH"); path != "" {
		return p.absolute(path)
	}
	return filepath.Join(filepath.Dir(p.SystemSettings()), "system-defaults.json")
}

// UserPolicies returns the directory of the user's policy files.
func (p *Paths) UserPolicies() string { return filepath.Join(p.GeminiDir(), "policies") }

// SystemPolicies returns the directory of the administrator's policy files. It cannot be
// changed by a variable, because users could then replace the administrator's policies.
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

// ProjectTemp returns tmp/<slug>, the directory for Pollux's data about this project, and creates it. The
// slug is the project's short name, which is unique among the user's projects.
func (p *Paths) ProjectTemp() (string, error) {
	slug, err := p.slug()
	if err != nil {
		return "", err
	}
	return filepath.Join(p.tmp(), slug), nil
}

// UndoLog returns history/<slug>/undo, the directory of the undo log of this project, and creates the one above it.
func (p *Paths) UndoLog() (string, error) {
	dir, err := p.undone()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "undo"), nil
}

// ExistingUndoLog returns what [Paths.UndoLog] does if it is there, else "". It creates nothing.
func (p *Paths) ExistingUndoLog() string {
	temp := p.ExistingProjectTemp()
	if temp == "" {
		return ""
	}
	dir := filepath.Join(p.history(), filepath.Base(temp), "undo")
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// UndoLogs returns the directories of the undo logs of all projects that have one.
func (p *Paths) UndoLogs() (dirs []string) {
	entries, _ := os.ReadDir(p.history()) // without it, there are none
	for _, e := range entries {
		dir := filepath.Join(p.history(), e.Name(), "undo")
		if info, err := os.Lstat(dir); err == nil && info.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// Checkpoints returns tmp/<slug>/checkpoints and history/<slug>, in which Gemini CLI keeps its checkpoints; "" if the project has no
// directory yet. It creates nothing.
func (p *Paths) Checkpoints() (files, repository string) {
	temp := p.ExistingProjectTemp()
	if temp == "" {
		return "", ""
	}
	return filepath.Join(temp, "checkpoints"), filepath.Join(p.history(), filepath.Base(temp))
}

// Records returns the directories below which Pollux keeps its records about projects.
func (p *Paths) Records() []string { return []string{p.tmp(), p.history()} }

// Private returns the directories with Pollux's own files. Shown returns the paths in them that the model's programs may
// need: instructions, extensions, the output of background commands, and the files about this project.
func (p *Paths) Private() []string { return []string{p.GeminiDir(), p.RuntimeDir()} }

// Shown is described at [Paths.Private].
func (p *Paths) Shown() []string {
	list := []string{p.ProjectTempPath(), p.BackgroundLogs(), p.CommandFiles()}
	for _, name := range []string{"GEMINI.md", "agents", "commands", "extensions", "skills"} {
		list = append(list, filepath.Join(p.GeminiDir(), name))
	}
	return list
}

// BackgroundLogs returns the directory for the output of background commands of all projects. It need not exist.
func (p *Paths) BackgroundLogs() string { return filepath.Join(p.tmp(), backgroundLogs) }

// CommandFiles returns the directory for files that Pollux writes for commands of all projects to read. It need not exist.
func (p *Paths) CommandFiles() string { return filepath.Join(p.tmp(), commandFiles) }

// Staging returns the directory for files of a moment that commands in the sandbox must neither read nor change, unlike those in directories for temporary files, such as a text
// that the user edits. It need not exist.
func (p *Paths) Staging() string { return filepath.Join(p.tmp(), staging) }

// TerminalMarks returns the directory for marks of terminals that sessions have in modes of their own. It need not exist.
func (p *Paths) TerminalMarks() string { return filepath.Join(p.tmp(), terminalMarks) }

// backgroundLogs and the others are the names of directories beside those of projects.
const (
	backgroundLogs = "background-processes"
	commandFiles   = "command-files"
	terminalMarks  = "terminal-marks"
	staging        = "staging"
)

func (p *Paths) tmp() string     { return filepath.Join(p.RuntimeDir(), "tmp") }
func (p *Paths) history() string { return filepath.Join(p.GeminiDir(), "history") }

// AbsoluteAll makes paths absolute, as [Paths.Absolute] does, and drops empty ones.
func (p *Paths) AbsoluteAll(list []string) []string {
	var abs []string
	for _, path := range list {
		if path = strings.TrimSpace(path); path != "" {
			abs = append(abs, filepath.Clean(p.Absolute(path)))
		}
	}
	return abs
}
