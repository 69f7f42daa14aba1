package settings

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/project"
	"pollux/internal/telemetry"
	"pollux/internal/terminal"
	"pollux/tool"
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

// EditorCommand returns the command about the editor.
func EditorCommand() *manage.Command {
	return manage.SessionOnly(&manage.Command{Name: "editor", Args: "[name]", Summary: "Choose the editor for prompts and proposed changes", Run: chooseEditor})
}

// chooseEditor sets the user's preferred editor. Without a name it asks; the name "none" removes the setting.
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

// checkEditor returns an error if the editor called id cannot be used. It ignores [editor.ErrNoEditor].
func checkEditor(c *manage.Call, id string) error {
	err := editor.New(editor.Options{Preferred: id, Launcher: c.Live.Project.Launcher, Environ: c.Live.Project.Options.Env.List()}).Check()
	if errors.Is(err, editor.ErrNoEditor) {
		return nil
	}
	return err
}

func listLive(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	keys := c.Live.Project.Settings().SetKeys()
	if len(keys) == 0 {
		return outcome.Textf("All settings have their default values. To change one, run /settings set <key> <value>."), nil
	}
	t := outcome.NewTable(nil, keys, func(key string) []string {
		v, from := c.Live.Project.Settings().Effective(key)
		return []string{key, terminal.Cut(Format(config.MaskSecrets(key, v)), 200), strings.Join(from, " + ")}
	})
	return outcome.New(t, outcome.Text("Your settings file: "+c.Live.Project.Paths.Display(c.Live.Project.Settings().UserFile()))), nil
}

func getLive(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	key := c.Text
	if key == "" {
		return o, exit.Errorf(exit.Input, "Enter a setting, such as /settings get model.name")
	}
	e, err := config.Explain(c.Live.Project.Settings(), c.Live.Project.Paths, key)
	if err != nil {
		return o, exit.Errorf(exit.Input, "%w", err)
	}
	from := cmp.Or(strings.Join(e.From, " + "), "default")
	text := fmt.Sprintf("%s = %s (%s)\n\n%s", key, Format(config.MaskSecrets(key, e.Value)), from, e.Key.Doc)
	if sentence := e.Key.Support.Explain(); sentence != "" {
		text += " " + sentence
	}
	return outcome.New(outcome.Text(text)), nil
}

func setLive(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	key, value := manage.CutWord(c.Text)
	if value == "" {
		return o, exit.Errorf(exit.Input, "Enter a setting and a value, such as /settings set model.name gemini-2.5-pro")
	}
	v, err := config.ParseValue(key, value, c.Live.Project.Options.Env)
	if err != nil {
		return o, exit.Errorf(exit.Input, "%w", err)
	}
	if err := c.Live.Project.Paths.Set(config.User, key, v); err != nil {
		return o, err
	}
	return changed(c, key, fmt.Sprintf("Set %s to %s in %s.", key, Format(config.MaskSecrets(key, v)), c.Live.Project.Paths.UserSettings()))
}

func unsetLive(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	if c.Text == "" {
		return manage.Misuse("Enter a setting, such as /settings unset model.name")
	}
	if _, err := config.Find(c.Text); err != nil {
		return manage.Misuse("%w", err)
	}
	return unsetKey(c, c.Text)
}

func unsetKey(c *manage.Call, key string) (o outcome.Outcome, err error) {
	found, err := c.Live.Project.Paths.Unset(config.User, key)
	if err != nil {
		return o, err
	}
	if !found {
		return outcome.Textf("%s is not set in %s.", key, c.Live.Project.Paths.UserSettings()), nil
	}
	return changed(c, key, fmt.Sprintf("Removed %s from %s.", key, c.Live.Project.Paths.UserSettings()))
}

// changed reloads the settings after a change of key. It returns text and a sentence
// that explains when the change takes effect, or why it has no effect.
func changed(c *manage.Call, key, text string) (o outcome.Outcome, err error) {
	if err := c.Live.Project.Reload(); err != nil {
		return o, err
	}
	row, err := config.Find(key)
	switch {
	case err == nil && row.Support.Explain() != "":
		return outcome.New(outcome.Text(text + " " + row.Support.Explain())), nil
	case err == nil && row.Flags&config.AtOnce != 0:
		return outcome.New(outcome.Text(text)), nil
	}
	return outcome.New(outcome.Text(text + " Takes effect the next time you start Pollux.")), nil
}
