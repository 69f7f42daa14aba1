// Package nouns lists the nouns that a person manages.
package nouns

import (
	"pollux/internal/manage"
	"pollux/internal/manage/hooks"
	"pollux/internal/manage/servers"
	"pollux/internal/manage/skills"
)

// All returns the commands of all nouns.
func All() []*manage.Command {
	return []*manage.Command{
		hooks.Command(), servers.Command(), skills.Command(),
	}
}
