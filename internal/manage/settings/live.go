package settings

import (
	"context"
	"fmt"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

// listLive lists the settings that have a value, and the source of each value.
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

// getLive shows the value, the source and the documentation of a setting.
func getLive(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	key := c.Text
	if key == "" {
		return o, exit.Errorf(exit.Input, "Enter a setting, such as /settings get model.name")
	}
	e, err := config.Explain(c.Live.Project.Settings(), c.Live.Project.Paths, key)
	if err != nil {
		return o, exit.Errorf(exit.Input, "%w", err)
	}
	from := strings.Join(e.From, " + ")
	if from == "" {
		from = "default"
	}
	text := fmt.Sprintf("%s = %s (%s)\n\n%s", key, Format(config.MaskSecrets(key, e.Value)), from, e.Key.Doc)
	if sentence := e.Key.Support.Explain(); sentence != "" {
		text += " " + sentence
	}
	return outcome.New(outcome.Text(text)), nil
}

// setLive writes a setting to the user's settings file.
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

// unsetLive removes a setting from the user's settings file.
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
	if row, err := config.Find(key); err == nil && row.Support.Explain() != "" {
		return outcome.New(outcome.Text(text + " " + row.Support.Explain())), nil
	}
	return outcome.New(outcome.Text(text + " Takes effect the next time you start Pollux.")), nil
}
