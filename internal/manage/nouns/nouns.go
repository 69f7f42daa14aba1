// Package nouns lists the nouns that a person manages.
package nouns

import (
	"pollux/internal/manage"
	"pollux/internal/manage/extensions"
	"pollux/internal/manage/hooks"
	"pollux/internal/manage/keys"
	"pollux/internal/manage/logs"
	"pollux/internal/manage/memory"
	"pollux/internal/manage/models"
	"pollux/internal/manage/policy"
	"pollux/internal/manage/servers"
	"pollux/internal/manage/sessions"
	"pollux/internal/manage/settings"
	"pollux/internal/manage/skills"
	"pollux/internal/manage/stats"
)

// ModelNames returns the names of models that begin with typed; see [models.Names].
func ModelNames(typed string) (names []string, arePrefixes bool) { return models.Names(typed) }

// All returns the commands of all nouns.
func All() []*manage.Command {
	return []*manage.Command{
		extensions.Command(), hooks.Command(), keys.Command(), logs.Command(), memory.Command(), models.Command(), policy.Command(), servers.Command(), sessions.Command(), settings.Command(), skills.Command(), stats.Command(),
	}
}
