package slash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/editor/external"
	"pollux/tool"
)

func settingsList(_ context.Context, s *Session, _ string) (Result, error) {
	keys := s.Current().Set()
	if len(keys) == 0 {
		return say("Nothing is set: all settings have their defaults. /settings set <key> <value> sets one.")
	}
	rows := make([][]string, len(keys))
	for i, key := range keys {
		v, from := s.Current().Effective(key)
		rows[i] = []string{key, cut(asJSON(config.Masked(key, v)), 200), strings.Join(from, " + ")}
	}
	return say("%s\nYour own file is %s.", table(rows...), s.Current().UserFile())
}

func settingsGet(_ context.Context, s *Session, key string) (Result, error) {
	if key == "" {
		return fail("Name a setting, as in: /settings get model.name")
	}
	e, err := config.Explain(s.Current(), s.Paths, key)
	if err != nil {
		return Result{}, err
	}
	from := strings.Join(e.From, " + ")
	if from == "" {
		from = "default"
	}
	text := fmt.Sprintf("%s = %s (%s)\n\n%s", key, asJSON(config.Masked(key, e.Value)), from, e.Key.Doc)
	if sentence := e.Key.Support.Explain(); sentence != "" {
		text += " " + sentence
	}
	return Result{Text: text}, nil
}

func settingsSet(_ context.Context, s *Session, args string) (Result, error) {
	key, value := next(args)
	if value == "" {
		return fail("Name a setting and its value, as in: /settings set model.name gemini-2.5-pro")
	}
	v, err := config.ParseValue(key, value, s.Env)
	if err != nil {
		return Result{}, err
	}
	if err := s.Paths.Set(config.User, key, v); err != nil {
		return Result{}, err
	}
	return s.changed(key, fmt.Sprintf("Set %s to %s in %s.", key, asJSON(config.Masked(key, v)), s.Paths.UserSettings()))
}

func settingsUnset(_ context.Context, s *Session, key string) (Result, error) {
	if key == "" {
		return fail("Name a setting, as in: /settings unset model.name")
	}
	if _, err := config.Find(key); err != nil {
		return Result{}, err
	}
	found, err := s.Paths.Unset(config.User, key)
	if err != nil {
		return Result{}, err
	}
	if !found {
		return say("%s is not set in %s.", key, s.Paths.UserSettings())
	}
	return s.changed(key, fmt.Sprintf("Removed %s from %s.", key, s.Paths.UserSettings()))
}

// changed is the result of a change to the user's settings.
func (s *Session) changed(key, text string) (Result, error) {
	if err := s.reload(); err != nil {
		return Result{}, err
	}
	if row, err := config.Find(key); err == nil && row.Support.Explain() != "" {
		return Result{Text: text + " " + row.Support.Explain()}, nil
	}
	return Result{Text: text + " It counts from the next start."}, nil
}

// asJSON writes a value on one line.
func asJSON(v any) string {
	if v == nil {
		return "unset"
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // JSON's own shapes always can be
	return strings.TrimSuffix(b.String(), "\n")
}

// chooseEditor keeps which editor the person wants (spec/tui.md §2.6).
func chooseEditor(ctx context.Context, s *Session, id string) (Result, error) {
	const none = "none"
	key := string(config.PreferredEditor)
	if id == "" {
		if s.Ask == nil {
			return Result{}, errScreen
		}
		now := config.PreferredEditor.In(s.Current())
		options := []tool.Option{{Label: none, Description: "what VISUAL and EDITOR name"}}
		for _, id := range external.IDs() {
			if s.editor(id) == nil {
				options = append(options, tool.Option{Label: id})
			}
		}
		question := "Which editor do you want? Those that are not installed are left out."
		if now != "" {
			question = "Your editor is " + now + ". " + question
		}
		var err error
		if id, err = s.choose(ctx, "Editor", question, true, options...); err != nil || id == "" {
			return Result{Text: "Nothing was changed."}, err
		}
	}
	switch {
	case id == none:
		return settingsUnset(ctx, s, key)
	case !slices.Contains(external.IDs(), id):
		return fail("Editor '%s' is not a recognized editor identifier. Supported editors: %s", cut(id, 40), strings.Join(external.IDs(), ", "))
	}
	if err := s.Paths.Set(config.User, key, id); err != nil {
		return Result{}, err
	}
	if err := s.reload(); err != nil {
		return Result{}, err
	}
	text := "Your editor is " + id + "."
	if err := s.editor(id); err != nil {
		text += " " + err.Error()
	}
	return Result{Text: text}, nil
}

// editor says why an editor cannot be used, nil if it can.
func (s *Session) editor(id string) error {
	err := external.New(external.Options{Preferred: id, Environ: s.Env.List()}).Check()
	if errors.Is(err, external.ErrNone) {
		return nil
	}
	return err
}
