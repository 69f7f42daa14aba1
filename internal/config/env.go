package config

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Env is the environment of the user: that of the process, and sometimes the variables of the user's own .env file.
// No project has set any of them, so they may decide where the user's files, credentials, programs and sockets
// are. A [FolderEnv] has the variables of a project, too. An Env is immutable; [Env.With] returns a changed copy.
type Env struct{ vars map[string]string }

// Environ returns the environment of this process.
func Environ() *Env { return NewEnv(os.Environ()...) }

// NewEnv returns an environment with these NAME=value pairs. As in the C library, the first of
// several pairs with the same name is used.
func NewEnv(pairs ...string) *Env {
	e := &Env{vars: make(map[string]string, len(pairs)+8)}
	for _, pair := range pairs {
		name, value, ok := cutPair(pair)
		if !ok {
			continue
		}
		if _, dup := e.vars[envName(name)]; !dup {
			e.vars[envName(name)] = value
		}
	}
	return e
}

// Lookup returns the value of a variable, and whether it is set.
func (e *Env) Lookup(name string) (string, bool) {
	value, ok := e.vars[envName(name)]
	return value, ok
}

// Get returns the value of a variable, "" if it is not set.
func (e *Env) Get(name string) string { return e.vars[envName(name)] }

// True reports whether a variable is exactly "true", which is how most switches are read.
func (e *Env) True(name string) bool { return e.Get(name) == "true" }

// First returns the value of the first of the variables that is not empty, "" if all are.
func (e *Env) First(names ...string) string { return first(e.Get, names) }

// With returns a copy of e with these NAME=value pairs added. They replace existing values.
func (e *Env) With(pairs ...string) *Env {
	with := &Env{vars: maps.Clone(e.vars)}
	for _, pair := range pairs {
		if name, value, ok := cutPair(pair); ok {
			with.vars[envName(name)] = value
		}
	}
	return with
}

// Without returns a copy of e in which these variables are not set.
func (e *Env) Without(names ...string) *Env { return &Env{vars: without(e.vars, names)} }

// List returns the environment as sorted NAME=value pairs, for a child process.
func (e *Env) List() []string { return pairsOf(e.vars) }

// first returns the first value that is not empty, "" if all are.
func first(get func(string) string, names []string) string {
	for _, name := range names {
		if value := get(name); value != "" {
			return value
		}
	}
	return ""
}

// without returns a copy of vars that lacks these names.
func without(vars map[string]string, names []string) map[string]string {
	less := maps.Clone(vars)
	for _, name := range names {
		delete(less, envName(name))
	}
	return less
}

// pairsOf returns variables as sorted NAME=value pairs.
func pairsOf(vars map[string]string) []string {
	pairs := make([]string, 0, len(vars))
	for name, value := range vars {
		pairs = append(pairs, name+"="+value)
	}
	slices.Sort(pairs)
	return pairs
}

// cutPair splits NAME=value. On Windows a name can start with "=".
func cutPair(pair string) (name, value string, ok bool) {
	i := strings.IndexByte(pair[min(1, len(pair)):], '=')
	if i < 0 {
		return "", "", false
	}
	return pair[:i+1], pair[i+2:], true
}

// envName returns the form in which a name is stored: Windows ignores case.
func envName(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
