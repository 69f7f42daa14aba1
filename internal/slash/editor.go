package slash

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/manage/settings"
	"pollux/internal/terminal"
	"pollux/tool"
)

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
		return s.runNoun(ctx, settings.Unset, key)
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
	err := editor.New(editor.Options{Preferred: id, Launcher: s.Session.Project.Launcher, Environ: s.Session.Project.Options.Env.List()}).Check()
	if errors.Is(err, editor.ErrNoEditor) {
		return nil
	}
	return err
}
