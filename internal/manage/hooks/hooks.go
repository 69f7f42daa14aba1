// Package hooks manages hooks: it lists, switches, tests and migrates them.
package hooks

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// Command returns the commands about hooks.
func Command() *manage.Command {
	json := []manage.Flag{manage.JSON}
	return &manage.Command{
		Name: "hooks", Aliases: []string{"hook"}, Summary: "List, test and migrate hooks", Run: manage.With(open, list),
		Session: &manage.InSession{Summary: "List, enable and disable hooks"}, RunsWhileBusy: true,
		Subs: []*manage.Command{
			{
				Name: "list", Summary: "List hooks", Flags: json, Run: manage.With(open, list),
				Session: &manage.InSession{Name: "panel", Aliases: []string{"list", "show"}}, RunsWhileBusy: true,
			},
			{Name: "enable", Args: "<name>", Summary: "Enable a hook", Run: manage.With(open, setEnabled(true)), Session: &manage.InSession{Args: "<hook-name>"}},
			{Name: "disable", Args: "<name>", Summary: "Disable a hook", Run: manage.With(open, setEnabled(false)), Session: &manage.InSession{Args: "<hook-name>"}},
			{Name: "enable-all", Aliases: []string{"enableall"}, Summary: "Enable all hooks", IsSessionOnly: true, Run: manage.With(open, setAll(true))},
			{Name: "disable-all", Aliases: []string{"disableall"}, Summary: "Disable all hooks", IsSessionOnly: true, Run: manage.With(open, setAll(false))},
			{
				Name: "test", Args: "<event|name>", Summary: "Run hooks with a sample input and show what they would do", Run: manage.With(open, test),
				Flags: append(json, manage.Flag{Name: "input", Default: "", Usage: "JSON file whose fields replace those of the sample input"}),
			},
			{
				Name: "migrate", Summary: "Copy the hooks of another agent to the settings", Run: migrate,
				Flags: []manage.Flag{
					{Name: "from-claude", Default: false, Usage: "Read .claude/settings.json and .claude/settings.local.json"},
					{Name: "from-antigravity", Default: false, Usage: "Read .agents/hooks.json of Antigravity CLI"},
					{Name: "from-codex", Default: false, Usage: "Read .codex/hooks.json and .codex/config.toml"},
					{Name: "from-qwen", Default: false, Usage: "Read .qwen/settings.json of Qwen Code"},
					{Name: "from-crush", Default: false, Usage: "Read crush.json and .crush.json"},
					{Name: "scope", Short: "s", Default: "project", Usage: "`scope` Hooks to copy, those of the project or your own, from your home directory", Choices: []string{"user", "project"}},
					{Name: "dry-run", Default: false, Usage: "Show the hooks, and write nothing"},
					manage.JSON,
				},
			},
		},
	}
}

// Hook is a row of the list of hooks.
type Hook struct {
	ID         string     `json:"-"`
	Event      hook.Event `json:"event"`
	Name       string     `json:"name,omitempty"`
	Command    string     `json:"command"`
	Matcher    string     `json:"matcher,omitempty"`
	Sequential bool       `json:"sequential"`
	Timeout    int64      `json:"timeout"`           // milliseconds
	Dialect    string     `json:"dialect,omitempty"` // "" for Gemini CLI's
	Condition  string     `json:"if,omitempty"`
	From       string     `json:"from"`
	Enabled    bool       `json:"enabled"`
}

func newHook(h *hook.Hook) Hook {
	return Hook{
		ID: h.ID(), Event: h.Event, Name: h.Name, Command: h.CommandLine(), Dialect: string(h.Dialect), Condition: h.Condition, Matcher: h.Matcher, Sequential: h.IsSequential,
		Timeout: h.Timeout.Milliseconds(), From: h.Source.String(), Enabled: !h.IsDisabled,
	}
}

func (h Hook) cells() []string {
	state, matcher := "enabled", h.Matcher
	if !h.Enabled {
		state = "disabled"
	}
	if strings.TrimSpace(matcher) == "" {
		matcher = "*"
	}
	return []string{string(h.Event), terminal.Cut(terminal.Line(h.ID), 60), terminal.Cut(terminal.Line(matcher), 40), h.From, state}
}

// opened is a project with its hooks, nil if there are none.
type opened struct {
	project *project.Project
	set     *hook.Set
}

// open returns the hooks of the session, or in a shell those that a session would have.
func open(ctx context.Context, c *manage.Call) (opened, error) {
	p, err := c.Open(ctx)
	switch {
	case err != nil:
		return opened{}, err
	case !p.AreHooksEnabled():
		return opened{}, exit.Errorf(exit.General, "Hook system is not enabled. To enable it, run: pollux config set hooksConfig.enabled true")
	case c.Live != nil:
		return opened{p, c.Live.Hooks.Set()}, nil
	case !p.IsTrusted():
		p.Warn("Warning: " + unused(p))
	}
	all, _ := p.ReadHooks()
	set := p.HookSet(all, hook.Options{
		SessionID: func() string { return "test" },
		PlansDir:  func() string { return filepath.Join(p.Paths.ProjectTempPath(), "test", "plans") },
	})
	for _, text := range set.Unmatched(policy.ToolNames()) {
		p.Warn("Warning: " + text)
	}
	return opened{p, set}, nil
}

// unused describes the hooks that do not run because the folder is not trusted.
func unused(p *project.Project) string {
	if config.UserHooksUntrusted.In(p.Settings()) {
		return "This folder is not trusted: its own hooks are not used."
	}
	return "This folder is not trusted: the hooks of settings, yours included, are not used. " + string(config.UserHooksUntrusted) + " lets yours run."
}

func (o opened) hooks() []hook.Hook {
	if o.set == nil {
		return nil
	}
	return o.set.Hooks()
}

func list(_ context.Context, c *manage.Call, there opened) (outcome.Outcome, error) {
	rows := []Hook{}
	for _, h := range there.hooks() {
		rows = append(rows, newHook(&h))
	}
	o := outcome.New(outcome.NewTable([]string{"EVENT", "HOOK", "MATCHER", "FROM", "STATE"}, rows, Hook.cells)).WithValue(rows)
	switch {
	case len(rows) == 0 && !there.project.IsTrusted():
		o.Parts = []outcome.Part{outcome.Text("No hooks run in this folder.")}
	case len(rows) == 0 && c.Live == nil:
		o.Parts = []outcome.Part{outcome.Text("No hooks configured. To learn about hooks, type /docs hooks in a session.")}
	case len(rows) == 0:
		o.Parts = []outcome.Part{outcome.Text("No hooks configured. To add one, see /docs hooks.")}
	}
	if c.Live != nil && !there.project.IsTrusted() {
		o.Parts = append(o.Parts, outcome.Text(unused(there.project)+" See /permissions trust."))
	}
	return o, nil
}

func setEnabled(enabled bool) func(context.Context, *manage.Call, opened) (outcome.Outcome, error) {
	return func(_ context.Context, c *manage.Call, there opened) (outcome.Outcome, error) {
		if c.Name() == "" {
			return outcome.Outcome{}, manage.Usage("/hooks " + verb(enabled) + " <hook-name>")
		}
		text, changed, err := Switch(there.project, there.hooks(), c.Name(), enabled)
		if err == nil && changed {
			err = apply(c)
		}
		return outcome.New(outcome.Text(text)), err
	}
}

func verb(enables bool) string {
	if enables {
		return "enable"
	}
	return "disable"
}

// apply makes a session use the settings about disabled hooks.
func apply(c *manage.Call) error {
	if c.Live == nil {
		return nil
	}
	return c.Live.Hooks.Reload()
}

func setAll(enabled bool) func(context.Context, *manage.Call, opened) (outcome.Outcome, error) {
	return func(_ context.Context, c *manage.Call, there opened) (outcome.Outcome, error) {
		hooks := there.hooks()
		var ids []string
		for i := range hooks {
			if id := hooks[i].ID(); hooks[i].IsDisabled == enabled && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		switch word := verb(enabled) + "d"; {
		case len(hooks) == 0:
			return manage.Say("No hooks configured.")
		case len(ids) == 0:
			return manage.Say("All hooks are already %s.", word)
		default:
			_, err := change(there.project, hooks, ids, enabled)
			if err == nil {
				err = apply(c)
			}
			return outcome.Textf("%s%s %d hook(s) successfully.", strings.ToUpper(word[:1]), word[1:], len(ids)), err
		}
	}
}

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
