package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/telemetry"
	"pollux/internal/terminal"
	"pollux/tool"
)

// set writes a setting to a settings file.
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

// unset removes a setting from a settings file.
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

// target returns the scope of the call, by default the user's, and the paths of all settings
// files.
func target(c *manage.Call) (*config.Paths, config.Scope, error) {
	paths, err := c.Paths()
	scope, ok := config.ParseScope(c.Value("scope"))
	if !ok {
		scope = config.User
	}
	return paths, scope, err
}

// EditorCommand returns the command about the editor.
func EditorCommand() *manage.Command {
	return manage.SessionOnly(&manage.Command{Name: "editor", Args: "[name]", Summary: "Choose the editor for prompts and proposed changes", Run: chooseEditor})
}

// chooseEditor sets the user's preferred editor. It asks the user without a name, and removes the setting if the name
// is "none".
func chooseEditor(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	const none = "none"
	id, key := c.Text, string(config.PreferredEditor)
	if id == "" {
		if !c.HasPerson() {
			return outcome.Outcome{}, manage.NeedsPerson("editor", "Name an editor, as in: /editor vim")
		}
		current := config.PreferredEditor.In(c.Live.Project.Settings())
		options := []tool.Option{{Label: none, Description: "$VISUAL, $EDITOR or vi"}}
		for _, id := range editor.IDs() {
			if checkEditor(c, id) == nil {
				options = append(options, tool.Option{Label: id})
			}
		}
		question := "Which editor do you want to use? The list contains installed editors only."
		if current != "" {
			question = "Editor: " + current + ". " + question
		}
		var err error
		if id, err = c.Choose(ctx, person.Choice{Header: "Editor", Text: question, Free: "another name", Options: options}); err != nil || id == "" {
			return outcome.Textf("The editor is unchanged."), err
		}
	}
	switch {
	case id == none:
		return unsetKey(c, key)
	case !slices.Contains(editor.IDs(), id):
		return manage.Misuse("Editor '%s' is not a recognized editor identifier. Supported editors: %s", terminal.Cut(id, 40), strings.Join(editor.IDs(), ", "))
	}
	if err := c.Save(key, id); err != nil {
		return outcome.Outcome{}, err
	}
	text := "Editor: " + id + "."
	if err := checkEditor(c, id); err != nil {
		text += " " + err.Error()
	}
	return manage.Say("%s", text)
}

// checkEditor returns an error if the editor called id cannot be used. It ignores
// [editor.ErrNoEditor].
func checkEditor(c *manage.Call, id string) error {
	err := editor.New(editor.Options{Preferred: id, Launcher: c.Live.Project.Launcher, Environ: c.Live.Project.Options.Env.List()}).Check()
	if errors.Is(err, editor.ErrNoEditor) {
		return nil
	}
	return err
}
