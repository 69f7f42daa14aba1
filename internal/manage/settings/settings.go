// Package settings manages settings: it lists, shows, explains and changes them.
package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// Command returns the commands about settings.
func Command() *manage.Command {
	return &manage.Command{
		Name: "config", Summary: "Show and change settings", Run: manage.Help,
		Session: &manage.InSession{Name: "settings", Run: listLive}, NeedsPerson: true, Instead: "/settings list prints the settings.",
		Subs: []*manage.Command{
			row(manage.Command{
				Name: "list", Summary: "List settings and their sources", Run: manage.With(open, list), Session: &manage.InSession{Run: listLive}, RunsWhileBusy: true,
				Flags: []manage.Flag{{Name: "all", Default: false, Usage: "Include keys that are not set"}},
			}),
			row(manage.Command{
				Name: "get", Args: "KEY", Summary: "Print the value of a setting", Run: manage.With(open, get), Values: keys,
				Session: &manage.InSession{Args: "<key>", Summary: "Show a setting", Run: getLive}, RunsWhileBusy: true,
			}),
			row(manage.Command{
				Name: "set", Args: "KEY VALUE", Summary: "Set a setting to a JSON value or plain text", Run: set, Values: keysAndValues,
				Session: &manage.InSession{Args: "[--scope=user|workspace|system] <key> <value>", Summary: "Change a setting", Run: setLive},
			}),
			row(manage.Command{
				Name: "unset", Args: "KEY", Summary: "Remove a setting from a settings file", Run: unset, Values: keys,
				Session: &manage.InSession{Args: "[--scope=user|workspace|system] <key>", Summary: "Remove a setting", Run: unsetLive},
			}),
			row(manage.Command{Name: "path", Summary: "Print the paths of the settings files", Run: path}),
			row(manage.Command{Name: "explain", Args: "KEY", Summary: "Explain a setting, its value and its source", Run: manage.With(open, explain), Values: keys}),
		},
	}
}

// row returns a subcommand, which has a flag for the scope.
func row(c manage.Command) *manage.Command {
	run := c.Run
	c.TakesNumbers, c.Flags = true, append(c.Flags, manage.Flag{Name: "scope", Default: "", Usage: "Settings file: user, workspace or system"}, manage.JSON)
	c.Run = func(ctx context.Context, call *manage.Call) (o outcome.Outcome, err error) {
		if n := len(strings.Fields(c.Args)); len(call.Words) != n {
			return o, &manage.UsageError{Message: fmt.Sprintf("pollux config %s takes %s, not %d.", c.Name, wording.Count(n, "argument"), len(call.Words))}
		}
		if _, ok := config.ParseScope(call.Value("scope")); call.Value("scope") != "" && !ok {
			return o, &manage.UsageError{Message: fmt.Sprintf("Unknown scope %q. Choose user, workspace or system.", terminal.Visible(call.Value("scope")))}
		}
		return run(ctx, call)
	}
	return &c
}

// loaded is a project, and the settings of the scope of a call: of all layers without one.
type loaded struct {
	project  *project.Project
	settings *config.Settings
}

// open loads the settings. It warns if the settings of an untrusted folder are ignored.
func open(ctx context.Context, c *manage.Call) (loaded, error) {
	p, err := c.Load(ctx)
	if err != nil {
		return loaded{}, err
	}
	if !p.IsTrusted() && p.Paths.WorkspaceSettings() != "" {
		if _, err := os.Stat(p.Paths.WorkspaceSettings()); err == nil {
			p.Warn("Warning: This folder is not trusted: its own settings are ignored.")
		}
	}
	s := p.Settings()
	if scope, ok := config.ParseScope(c.Value("scope")); ok {
		s = s.ForScope(scope)
	}
	return loaded{p, s}, nil
}

func get(_ context.Context, c *manage.Call, p loaded) (o outcome.Outcome, err error) {
	key, s := c.Name(), p.settings
	v, _ := s.Effective(key)
	if config.IsGroup(key) {
		v, _ = s.Lookup(key)
	} else if _, err := config.Find(key); err != nil {
		return o, err
	}
	if c.Value("scope") != "" {
		v, _ = s.Lookup(key) // one layer, without defaults
	}
	v = config.MaskSecrets(key, v)
	switch text, isText := v.(string); {
	case v == nil && c.Is("json"):
		return o.WithValue(json.RawMessage("null")), nil
	case v == nil:
		return o, exit.Errorf(exit.General, "%s is not set.", key)
	case isText:
		return outcome.New(outcome.Lines(text)).WithValue(v), nil // a value, which may be copied
	}
	return outcome.New(outcome.JSON{Value: v}).WithValue(v), nil
}

func list(_ context.Context, c *manage.Call, p loaded) (outcome.Outcome, error) {
	s := p.settings
	keys := s.SetKeys()
	if c.Is("all") {
		keys = keys[:0]
		for _, key := range config.Keys() {
			keys = append(keys, key.Path)
		}
	}
	type entry struct {
		Value any      `json:"value"`
		From  []string `json:"from"`
	}
	entries := make(map[string]entry, len(keys))
	t := outcome.NewTable(nil, keys, func(key string) []string {
		v, from := s.Effective(key)
		v = config.MaskSecrets(key, v)
		entries[key] = entry{v, append([]string{}, from...)}
		if len(from) == 0 {
			from = []string{"default"}
		}
		return []string{key, Format(v), strings.Join(from, " + ")}
	})
	return outcome.New(t).WithValue(entries), nil
}

// Layer is a settings file.
type Layer struct {
	Scope string `json:"scope"`
	File  string `json:"file"`
	State string `json:"state"`
	Line  int    `json:"line,omitempty"`
	Set   *bool  `json:"set,omitempty"`
	Value any    `json:"value,omitempty"`
}

func path(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	paths, scope, err := target(c)
	if err != nil {
		return o, err
	}
	isOne := c.Value("scope") != ""
	if isOne && !c.Is("json") {
		if paths.File(scope) == "" {
			return o, exit.Errorf(exit.General, "The home directory has no workspace settings. Use the user settings.")
		}
		return outcome.New(outcome.Lines(paths.File(scope))), nil
	}
	// Continue after an error: users need the path of a broken file to fix it.
	p, err := c.Load(ctx)
	if err != nil {
		c.Note(err.Error())
	}
	list := []Layer{}
	for _, l := range config.Files(p.Settings(), paths) {
		if !isOne || l.Scope == scope {
			list = append(list, Layer{Scope: l.Scope.String(), File: l.File, State: l.State})
		}
	}
	return outcome.New(outcome.NewTable(nil, list, func(l Layer) []string {
		return []string{l.Scope, terminal.Visible(l.File), l.State}
	})).WithValue(list), nil
}

// Format returns a value as JSON on one line, or "unset" for nil.
func Format(v any) string {
	if v == nil {
		return "unset"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail: v is a JSON value
	return string(terminal.AppendJSON(nil, []byte(strings.TrimSuffix(b.String(), "\n"))))
}
