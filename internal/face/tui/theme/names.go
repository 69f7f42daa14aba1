package theme

import (
	"cmp"
	"image/color"
	"maps"
	"slices"
	"strings"
)

// Name is an entry of a list of themes.
type Name struct {
	Name     string
	Kind     Kind
	IsCustom bool
}

// Names returns the names of the built-in themes and of these custom themes: first the dark ones, then the light ones,
// then the custom ones, each in the order of their names. Of custom themes with the same name, or the name of a
// built-in theme, only the first can be selected and is in the list.
func Names(custom ...Theme) (names []Name) {
	for _, table := range [...]func() []row{darkRows, lightRows} {
		for _, r := range table() {
			names = append(names, Name{Name: r.name, Kind: r.kind})
		}
	}
	isListed := map[string]bool{}
	for _, n := range names {
		isListed[n.Name] = true
	}
	own := len(names)
	for _, t := range custom {
		if !isListed[t.Name] {
			isListed[t.Name] = true
			names = append(names, Name{Name: t.Name, Kind: t.Kind, IsCustom: true})
		}
	}
	slices.SortFunc(names[own:], func(a, b Name) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return names
}

// Matches reports whether the theme is made for a terminal with this background. Each theme matches an unknown (nil)
// background.
func (n Name) Matches(background color.Color) bool {
	return background == nil || n.Kind == Plain || n.Kind == KindOf(background)
}

// CustomThemes returns the valid themes of the settings and of the extensions, with the warnings about all of them.
func (r *Request) CustomThemes() (themes []Theme, warnings []string) {
	add := func(t Theme, w []string) {
		warnings = append(warnings, w...)
		if t.Name != "" {
			themes = append(themes, t)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Custom)) {
		add(Parse(name, r.Custom[name]))
	}
	for _, e := range r.Extensions {
		for _, v := range e.Themes {
			name := e.nameOf(v)
			if name == "" {
				warnings = append(warnings, "Extension "+quote(e.Name)+": a theme has no name.")
				continue
			}
			add(parseAs(name, v))
		}
	}
	return themes, warnings
}
