package config

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Env is an environment. It does not change; [Env.With] returns another one.
type Env struct {
	vars    map[string]string
	project map[string]bool // the names of those that a project's .env file has set
}

// Environ returns the environment of this process.
func Environ() *Env { return NewEnv(os.Environ()...) }

// NewEnv returns the environment made of these NAME=value pairs. As in the C
// library, the first of several pairs with one name counts.
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

// Lookup returns the value of a variable and whether it is set.
func (e *Env) Lookup(name string) (string, bool) {
	value, ok := e.vars[envName(name)]
	return value, ok
}

// Get returns the value of a variable, "" if it is not set.
func (e *Env) Get(name string) string { return e.vars[envName(name)] }

// True reports whether a variable is exactly "true", which is how most
// switches of spec/cli.md §3.2 are read.
func (e *Env) True(name string) bool { return e.Get(name) == "true" }

// First returns the first of these variables that is not empty.
func (e *Env) First(names ...string) string {
	for _, name := range names {
		if value := e.Get(name); value != "" {
			return value
		}
	}
	return ""
}

// OfProject reports whether any of these variables has its value from a .env file of
// the project. Such a file may have come with the project: it must not decide where
// the user's secrets go.
func (e *Env) OfProject(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return e.project[envName(name)] })
}

// With returns an environment that also has these NAME=value pairs; they win
// over what e has.
func (e *Env) With(pairs ...string) *Env { return e.with(pairs, false) }

func (e *Env) with(pairs []string, project bool) *Env {
	with := &Env{vars: maps.Clone(e.vars), project: map[string]bool{}}
	maps.Copy(with.project, e.project)
	for _, pair := range pairs {
		if name, value, ok := cutPair(pair); ok {
			with.vars[envName(name)] = value
			with.project[envName(name)] = project
		}
	}
	return with
}

// List returns the environment as sorted NAME=value pairs, for a child process.
func (e *Env) List() []string {
	list := make([]string, 0, len(e.vars))
	for name, value := range e.vars {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// cutPair splits NAME=value. Windows has names that start with "=".
func cutPair(pair string) (name, value string, ok bool) {
	i := strings.IndexByte(pair[min(1, len(pair)):], '=')
	if i < 0 {
		return "", "", false
	}
	return pair[:i+1], pair[i+2:], true
}

// envName is the form under which a variable is kept: Windows does not tell
// upper from lower case.
func envName(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
