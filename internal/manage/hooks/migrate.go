package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
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
	"pollux/internal/terminal"
)

// source is an agent whose hooks are copied.
type source struct {
	flag          string
	project, user []string // its files, below the project and the home directory
	// read returns the hooks in objects of the files.
	read func(objects map[string]map[string]any) hook.Migration
}

// sources are the agents whose hooks are copied.
var sources = []source{
	{
		"from-claude",
		[]string{".claude/settings.json", ".claude/settings.local.json"},
		[]string{".claude/settings.json"},
		fromClaude,
	},
	{
		"from-antigravity",
		[]string{".agents/hooks.json", ".agent/hooks.json", "_agents/hooks.json", "_agent/hooks.json"},
		[]string{".gemini/config/hooks.json"},
		fromAntigravity,
	},
}

func migrate(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	i := slices.IndexFunc(sources, func(s source) bool { return c.Is(s.flag) })
	if i < 0 {
		return o, manage.ErrHelp
	}
	from := sources[i]
	setup, err := c.Open(ctx)
	if err != nil {
		return o, err
	}
	scope, dir, names := config.Workspace, setup.Paths.Dir(), from.project
	if c.Value("scope") == "user" {
		scope, dir, names = config.User, setup.Paths.Home(), from.user
	}
	target := setup.Paths.File(scope)
	if target == "" {
		return o, exit.Errorf(exit.Input, "The home directory has no project settings. Run this command in a project, or with --scope user.")
	}
	files, objects, err := readObjects(dir, names, scope == config.Workspace)
	if err != nil {
		return o, err
	}
	m := from.read(objects)
	for _, note := range slices.Concat(m.Notes, m.Unmatched(policy.ToolNames()), m.Loose) {
		setup.Warn("Warning: " + note)
	}
	place := setup.Paths.DisplayText(strings.Join(files, " and "))
	if m.Count == 0 {
		return o, exit.Errorf(exit.General, "%s has no hooks that Pollux can run.", place)
	}
	copied, err := addHooks(setup, scope, m.Definitions)
	if err != nil {
		return o, err
	}
	text := fmt.Sprintf("Copied %d hook(s) from %s to %s.", len(copied), place, setup.Paths.Display(target))
	for _, line := range copied {
		text += "\n- " + terminal.Cut(terminal.Line(line), 300)
	}
	if more := m.Count - len(copied); more > 0 {
		text += fmt.Sprintf("\n%d hook(s) were there already.", more)
	}
	if len(m.Loose) > 0 {
		text += fmt.Sprintf("\nNOT COPIED: %d that may have refused calls or prompts. See the warnings.", len(m.Loose))
	}
	return outcome.Textf("%s\nTo check them, run: pollux hooks test <event>", text), nil
}

// fromClaude takes over the hooks of Claude Code, which joins those of its files.
func fromClaude(objects map[string]map[string]any) hook.Migration {
	hooks := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		theirs, _ := objects[name]["hooks"].(map[string]any)
		for event, list := range theirs {
			before, isList := hooks[event].([]any)
			more, alsoList := list.([]any)
			if isList && alsoList {
				list = slices.Concat(before, more)
			}
			hooks[event] = list
		}
	}
	return hook.FromClaude(hooks)
}

// fromAntigravity takes over the hooks of Antigravity CLI, which run in the directory of their file.
func fromAntigravity(objects map[string]map[string]any) (m hook.Migration) {
	m.Definitions = map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		dir := path.Dir(name)
		if strings.HasPrefix(dir, ".gemini/") {
			dir = "~/" + dir
		}
		one := hook.FromAntigravity(objects[name], dir)
		for event, list := range one.Definitions {
			before, _ := m.Definitions[event].([]any)
			m.Definitions[event] = slices.Concat(before, list.([]any))
		}
		m.Count += one.Count
		m.Notes, m.Loose = append(m.Notes, one.Notes...), append(m.Loose, one.Loose...)
	}
	return m
}

// addHooks adds definitions to the hooks in the settings of a scope, after those that are there. It returns a line about each hook that
// is new.
func addHooks(setup *project.Project, scope config.Scope, definitions map[string]any) (added []string, err error) {
	written, err := readWritten(setup.Paths.File(scope))
	if err != nil {
		return nil, err
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
			definition, _ := d.(map[string]any)
			added = append(added, hookLines(event, definition)...)
		}
		if len(list) == len(there) {
			continue
		}
		if err := setup.ChangeSettings(scope, func() error { return setup.Paths.Set(scope, key, redecode(list)) }); err != nil {
			return added, err
		}
	}
	return added, nil
}

// hookLines returns a line about each hook of a definition: its event, its matcher and its command with the arguments.
func hookLines(event string, definition map[string]any) (lines []string) {
	if matcher, _ := definition["matcher"].(string); matcher != "" {
		event += " of " + matcher
	}
	hooks, _ := definition["hooks"].([]any)
	for _, h := range hooks {
		members, _ := h.(map[string]any)
		words, _ := members["args"].([]any)
		command, _ := members["command"].(string)
		lines = append(lines, event+": "+strings.Join(append([]string{command}, config.Texts(words)...), " "))
	}
	return lines
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

// readObjects returns the objects in files below a directory by their names, and the paths of the files that exist. Links may lead
// out of the directory unless isInside is set.
func readObjects(dir string, names []string, isInside bool) (files []string, objects map[string]map[string]any, err error) {
	objects = map[string]map[string]any{}
	for _, name := range names {
		name := filepath.FromSlash(name)
		file := filepath.Join(dir, name)
		read := func() ([]byte, error) { return durable.ReadFile(file, maxSettings) }
		if isInside {
			read = func() ([]byte, error) { return durable.ReadInside(dir, name, maxSettings) }
		}
		data, err := read()
		if durable.IsAbsent(err) {
			continue
		}
		var object map[string]any
		if err == nil {
			object, err = config.ParseObject(data)
		}
		if err != nil {
			return files, nil, exit.Errorf(exit.Config, "Cannot read %s: %w.", file, err)
		}
		files = append(files, file)
		objects[filepath.ToSlash(name)] = object
	}
	if files == nil {
		return nil, nil, exit.Errorf(exit.Input, "There is no %s in %s.", strings.Join(backward(names), " and no "), dir)
	}
	return files, objects, nil
}

func backward(names []string) []string {
	names = slices.Clone(names)
	slices.Reverse(names)
	return names
}
