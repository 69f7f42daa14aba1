package slash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/terminal"
	"pollux/tool"
)

// settingsList lists the settings that have a value, and the source of each value.
func settingsList(_ context.Context, s *Runner, _ string) (Result, error) {
	keys := s.Session.Project.Settings().SetKeys()
	if len(keys) == 0 {
		return textResult("All settings have their default values. To change one, run /settings set <key> <value>.")
	}
	rows := make([][]string, len(keys))
	for i, key := range keys {
		v, from := s.Session.Project.Settings().Effective(key)
		rows[i] = []string{key, terminal.Cut(oneLineJSON(config.MaskSecrets(key, v)), 200), strings.Join(from, " + ")}
	}
	return textResult("%s\nYour settings file: %s", s.formatTable(nil, rows...), s.Session.Project.Paths.Display(s.Session.Project.Settings().UserFile()))
}

// settingsGet shows the value, the source and the documentation of a setting.
func settingsGet(_ context.Context, s *Runner, key string) (Result, error) {
	if key == "" {
		return usageError("Enter a setting, such as /settings get model.name")
	}
	e, err := config.Explain(s.Session.Project.Settings(), s.Session.Project.Paths, key)
	if err != nil {
		return usageError("%w", err)
	}
	from := strings.Join(e.From, " + ")
	if from == "" {
		from = "default"
	}
	text := fmt.Sprintf("%s = %s (%s)\n\n%s", key, oneLineJSON(config.MaskSecrets(key, e.Value)), from, e.Key.Doc)
	if sentence := e.Key.Support.Explain(); sentence != "" {
		text += " " + sentence
	}
	return Result{Text: text}, nil
}

// settingsSet writes a setting to the user's settings file.
func settingsSet(_ context.Context, s *Runner, args string) (Result, error) {
	key, value := cutWord(args)
	if value == "" {
		return usageError("Enter a setting and a value, such as /settings set model.name gemini-2.5-pro")
	}
	v, err := config.ParseValue(key, value, s.Session.Project.Env)
	if err != nil {
		return usageError("%w", err)
	}
	if err := s.Session.Project.Paths.Set(config.User, key, v); err != nil {
		return Result{}, err
	}
	return s.settingChanged(key, fmt.Sprintf("Set %s to %s in %s.", key, oneLineJSON(config.MaskSecrets(key, v)), s.Session.Project.Paths.UserSettings()))
}

// settingsUnset removes a setting from the user's settings file.
func settingsUnset(_ context.Context, s *Runner, key string) (Result, error) {
	if key == "" {
		return usageError("Enter a setting, such as /settings unset model.name")
	}
	if _, err := config.Find(key); err != nil {
		return usageError("%w", err)
	}
	found, err := s.Session.Project.Paths.Unset(config.User, key)
	if err != nil {
		return Result{}, err
	}
	if !found {
		return textResult("%s is not set in %s.", key, s.Session.Project.Paths.UserSettings())
	}
	return s.settingChanged(key, fmt.Sprintf("Removed %s from %s.", key, s.Session.Project.Paths.UserSettings()))
}

// settingChanged reloads the settings after a change of key. It returns text and a sentence
// that explains when the change takes effect, or why it has no effect.
func (s *Runner) settingChanged(key, text string) (Result, error) {
	if err := s.Session.Project.Reload(); err != nil {
		return Result{}, err
	}
	if row, err := config.Find(key); err == nil && row.Support.Explain() != "" {
		return Result{Text: text + " " + row.Support.Explain()}, nil
	}
	return Result{Text: text + " Takes effect the next time you start Pollux."}, nil
}

// oneLineJSON returns v as JSON on one line, or "unset" for nil.
func oneLineJSON(v any) string {
	if v == nil {
		return "unset"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail: values parsed from JSON can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// chooseEditor sets the user's preferred editor. It asks the user if id is empty, and
// removes the setting if id is "none".
func chooseEditor(ctx context.Context, s *Runner, id string) (Result, error) {
	const none = "none"
	key := string(config.PreferredEditor)
	if id == "" {
		if s.Session.Project.Options.Asker == nil {
			return Result{}, needsPerson("editor", "Name an editor, as in: /editor vim")
		}
		current := config.PreferredEditor.In(s.Session.Project.Settings())
		options := []tool.Option{{Label: none, Description: "$VISUAL, $EDITOR or vi"}}
		for _, id := range editor.IDs() {
			if s.checkEditor(id) == nil {
				options = append(options, tool.Option{Label: id})
			}
		}
		question := "Which editor do you want to use? The list contains installed editors only."
		if current != "" {
			question = "Editor: " + current + ". " + question
		}
		var err error
		if id, err = s.choose(ctx, "Editor", question, "another name", options...); err != nil || id == "" {
			return Result{Text: "The editor is unchanged."}, err
		}
	}
	switch {
	case id == none:
		return settingsUnset(ctx, s, key)
	case !slices.Contains(editor.IDs(), id):
		return usageError("Editor '%s' is not a recognized editor identifier. Supported editors: %s", terminal.Cut(id, 40), strings.Join(editor.IDs(), ", "))
	}
	if err := s.Session.Project.Paths.Set(config.User, key, id); err != nil {
		return Result{}, err
	}
	if err := s.Session.Project.Reload(); err != nil {
		return Result{}, err
	}
	text := "Editor: " + id + "."
	if err := s.checkEditor(id); err != nil {
		text += " " + err.Error()
	}
	return Result{Text: text}, nil
}

// checkEditor returns an error if the editor called id cannot be used. It ignores
// [editor.ErrNoEditor].
func (s *Runner) checkEditor(id string) error {
	err := editor.New(editor.Options{Preferred: id, Launcher: s.Session.Project.Launcher, Environ: s.Session.Project.Env.List()}).Check()
	if errors.Is(err, editor.ErrNoEditor) {
		return nil
	}
	return err
}
