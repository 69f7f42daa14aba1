package settings

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
)

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
	scope, text, err := cutScope(c.Text)
	if err != nil {
		return o, err
	}
	key, value := manage.CutWord(text)
	if value == "" {
		return o, exit.Errorf(exit.Input, "Enter a setting and a value, such as /settings set model.name gemini-2.5-pro")
	}
	v, err := config.ParseValue(key, value, c.Live.Project.Options.Env)
	if err != nil {
		return o, exit.Errorf(exit.Input, "%w", err)
	}
	paths := c.Live.Project.Paths
	if err := c.Live.Project.ChangeSettings(scope, func() error { return paths.Set(scope, key, v) }); err != nil {
		return o, err
	}
	if o, err = changed(c, key, fmt.Sprintf("Set %s to %s in %s.", key, Format(config.MaskSecrets(key, v)), paths.File(scope))); err != nil {
		return o, err
	}
	if why := overruled(c, key, scope); why != "" {
		o.Parts = append(o.Parts, outcome.Text(why))
	}
	return o, nil
}

// cutScope returns the scope that a text for /settings begins with, by default the user's, and the rest.
func cutScope(text string) (config.Scope, string, error) {
	word, rest := manage.CutWord(text)
	name, ok := strings.CutPrefix(word, scopeFlag)
	if !ok {
		return config.User, text, nil
	}
	scope, ok := config.ParseScope(name)
	if !ok {
		return scope, "", exit.Errorf(exit.Input, "Unknown scope %q. Choose user, workspace or system.", terminal.Cut(terminal.Visible(name), 40))
	}
	return scope, rest, nil
}

const scopeFlag = "--scope="

// overruled returns the reason for which the value of a key in the settings of a scope does not count, "" if it counts.
func overruled(c *manage.Call, key string, scope config.Scope) string {
	p := c.Live.Project
	if scope == config.Workspace && !p.IsTrusted() {
		return "This folder is not trusted: its settings are ignored."
	}
	if _, from := p.Settings().Effective(key); len(from) == 1 && from[0] != scope.String() {
		return "The " + from[0] + " settings have another value, which wins."
	}
	return ""
}

func unsetLive(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	scope, key, err := cutScope(c.Text)
	if err != nil {
		return outcome.Outcome{}, err
	}
	if key == "" {
		return manage.Misuse("Enter a setting, such as /settings unset model.name")
	}
	if _, err := config.Find(key); err != nil {
		return manage.Misuse("%w", err)
	}
	return unsetKey(c, scope, key)
}

func unsetKey(c *manage.Call, scope config.Scope, key string) (o outcome.Outcome, err error) {
	found, paths := false, c.Live.Project.Paths
	err = c.Live.Project.ChangeSettings(scope, func() (err error) {
		found, err = paths.Unset(scope, key)
		return err
	})
	if err != nil {
		return o, err
	}
	if !found {
		return outcome.Textf("%s is not set in %s.", key, paths.File(scope)), nil
	}
	return changed(c, key, fmt.Sprintf("Removed %s from %s.", key, paths.File(scope)))
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
