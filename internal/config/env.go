package config

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"pollux/internal/secret"
)

// Env is an immutable environment. [Env.With] returns a changed copy.
type Env struct {
	vars    map[string]string
	project map[string]bool // names of the variables that a project's .env file has set
}

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

// Lookup returns the value of a variable, and whether it is set. A nil Env has none.
func (e *Env) Lookup(name string) (string, bool) {
	if e == nil {
		return "", false
	}
	value, ok := e.vars[envName(name)]
	return value, ok
}

// Get returns the value of a variable, "" if it is not set.
func (e *Env) Get(name string) string { return e.vars[envName(name)] }

// True reports whether a variable is exactly "true", which is how most switches are read.
func (e *Env) True(name string) bool { return e.Get(name) == "true" }

// First returns the value of the first of the variables that is not empty, "" if all are.
func (e *Env) First(names ...string) string {
	for _, name := range names {
		if value := e.Get(name); value != "" {
			return value
		}
	}
	return ""
}

// IsSetByProject reports whether the value of any of the variables comes from a .env file of the
// project. Such a file may come from strangers: it must not decide where the user's secrets are
// sent.
func (e *Env) IsSetByProject(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return e.project[envName(name)] })
}

// Withholds reports whether a text of a project does not get the value of a variable, because the value is a
// secret of the user, or contains one that another variable has. A project may have its own secrets.
func (e *Env) Withholds(name string) bool { return e.withholder()(name, e.Get(name)) }

// withholder returns [Env.Withholds] for many variables, with their values.
func (e *Env) withholder() func(name, value string) bool {
	isSecret := sync.OnceValue(func() func(name, value string) bool { return secret.InEnviron(e.List()) })
	return func(name, value string) bool { return !e.IsSetByProject(name) && isSecret()(name, value) }
}

// OfProject returns the names of the variables whose values come from a .env file of the project,
// sorted.
func (e *Env) OfProject() []string {
	var names []string
	for name, is := range e.project {
		if is {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Without returns a copy of e in which these variables are not set.
func (e *Env) Without(names ...string) *Env {
	less := &Env{vars: maps.Clone(e.vars), project: maps.Clone(e.project)}
	for _, name := range names {
		delete(less.vars, envName(name))
		delete(less.project, envName(name))
	}
	return less
}

// With returns a copy of e with these NAME=value pairs added. They replace existing values.
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
