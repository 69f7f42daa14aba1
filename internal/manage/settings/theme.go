package settings

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/extension"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// ThemeCommand returns the command that chooses the colors of the interactive screen.
func ThemeCommand() *manage.Command {
	return manage.SessionOnly(&manage.Command{
		Name: "theme", Args: "[name]", Summary: "List color themes, or choose one", Run: chooseTheme, NeedsPerson: true,
		Instead: "Run pollux config set ui.theme NAME.",
	})
}

// builtinTheme is a theme of Pollux, whose colors the interactive screen has.
type builtinTheme struct {
	name    string
	isLight bool
}

var builtinThemes = [...]builtinTheme{
	{"ANSI", false},
	{"Atom One", false},
	{"Ayu", false},
	{"Default", false},
	{"Dracula", false},
	{"GitHub", false},
	{"GitHub Dark Colorblind", false},
	{"Holiday", false},
	{"Shades Of Purple", false},
	{"Solarized Dark", false},
	{"Tokyo Night", false},
	{"ANSI Light", true},
	{"Ayu Light", true},
	{"Default Light", true},
	{"GitHub Light", true},
	{"GitHub Light Colorblind", true},
	{"Google Code", true},
	{"Solarized Light", true},
	{"Xcode", true},
}

// themeNames returns the names of the built-in themes, then those of the settings, then those of the extensions.
func themeNames(p *project.Project) (names []string) {
	for _, t := range builtinThemes {
		names = append(names, t.name)
	}
	custom, _ := p.Settings().Lookup(string(config.CustomThemes))
	own, _ := custom.(map[string]any)
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(own)), extensionThemes(p.Extensions())) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// extensionThemes returns the names of the extensions' themes, such as "Night (ext)". A theme without a name has none.
func extensionThemes(list []*extension.Extension) (names []string) {
	for _, e := range list {
		for _, v := range e.Themes {
			object, _ := v.(map[string]any)
			if name, _ := object["name"].(string); strings.TrimSpace(name) != "" {
				names = append(names, strings.TrimSpace(name)+" ("+e.Name+")")
			}
		}
	}
	return names
}

// chooseTheme sets the theme in the user's settings. Without a name it lists the themes.
func chooseTheme(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	p := c.Live.Project
	if p.Options.Env.Get("NO_COLOR") != "" {
		return manage.Misuse("Theme configuration unavailable due to NO_COLOR env variable.")
	}
	names := themeNames(p)
	if c.Text == "" {
		return listThemes(names, config.ThemeName.In(p.Settings())), nil
	}
	name := c.Text
	if i := slices.IndexFunc(names, func(n string) bool { return strings.EqualFold(n, name) }); i >= 0 {
		name = names[i]
	} else if !isThemeFile(p.Paths, name) {
		return manage.Misuse("Theme %q not found. /theme lists the themes.", terminal.Cut(terminal.Line(name), 60))
	}
	key := string(config.ThemeName)
	if err := p.Paths.Set(config.User, key, name); err != nil {
		return o, err
	}
	if o, err = changed(c, key, "Theme: "+terminal.Line(name)+"."); err != nil {
		return o, err
	}
	if why := overruled(c, key, config.User); why != "" {
		o.Parts = append(o.Parts, outcome.Text(why))
	}
	return o, nil
}

// isThemeFile reports whether a name is the path of a JSON file.
func isThemeFile(paths *config.Paths, name string) bool {
	info, err := os.Stat(paths.Absolute(name))
	return err == nil && info.Mode().IsRegular() && filepath.Ext(name) == ".json"
}

// listThemes lists themes by their names. The current one is marked.
func listThemes(names []string, current string) outcome.Outcome {
	t := outcome.NewTable(nil, names, func(name string) []string {
		mark, kind := "  ", "custom"
		if name == current {
			mark = "* "
		}
		if i := slices.IndexFunc(builtinThemes[:], func(t builtinTheme) bool { return t.name == name }); i >= 0 {
			kind = map[bool]string{true: "light", false: "dark"}[builtinThemes[i].isLight]
		}
		return []string{mark + terminal.Line(name), kind}
	})
	note := "/theme <name> chooses another one."
	switch {
	case current == "":
		note = "No theme is set: Pollux takes Default or Default Light, as the background of the terminal. /theme <name> chooses one."
	case !slices.Contains(names, current):
		note = "The current theme is " + terminal.Cut(terminal.Line(current), 200) + ". " + note
	}
	return outcome.New(outcome.Text("Themes:"), t, outcome.Text(note))
}
