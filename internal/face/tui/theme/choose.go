package theme

import (
	"image/color"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pollux/tool/spelling"
)

// Request has everything that the choice of a theme depends on.
type Request struct {
	Name       string         // the setting ui.theme: the name of a theme or the path of a theme file
	Custom     map[string]any // the setting ui.customThemes
	Extensions []Extension
	Home       string // the user's home directory, in which theme files must be
	Dir        string // the directory that relative paths start from

	HasNoColor bool // NO_COLOR is set
	AutoSwitch bool // the setting ui.autoThemeSwitching

	Background color.Color // of the terminal, nil if unknown
	InTmux     bool        // tmux reports a white background if it does not know it
	Scheme     Kind        // the terminal's last report of its color scheme, Plain for none
	ColorFGBG  string      // the environment variable COLORFGBG

	// Current is the name of the active theme, "" until the terminal has answered.
	Current string
}

// Extension has the themes of an extension, in the form of its manifest. Their names get the name of the extension:
// "Night (ext)".
type Extension struct {
	Name   string
	Themes []any
}

// Backgrounds that are darker or lighter than these select the default theme for them. Between them the theme stays.
const (
	darkBelow  = 110
	lightAbove = 140
)

// Choose returns the theme that a request selects, adapted to the background of the terminal, with warnings about the
// theme. An unknown theme is replaced by the default theme for the terminal, and the first warning reports it.
//
// The pair of default themes follows the terminal if the settings name no theme, or one of the pair with auto switching
// on. Without auto switching an active default theme stays.
func Choose(r Request) (Theme, []string) {
	if r.HasNoColor {
		return NoColor(), nil
	}
	if white := (color.RGBA{R: 255, G: 255, B: 255, A: 255}); r.InTmux && isSame(r.Background, white) {
		r.Background = nil
	}
	name := cleanName(r.Name)
	if name == "" || r.AutoSwitch && isDefault(name) {
		return builtin(r.defaultTheme(name)).On(r.Background), nil
	}
	t, warnings := r.find(name, strings.TrimSpace(r.Name))
	if t.Name == "" {
		text := "Theme " + quote(name) + " not found."
		if similar := r.Similar(); similar != "" {
			text += " Did you mean " + quote(similar) + "?"
		}
		warnings = append([]string{text}, warnings...)
		t = builtin(r.defaultTheme(""))
	}
	return t.On(r.Background), warnings
}

// IsMissing reports whether the settings name a theme that does not exist, or that cannot be loaded.
func (r *Request) IsMissing() bool {
	name := cleanName(r.Name)
	if name == "" || r.HasNoColor {
		return false
	}
	t, _ := r.find(name, strings.TrimSpace(r.Name))
	return t.Name == ""
}

// Similar returns the name of the theme that a misspelled name probably means, "" for none.
func (r *Request) Similar() string {
	custom, _ := r.CustomThemes()
	return spelling.Closest(cleanName(r.Name), func(yield func(string) bool) {
		for _, n := range Names(custom...) {
			if !yield(n.Name) {
				return
			}
		}
	})
}

// isDefault reports whether a theme is one of the two default themes.
func isDefault(name string) bool { return name == DefaultDark || name == DefaultLight }

// defaultTheme returns the name of the default theme for the terminal. The setting is the name of a default theme or
// "".
func (r *Request) defaultTheme(setting string) string {
	if !r.AutoSwitch && isDefault(r.Current) {
		return r.Current
	}
	kind := r.Scheme
	if kind == Plain && r.Background != nil {
		switch l := Luminance(r.Background); {
		case l > lightAbove:
			kind = Light
		case l < darkBelow:
			kind = Dark
		}
	}
	switch {
	case kind == Plain && isDefault(r.Current):
		return r.Current
	case kind == Plain && setting != "":
		return setting
	case kind == Plain:
		kind = parseColorFGBG(r.ColorFGBG)
	}
	if kind == Light {
		return DefaultLight
	}
	return DefaultDark
}

// find returns the theme with a name or a path, or the zero Theme.
func (r *Request) find(name, path string) (Theme, []string) {
	if t, ok := Lookup(name); ok {
		return t, nil
	}
	if isPath(path) {
		return LoadFile(r.resolve(path), r.Home)
	}
	for _, key := range slices.Sorted(maps.Keys(r.Custom)) {
		if cleanName(key) == name {
			return Parse(key, r.Custom[key])
		}
	}
	for _, e := range r.Extensions {
		for _, v := range e.Themes {
			if full := e.nameOf(v); full == name {
				return parseAs(full, v)
			}
		}
	}
	return Theme{}, nil
}

// nameOf returns the name of a theme of the extension, "" if it has none.
func (e Extension) nameOf(v any) string {
	object, _ := v.(map[string]any)
	own, _ := object["name"].(string)
	if own = cleanName(own); own == "" {
		return ""
	}
	return own + " (" + cleanName(e.Name) + ")"
}

// isPath reports whether the name of a theme is the path of a file.
func isPath(name string) bool {
	return strings.HasSuffix(name, ".json") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~/") ||
		filepath.IsAbs(name)
}

// resolve returns the path of a theme file from the directories of the request.
func (r *Request) resolve(path string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(r.Home, below)
	}
	if !filepath.IsAbs(path) {
		return filepath.Join(r.Dir, path)
	}
	return path
}
