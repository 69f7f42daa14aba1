package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
)

func migrate(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	if !c.Is("from-claude") {
		return o, manage.ErrHelp
	}
	setup, err := c.Open(ctx)
	if err != nil {
		return o, err
	}
	if setup.Paths.WorkspaceSettings() == "" {
		return o, exit.Errorf(exit.Input, "The home directory has no project settings. Run this command in a project.")
	}
	files, hooks, err := readClaude(setup.Paths.Dir())
	if err != nil {
		return o, err
	}
	m := hook.FromClaude(hooks)
	for _, note := range slices.Concat(m.Notes, m.Unmatched(policy.ToolNames()), m.Loose) {
		setup.Warn("Warning: " + note)
	}
	from := setup.Paths.DisplayText(strings.Join(files, " and "))
	if m.Count == 0 {
		return o, exit.Errorf(exit.General, "%s has no hooks that Pollux can run.", from)
	}
	copied, err := addHooks(setup, m.Definitions)
	if err != nil {
		return o, err
	}
	text := fmt.Sprintf("Copied %d hook(s) from %s to %s.", copied, from, setup.Paths.Display(setup.Paths.WorkspaceSettings()))
	if more := m.Count - copied; more > 0 {
		text += fmt.Sprintf("\n%d hook(s) were there already.", more)
	}
	if len(m.Loose) > 0 {
		text += fmt.Sprintf("\nNOT COPIED: %d that may have refused calls or prompts. See the warnings.", len(m.Loose))
	}
	return outcome.Textf("%s\nTo check them, run: pollux hooks test <event>", text), nil
}

// addHooks adds definitions to the hooks of the project, after those that are there. It returns how many hooks are new.
func addHooks(setup *project.Project, definitions map[string]any) (count int, err error) {
	written, err := readWritten(setup.Paths.WorkspaceSettings())
	if err != nil {
		return 0, err
	}
	for _, event := range slices.Sorted(maps.Keys(definitions)) {
		key := string(config.HookDefinitions) + "." + event
		there, _ := written[event].([]any)
		list := slices.Clone(there)
		for _, d := range redecode(definitions[event]).([]any) {
			if slices.ContainsFunc(there, func(other any) bool { return reflect.DeepEqual(redecode(other), d) }) {
				continue
			}
			list = append(list, d)
			hooks, _ := d.(map[string]any)["hooks"].([]any)
			count += len(hooks)
		}
		if len(list) == len(there) {
			continue
		}
		if err := setup.ChangeSettings(config.Workspace, func() error { return setup.Paths.Set(config.Workspace, key, redecode(list)) }); err != nil {
			return count, err
		}
	}
	return count, nil
}

// readWritten returns the hooks in a settings file as they are written: also those that do not count, because the person has not seen
// them, and with the names of variables. It returns nil if there is no file.
func readWritten(file string) (map[string]any, error) {
	data, err := durable.ReadFile(file, maxSettings)
	if durable.IsAbsent(err) {
		return nil, nil
	}
	var tree map[string]any
	if err == nil {
		tree, err = config.ParseObject(data)
	}
	if err != nil {
		return nil, exit.Errorf(exit.Config, "Cannot read %s: %w.", file, err)
	}
	hooks, _ := tree[string(config.HookDefinitions)].(map[string]any)
	return hooks, nil
}

// maxSettings is the maximum size in bytes of a settings file.
const maxSettings = 16 << 20

// redecode returns a value in the types of [encoding/json].
func redecode(v any) any {
	data, _ := json.Marshal(v) // it was read from JSON
	var decoded any
	_ = json.Unmarshal(data, &decoded) // it was just written
	return decoded
}

// readClaude returns the hooks in both settings files of Claude Code in a project, and the files that exist.
func readClaude(dir string) (files []string, hooks map[string]any, err error) {
	hooks = map[string]any{}
	for _, name := range []string{"settings.json", "settings.local.json"} {
		file := filepath.Join(dir, ".claude", name)
		data, err := durable.ReadInside(dir, filepath.Join(".claude", name), maxSettings)
		if durable.IsAbsent(err) {
			continue
		}
		var settings map[string]any
		if err == nil {
			settings, err = config.ParseObject(data)
		}
		if err != nil {
			return files, nil, exit.Errorf(exit.Config, "Cannot read %s: %w.", file, err)
		}
		files = append(files, file)
		theirs, _ := settings["hooks"].(map[string]any)
		for event, list := range theirs {
			before, isList := hooks[event].([]any)
			more, alsoList := list.([]any)
			if isList && alsoList {
				list = slices.Concat(before, more)
			}
			hooks[event] = list
		}
	}
	if files == nil {
		return nil, nil, exit.Errorf(exit.Input, "There is no .claude/settings.local.json and no .claude/settings.json in this directory.")
	}
	return files, hooks, nil
}
