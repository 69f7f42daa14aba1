package models

import (
	"strings"

	"pollux/llm/catalog"
	"pollux/llm/provider"
)

// Providers returns the ids of the built-in providers that begin with typed, and their names.
func Providers(typed string) []string {
	var ids []string
	for p := range provider.Builtin().All() {
		if strings.HasPrefix(p.ID, typed) {
			ids = append(ids, p.ID+"\t"+p.Name)
		}
	}
	return ids
}

// Names returns the names of models that begin with typed. Before a slash is typed, they are Google's models,
// their aliases, and the prefixes of providers such as "openai/". After it, they are the
// models of that provider. arePrefixes reports whether only prefixes match, after which the name of a model follows.
func Names(typed string) (names []string, arePrefixes bool) {
	add := func(name string) {
		if strings.HasPrefix(name, typed) {
			names = append(names, name)
		}
	}
	if id, _, ok := strings.Cut(typed, "/"); ok {
		for m := range catalog.Models(id) {
			add(id + "/" + m.Name)
		}
		return names, false
	}
	for _, alias := range [...]string{"auto", "pro", "flash", "flash-lite"} {
		add(alias)
	}
	for m := range catalog.Models("gemini") {
		add(m.Name)
	}
	google := len(names)
	for p := range provider.Builtin().All() {
		add(p.ID + "/")
	}
	return names, google == 0
}
