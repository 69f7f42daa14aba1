package theme

import (
	"image/color"
	"strings"

	"pollux/internal/face/tui/highlight"
)

// row is a built-in theme in the form of the tables. Colors are separated by spaces, in the syntax of [ParseColor]; "-"
// is the default color of the terminal.
type row struct {
	name     string
	kind     Kind
	base     string // background, foreground, comments, gray
	accents  string // light blue, blue, purple, cyan, green, yellow, red
	diff     string // backgrounds of added and removed lines
	gradient string

	edge  string // "" for half gray, half background
	focus string // "" for green
	code  string // the colors of code; see [usualCode]

	// Colors by meaning that do not follow from those above.
	boxes  string // backgrounds of messages, the input box and the selection
	symbol string
	accent string
	like   string // a theme whose colors are those of everything but code; symbols are gray, comments as in code
}

// Lookup returns a built-in theme by its name, other than [NoColor], which only NO_COLOR selects.
func Lookup(name string) (Theme, bool) {
	for _, table := range [...]func() []row{darkRows, lightRows} {
		for _, r := range table() {
			if r.name == name {
				return r.theme(), true
			}
		}
	}
	return Theme{}, false
}

// builtin returns a built-in theme that is known to exist.
func builtin(name string) Theme {
	t, _ := Lookup(name)
	return t
}

// theme builds the theme of the row.
func (r row) theme() Theme {
	p := r.palette()
	t := Theme{Name: r.name, Kind: r.kind, Colors: p.colors(), gray: p.gray, syntax: p.syntax(r.code)}
	c := &t.Colors
	if r.like != "" {
		model := builtin(r.like)
		*c, t.gray = model.Colors, model.gray
		c.Symbol, c.Comment = model.gray, model.syntax[highlight.Comment]
	}
	if r.boxes != "" {
		assign(r.boxes, &c.Message, &c.Input, &c.Selection)
	}
	if r.symbol != "" {
		assign(r.symbol, &c.Symbol)
	}
	if r.accent != "" {
		assign(r.accent, &c.Accent)
	}
	return t
}

// palette returns the colors of the row.
func (r row) palette() (p palette) {
	assign(r.base, &p.background, &p.foreground, &p.comment, &p.gray)
	assign(r.accents, &p.light, &p.blue, &p.purple, &p.cyan, &p.green, &p.yellow, &p.red)
	assign(r.diff, &p.added, &p.removed)
	for _, field := range strings.Fields(r.gradient) {
		c, _ := ParseColor(field)
		p.gradient = append(p.gradient, c)
	}
	p.focus, p.edge = p.green, mix(p.gray, p.background, 0.5)
	if r.focus != "" {
		assign(r.focus, &p.focus)
	}
	if r.edge != "" {
		assign(r.edge, &p.edge)
	}
	return p
}

// assign parses colors of a table, which its test checks. An unknown word, such as "-", is the default color.
func assign(list string, to ...*color.Color) {
	for i, field := range strings.Fields(list) {
		if i < len(to) {
			*to[i], _ = ParseColor(field)
		}
	}
}
