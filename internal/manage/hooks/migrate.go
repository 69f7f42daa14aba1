package hooks

import (
	"context"
	"encoding/json"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/transfer"
)

// source is an agent whose hooks are copied.
type source struct {
	agent, title  string
	project, user []string // its files, below the project and the home directory
	// read returns the hooks in the files.
	read func(files []transfer.File) hook.Migration
}

// sources returns the agents whose hooks are copied.
func sources() []source {
	return []source{
		{
			"claude", "Claude Code",
			[]string{".claude/settings.json", ".claude/settings.local.json"},
			[]string{".claude/settings.json"},
			joined(hook.FromClaude),
		},
		{
			"antigravity", "Antigravity CLI",
			[]string{".agents/hooks.json", ".agent/hooks.json", "_agents/hooks.json", "_agent/hooks.json"},
			[]string{".gemini/config/hooks.json"},
			fromAntigravity,
		},
		{
			"codex", "Codex",
			[]string{".codex/hooks.json", ".codex/config.toml"},
			[]string{".codex/hooks.json", ".codex/config.toml"},
			joined(hook.FromCodex),
		},
		{
			"qwen", "Qwen Code",
			[]string{".qwen/settings.json", ".qwen/settings.local.json"},
			[]string{".qwen/settings.json"},
			joined(hook.FromQwen),
		},
		{
			"crush", "Crush",
			[]string{"crush.json", ".crush.json"},
			[]string{".config/crush/crush.json"},
			joined(hook.FromCrush),
		},
	}
}

func migrate(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	i := slices.IndexFunc(sources(), func(s source) bool { return c.Is("from-" + s.agent) })
	if i < 0 {
		return o, manage.ErrHelp
	}
	from := sources()[i]
	setup, err := c.Open(ctx)
	if err != nil {
		return o, err
	}
	scope, dir, names := config.Workspace, setup.Paths.Dir(), from.project
	if c.Value("scope") == "user" {
		scope, dir, names = config.User, setup.Paths.Home(), from.user
	}
	if setup.Paths.File(scope) == "" {
		return o, exit.Errorf(exit.Input, "The home directory has no project settings. Run this command in a project, or with --scope user.")
	}
	part, err := Import(setup, from.agent, scope)
	switch {
	case err != nil:
		return o, err
	case len(part.Files) == 0:
		return o, exit.Errorf(exit.Input, "There is no %s in %s.", strings.Join(backward(names), " and no "), dir)
	}
	r := transfer.Report{Agent: from.agent, Scope: c.Value("scope"), Parts: []*transfer.Part{part}, HowToApply: "leave out --dry-run"}
	if !c.Is("dry-run") {
		err = r.Apply()
	}
	return r.Outcome(setup.DisplayFile), err
}

// Import returns the hooks that another agent has in a scope. The part has no files if there are none, or if hooks of the agent cannot be
// copied.
func Import(p *project.Project, agent string, scope config.Scope) (*transfer.Part, error) {
	part := &transfer.Part{Kind: "hook", Target: p.Paths.File(scope), Settings: p.Paths.File(scope), Next: "To check them, run: pollux hooks test <event>"}
	i := slices.IndexFunc(sources(), func(s source) bool { return s.agent == agent })
	if i < 0 {
		return part, nil
	}
	place, names := transfer.Place{Dir: p.Paths.Dir(), IsProject: true}, sources()[i].project
	if scope == config.User {
		place, names = transfer.Place{Dir: p.Paths.Home()}, sources()[i].user
	}
	files, err := place.Objects(names...)
	if err != nil || files == nil {
		return part, err
	}
	m := sources()[i].read(files)
	part.Files, part.Items, part.Notes = transfer.Paths(files), m.Items, m.Unmatched(policy.ToolNames())
	additions, err := missing(p.Paths.File(scope), m.Groups)
	part.Write = func() error {
		for _, event := range slices.Sorted(maps.Keys(additions)) {
			key := string(config.HookDefinitions) + "." + event
			if err := p.ChangeSettings(scope, func() error { return p.Paths.Set(scope, key, additions[event]) }); err != nil {
				return err
			}
		}
		return nil
	}
	return part, err
}

// joined returns the function that takes over hooks in the form of Claude Code, which joins those of its files.
func joined(take func(hooks map[string]any) hook.Migration) func(files []transfer.File) hook.Migration {
	return func(files []transfer.File) hook.Migration {
		hooks := map[string]any{}
		for _, f := range files {
			theirs, _ := f.Object["hooks"].(map[string]any)
			for event, list := range theirs {
				before, isList := hooks[event].([]any)
				more, alsoList := list.([]any)
				if isList && alsoList {
					list = slices.Concat(before, more)
				}
				hooks[event] = list
			}
		}
		return take(hooks)
	}
}

// fromAntigravity takes over the hooks of Antigravity CLI, which run in the directory of their file.
func fromAntigravity(files []transfer.File) (m hook.Migration) {
	for _, f := range files {
		dir := path.Dir(f.Name)
		if strings.HasPrefix(dir, ".gemini/") {
			dir = "~/" + dir
		}
		m.Join(hook.FromAntigravity(f.Object, dir))
	}
	return m
}

// missing returns the lists of the events that get hooks which a settings file does not have, after those that are there. Hooks that are there
// are marked in their reports.
func missing(file string, groups []hook.Group) (map[string][]any, error) {
	written, err := transfer.Member(file, string(config.HookDefinitions))
	if err != nil {
		return nil, err
	}
	additions := map[string][]any{}
	for _, g := range groups {
		event := string(g.Event)
		there, _ := written[event].([]any)
		definition := redecode(g.Definition)
		if slices.ContainsFunc(there, func(other any) bool { return reflect.DeepEqual(redecode(other), definition) }) {
			for _, i := range g.Items {
				i.Keep()
			}
			continue
		}
		if additions[event] == nil {
			additions[event] = redecode(append([]any{}, there...)).([]any)
		}
		additions[event] = append(additions[event], definition)
	}
	return additions, nil
}

// redecode returns a value in the types of [encoding/json].
func redecode(v any) any {
	data, _ := json.Marshal(v) // it was read from JSON
	var decoded any
	_ = json.Unmarshal(data, &decoded) // it was just written
	return decoded
}

func backward(names []string) []string {
	names = slices.Clone(names)
	slices.Reverse(names)
	return names
}
