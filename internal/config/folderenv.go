package config

import (
	"maps"
	"slices"
	"sync"

	"pollux/internal/secret"
)

// FolderEnv is the environment in a folder: that of the user, and the variables that the project's .env file adds.
// Such a file may come from strangers: it must not decide where the user's secrets are sent. Questions about the
// user's own files, credentials, programs and sockets are for [FolderEnv.User]. A FolderEnv is immutable.
type FolderEnv struct {
	user    *Env
	project map[string]string
}

// NewFolderEnv returns the environment of a user in a folder whose project sets these NAME=value pairs. They do not
// replace variables of the user.
func NewFolderEnv(user *Env, pairs ...string) *FolderEnv {
	e := &FolderEnv{user: user, project: make(map[string]string, len(pairs))}
	for _, pair := range pairs {
		name, value, ok := cutPair(pair)
		if _, set := user.Lookup(name); ok && !set {
			e.project[envName(name)] = value
		}
	}
	return e
}

// User returns the environment without the variables of the project.
func (e *FolderEnv) User() *Env { return e.user }

// Lookup returns the value of a variable, and whether it is set. A nil FolderEnv has none.
func (e *FolderEnv) Lookup(name string) (string, bool) {
	if e == nil {
		return "", false
	}
	if value, ok := e.project[envName(name)]; ok {
		return value, true
	}
	return e.user.Lookup(name)
}

// Get returns the value of a variable, "" if it is not set.
func (e *FolderEnv) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// True reports whether a variable is exactly "true", which is how most switches are read.
func (e *FolderEnv) True(name string) bool { return e.Get(name) == "true" }

// First returns the value of the first of the variables that is not empty, "" if all are.
func (e *FolderEnv) First(names ...string) string { return first(e.Get, names) }

// IsSetByProject reports whether the value of any of the variables comes from a .env file of the project.
func (e *FolderEnv) IsSetByProject(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, is := e.project[envName(name)]
		return is
	})
}

// Withholds reports whether a text of a project does not get the value of a variable, because the value is a
// secret of the user, or contains one that another variable has. A project may have its own secrets.
func (e *FolderEnv) Withholds(name string) bool { return e.withholder()(name, e.Get(name)) }

// withholder returns [FolderEnv.Withholds] for many variables, with their values.
func (e *FolderEnv) withholder() func(name, value string) bool {
	isSecret := sync.OnceValue(func() func(name, value string) bool { return secret.InEnviron(e.List()) })
	return func(name, value string) bool { return !e.IsSetByProject(name) && isSecret()(name, value) }
}

// OfProject returns the names of the variables whose values come from a .env file of the project,
// sorted.
func (e *FolderEnv) OfProject() []string { return slices.Sorted(maps.Keys(e.project)) }

// Without returns a copy of e in which the project does not set these variables.
func (e *FolderEnv) Without(names ...string) *FolderEnv {
	return &FolderEnv{user: e.user, project: without(e.project, names)}
}

// List returns the environment as sorted NAME=value pairs, for a child process.
func (e *FolderEnv) List() []string { return pairsOf(e.all()) }

// all returns the variables by name.
func (e *FolderEnv) all() map[string]string {
	all := maps.Clone(e.user.vars)
	maps.Copy(all, e.project)
	return all
}
