package theme

import "image/color"

// usage says how a key of a custom theme is read.
type usage int

const (
	isUnknown usage = iota
	isColor
	isColorList
	isIgnored
)

// usageOf returns the usage of a key of a custom theme.
func usageOf(key string) usage {
	switch key {
	case "text.primary", "text.secondary", "text.link", "text.accent", "text.response",
		"background.primary", "background.diff.added", "background.diff.removed",
		"border.default",
		"ui.comment", "ui.symbol", "ui.active", "ui.focus",
		"status.error", "status.success", "status.warning",
		"Background", "Foreground", "LightBlue", "AccentBlue", "AccentPurple", "AccentCyan", "AccentGreen",
		"AccentYellow", "AccentRed", "DiffAdded", "DiffRemoved", "Comment", "Gray", "DarkGray":
		return isColor
	case "ui.gradient", "GradientColors":
		return isColorList
	case "name", "type", "border.focused":
		return isIgnored
	}
	return isUnknown
}

// isSection reports whether a key of a custom theme is an object with more keys.
func isSection(key string) bool {
	switch key {
	case "text", "background", "background.diff", "border", "ui", "status":
		return true
	}
	return false
}

// first returns the color of the first of these keys that the theme has, or the other color.
func (p *parser) first(other color.Color, keys ...string) color.Color {
	for _, key := range keys {
		if c, ok := p.colors[key]; ok {
			return c
		}
	}
	return other
}

// palette returns the colors by name. The color of links is the one of all blue text.
func (p *parser) palette(base palette) palette {
	c := palette{
		background: p.first(base.background, "background.primary", "Background"),
		foreground: p.first(base.foreground, "text.primary", "Foreground"),
		comment:    p.first(base.comment, "ui.comment", "Comment"),
		gray:       p.first(base.gray, "text.secondary", "Gray"),
		light:      p.first(base.light, "text.link", "LightBlue"),
		blue:       p.first(base.blue, "text.link", "AccentBlue"),
		purple:     p.first(base.purple, "text.accent", "AccentPurple"),
		cyan:       p.first(base.cyan, "text.link", "AccentCyan"),
		green:      p.first(base.green, "status.success", "AccentGreen"),
		yellow:     p.first(base.yellow, "status.warning", "AccentYellow"),
		red:        p.first(base.red, "status.error", "AccentRed"),
		added:      p.first(base.added, "background.diff.added", "DiffAdded"),
		removed:    p.first(base.removed, "background.diff.removed", "DiffRemoved"),
		edge:       p.first(base.edge, "border.default", "DarkGray"),
		focus:      p.first(base.focus, "ui.focus", "AccentGreen"),
		gradient:   base.gradient,
	}
	for _, key := range []string{"GradientColors", "ui.gradient"} {
		if list, ok := p.lists[key]; ok {
			c.gradient = list
		}
	}
	return c
}

// theme returns the custom theme. Its background decides on its kind.
func (p *parser) theme(name string) Theme {
	base := defaultPalette()
	c := p.palette(base)
	t := Theme{Name: name, Kind: KindOf(c.background), Colors: c.colors(), gray: c.gray, syntax: c.syntax(usualCode)}
	if t.Kind == Plain { // the default background of the terminal
		t.Kind = Dark
	}
	m := &t.Colors
	m.Response = p.first(m.Primary, "text.response")
	m.Symbol = p.first(c.gray, "ui.symbol")
	m.Active = p.first(c.blue, "ui.active")
	m.Comment = c.comment
	m.Selection = mix(c.background, c.green, selectionShare)
	return t
}

// defaultPalette returns the colors by name of the default theme.
func defaultPalette() palette {
	for _, r := range darkRows() {
		if r.name == DefaultDark {
			return r.palette()
		}
	}
	return palette{}
}
