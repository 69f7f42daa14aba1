// Package nouns lists the nouns that a person manages.
package nouns

import (
	"context"
	"slices"
	"time"

	"pollux/internal/manage"
	"pollux/internal/manage/about"
	"pollux/internal/manage/agents"
	"pollux/internal/manage/confine"
	"pollux/internal/manage/conversation"
	"pollux/internal/manage/directories"
	"pollux/internal/manage/extensions"
	"pollux/internal/manage/hooks"
	"pollux/internal/manage/ide"
	"pollux/internal/manage/imports"
	"pollux/internal/manage/keys"
	"pollux/internal/manage/logs"
	"pollux/internal/manage/memory"
	"pollux/internal/manage/models"
	"pollux/internal/manage/modes"
	"pollux/internal/manage/permissions"
	"pollux/internal/manage/policy"
	"pollux/internal/manage/servers"
	"pollux/internal/manage/sessions"
	"pollux/internal/manage/settings"
	"pollux/internal/manage/skills"
	"pollux/internal/manage/stats"
	"pollux/internal/manage/tools"
	"pollux/internal/manage/undo"
	"pollux/internal/project"
	"pollux/internal/tools/shell"
)

// All returns the commands of all nouns.
func All() []*manage.Command {
	return slices.Concat(about.Commands(), conversation.Commands(), modes.Commands(), stats.Commands(), tools.Commands(), undo.Commands(), []*manage.Command{
		agents.Command(), confine.Command(), directories.Command(), extensions.Command(), hooks.Command(), ide.Command(), imports.Command(), keys.Command(), logs.Command(), memory.Command(),
		memory.InitCommand(), models.Command(), models.SessionCommand(), permissions.Command(), policy.Command(), servers.Command(),
		sessions.Command(), settings.Command(), settings.EditorCommand(), settings.FooterCommand(), settings.TerminalCommand(), settings.ThemeCommand(), settings.VimCommand(), skills.Command(),
	})
}

// Flags returns the commands that flags of pollux run in place of a prompt, by the name of the flag. The words of the
// call are the value of the flag.
func Flags() map[string]manage.Run {
	return map[string]manage.Run{
		"list-extensions": manage.With(manage.Open, extensions.ListPlainly),
		"list-sessions":   manage.With(sessions.Here, sessions.ListPlainly),
		"delete-session":  manage.With(sessions.Here, sessions.DeletePlainly),
	}
}

// Tend does the work of nouns in the background of a run; see [sessions.Tend]. It also deletes old logs of background commands.
func Tend(ctx context.Context, p *project.Project, id string, resumes bool, warn func(string)) {
	sessions.Tend(ctx, p, id, resumes, warn, func() { shell.DeleteOldLogs(p.Paths.BackgroundLogs(), time.Now()) })
}

// ModelNames returns the names of models that begin with typed; see [models.Names].
func ModelNames(typed string) (names []string, arePrefixes bool) { return models.Names(typed) }
