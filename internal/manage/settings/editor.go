package settings

import (
	"context"
	"errors"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/editor"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/person"
	"pollux/internal/terminal"
	"pollux/tool"
)

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
		return unsetKey(c, config.User, key)
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
