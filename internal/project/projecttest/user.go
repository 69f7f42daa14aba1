package projecttest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pollux/internal/config"
	"pollux/internal/extension"
	"pollux/internal/project"
)

// User is a user with a home directory and a directory to work in, for one test. They answer questions as a
// [Person], and their warnings are kept.
type User struct {
	Home, Dir string // absolute, without links
	Person

	t   testing.TB
	env []string

	mu       sync.Mutex
	warnings []string
}

// NewUser returns a user without files, in this environment and with the PATH of the test.
func NewUser(t testing.TB, env ...string) *User {
	t.Helper()
	u := &User{t: t}
	for _, dir := range []*string{&u.Home, &u.Dir} {
		real, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		*dir = real
	}
	u.env = append(slices.Clone(env), "HOME="+u.Home, "GEMINI_CLI_HOME="+u.Home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+u.Home+"/none.json", "PATH="+config.Environ().Get("PATH"))
	return u
}

// Path returns a path in the directory, or in the home directory if it begins with "~/". An absolute path stays
// as it is.
func (u *User) Path(name string) string {
	if rest, ok := strings.CutPrefix(filepath.ToSlash(name), "~/"); ok {
		return filepath.Join(u.Home, rest)
	}
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(u.Dir, name)
}

// Write writes a file at [User.Path], and returns its absolute path.
func (u *User) Write(name, text string) string {
	u.t.Helper()
	path := u.Path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		u.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		u.t.Fatal(err)
	}
	return path
}

// Read returns the text of the file at [User.Path], "" if there is none.
func (u *User) Read(name string) string {
	data, err := os.ReadFile(u.Path(name))
	if err != nil && !os.IsNotExist(err) {
		u.t.Error(err)
	}
	return string(data)
}

// AddExtension installs an extension, whose manifest has these keys beside its name, and returns its directory.
func (u *User) AddExtension(name, keys string, files map[string]string) (dir string) {
	u.t.Helper()
	dir = filepath.Join("~", ".gemini", "extensions", name)
	manifest := fmt.Sprintf(`{"name": %q, "version": "1"`, name)
	if keys != "" {
		manifest += ", " + keys
	}
	u.Write(filepath.Join(dir, extension.ManifestName), manifest+"}")
	for file, text := range files {
		u.Write(filepath.Join(dir, file), text)
	}
	return u.Path(dir)
}

// Options returns the options of a project in the directory, without a person.
func (u *User) Options() project.Options {
	return project.Options{Dir: u.Dir, Env: config.NewEnv(u.env...), Version: "1.2.3", Warn: u.warn}
}

// AtTerminal makes the user answer the questions of a project.
func (u *User) AtTerminal(o *project.Options) { o.Asker, o.Interactive = u, true }

// TryOpen opens the project with options that the changes complete, and closes it at the end of the test.
func (u *User) TryOpen(changes ...func(*project.Options)) (*project.Project, error) {
	u.t.Helper()
	o := u.Options()
	for _, change := range changes {
		change(&o)
	}
	p, err := project.Open(u.t.Context(), o)
	if err == nil {
		u.t.Cleanup(p.Close)
	}
	return p, err
}

// Open is [User.TryOpen]. An error ends the test.
func (u *User) Open(changes ...func(*project.Options)) *project.Project {
	u.t.Helper()
	p, err := u.TryOpen(changes...)
	if err != nil {
		u.t.Fatal(err)
	}
	return p
}

// Load reads settings and environment of the project, without the checks and warnings of [project.Open].
func (u *User) Load(changes ...func(*project.Options)) *project.Project {
	u.t.Helper()
	o := u.Options()
	for _, change := range changes {
		change(&o)
	}
	p := project.New(o)
	if err := p.Load(u.t.Context()); err != nil {
		u.t.Fatal(err)
	}
	p.ReadEnv()
	u.t.Cleanup(p.Close)
	return p
}

// TakeWarnings returns the warnings since the last call, one below the other.
func (u *User) TakeWarnings() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := strings.Join(u.warnings, "\n")
	u.warnings = nil
	return all
}

func (u *User) warn(text string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.warnings = append(u.warnings, text)
}
