package hooks

import (
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/hook"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// Switch enables or disables one of these hooks in the settings files. It returns a sentence about the result, and whether the files have changed.
func Switch(p *project.Project, hooks []hook.Hook, id string, enabled bool) (text string, changed bool, err error) {
	word := map[bool]string{true: "enabled", false: "disabled"}[enabled]
	isListed := slices.Contains(config.HooksDisabled.In(p.Settings()), id)
	hasID := func(h hook.Hook) bool { return h.ID() == id }
	isKnown := slices.ContainsFunc(hooks, hasID)
	isDone := !slices.ContainsFunc(hooks, func(h hook.Hook) bool { return hasID(h) && h.IsDisabled == enabled })
	switch {
	case !isKnown && !isListed:
		return "", false, exit.Errorf(exit.Input, "There is no hook %q. To list hooks, run 'pollux hooks', or /hooks in a session.", terminal.Cut(terminal.Line(id), 60))
	case isDone && (isKnown || !enabled):
		return fmt.Sprintf("Hook %q is already %s.", id, word), false, nil
	}
	files, err := change(p, hooks, []string{id}, enabled)
	switch {
	case err != nil:
		return "", false, err
	case len(files) == 0:
		return "", false, exit.Errorf(exit.General, "Hook %q stays disabled, because other settings of the system or of this project disable it.", id)
	}
	return fmt.Sprintf("Hook %q is %s. Changed: %s", id, word, p.Paths.DisplayText(strings.Join(files, ", "))), true, nil
}

// change edits the settings files such that those of these hooks that have one of the
// IDs are enabled or disabled. It returns the files that have changed: a hook of the project is
// disabled in its file, and every other hook in the user's.
func change(p *project.Project, hooks []hook.Hook, ids []string, enabled bool) (files []string, err error) {
	for _, layer := range [...]struct {
		scope config.Scope
		file  string
	}{{config.Workspace, p.ProjectSettings()}, {config.User, p.Paths.UserSettings()}} {
		if layer.file == "" {
			continue
		}
		before := config.HooksDisabled.In(p.Settings().ForScope(layer.scope))
		after := slices.DeleteFunc(slices.Clone(before), func(id string) bool { return enabled && slices.Contains(ids, id) })
		for _, id := range ids {
			if !enabled && disablingScope(p, hooks, id) == layer.scope && !slices.Contains(after, id) {
				after = append(after, id)
			}
		}
		if len(after) == len(before) {
			continue
		}
		if err := p.SetDisabled(layer.scope, config.HooksDisabled, after); err != nil {
			return files, err
		}
		files = append(files, layer.file)
	}
	return files, nil
}

// disablingScope returns the scope whose settings disable the hooks with this ID.
func disablingScope(p *project.Project, hooks []hook.Hook, id string) config.Scope {
	isOther := func(h hook.Hook) bool { return h.ID() == id && h.Source != hook.Workspace }
	if p.ProjectSettings() == "" || slices.ContainsFunc(hooks, isOther) {
		return config.User
	}
	return config.Workspace
}
