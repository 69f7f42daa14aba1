package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"pollux/internal/config"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/telemetry"
)

func set(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	key, text := c.Words[0], c.Words[1]
	v, err := config.ParseValue(key, text, c.Options.Env)
	if err != nil {
		return o, err
	}
	paths, scope, err := target(c)
	if err != nil {
		return o, err
	}
	if err := change(ctx, c, scope, func() error { return paths.Set(scope, key, v) }); err != nil {
		return o, err
	}
	shown := config.MaskSecrets(key, v)
	o = outcome.Textf("Set %s to %s in %s", key, Format(shown), paths.Display(paths.File(scope)))
	o.Notes = notesAfterSet(ctx, c, key, scope, text, v)
	return o.WithValue(map[string]any{"key": key, "value": shown, "scope": scope.String(), "file": paths.File(scope)}), nil
}

// notesAfterSet returns notes about a key that was just set: for example, that the key has no effect yet, or that
// another value has priority.
func notesAfterSet(ctx context.Context, c *manage.Call, key string, scope config.Scope, text string, v any) (notes []string) {
	note := func(format string, args ...any) {
		notes = append(notes, fmt.Sprintf("Note: "+format, args...))
	}
	if _, isText := v.(string); isText && strings.ContainsAny(text[:min(len(text), 1)], `{["`) && !json.Valid([]byte(text)) {
		note("the value is not JSON: it was taken as a string.")
	}
	row, err := config.Find(key)
	if err != nil {
		return notes
	}
	if sentence := row.Support.Explain(); sentence != "" {
		note("%s", sentence)
	}
	p, err := loadQuietly(ctx, c) // no warnings about other settings
	if err != nil {
		return append(notes, err.Error())
	}
	if _, err := telemetry.Resolve(p.Settings(), p.Env()); err != nil && row.Path == string(config.Telemetry) {
		note("no run begins like this. %v", err) // ParseValue does not check the fields of telemetry
	}
	if scope == config.Workspace && !p.IsTrusted() {
		note("this folder is not trusted: its settings are ignored.")
		return notes
	}
	if value := variable(c, row, key); value != "" {
		note("%s is set and wins over all files.", row.Variable())
		return notes
	}
	if _, from := p.Settings().Effective(key); len(from) > 0 && from[len(from)-1] != scope.String() && len(from) == 1 {
		note("the %s settings have another value, which wins.", from[0])
	}
	return notes
}

// change runs edit, which changes the settings of a scope.
func change(ctx context.Context, c *manage.Call, scope config.Scope, edit func() error) error {
	if scope != config.Workspace {
		return edit()
	}
	p, err := loadQuietly(ctx, c)
	if err != nil {
		return edit() // it may repair them
	}
	return p.ChangeSettings(scope, edit)
}

// loadQuietly reads the settings without warnings.
func loadQuietly(ctx context.Context, c *manage.Call) (*project.Project, error) {
	quiet := *c
	quiet.Options.Warn = nil
	return quiet.Load(ctx)
}

func unset(ctx context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	key := c.Name()
	if _, err := config.Find(key); err != nil {
		return o, err
	}
	paths, scope, err := target(c)
	if err != nil {
		return o, err
	}
	var found bool
	err = change(ctx, c, scope, func() (err error) {
		found, err = paths.Unset(scope, key)
		return err
	})
	if err != nil {
		return o, err
	}
	o = outcome.Textf("Removed %s from %s", key, paths.Display(paths.File(scope)))
	if !found {
		o = outcome.Textf("%s is not set in %s", key, paths.Display(paths.File(scope)))
	}
	return o.WithValue(map[string]any{"key": key, "removed": found, "scope": scope.String(), "file": paths.File(scope)}), nil
}

// target returns the scope of the call, by default the user's, and the paths of all settings files.
func target(c *manage.Call) (*config.Paths, config.Scope, error) {
	paths, err := c.Paths()
	scope, ok := config.ParseScope(c.Value("scope"))
	if !ok {
		scope = config.User
	}
	return paths, scope, err
}
