// Package nouns lists the nouns that a person manages.
package nouns

import (
	"pollux/internal/manage"
	"pollux/internal/manage/extensions"
	"pollux/internal/manage/hooks"
	"pollux/internal/manage/servers"
	"pollux/internal/manage/sessions"
	"pollux/internal/manage/skills"
)

// All returns the commands of all nouns.
func All() []*manage.Command {
	return []*manage.Command{
		extensions.Command(), hooks.Command(), servers.Command(), sessions.Command(), skills.Command(),
	}
}
