package theme

import (
	"image/color"
	"strings"
)

// palette has the colors of a theme by their names, from which the colors by meaning are derived. Nil is the default
// color of the terminal.
type palette struct {
	background, foreground, comment, gray         color.Color
	light, blue, purple, cyan, green, yellow, red color.Color
	added, removed, edge, focus                   color.Color
	gradient                                      []color.Color
}

// colors returns the colors by meaning. Backgrounds of boxes are mixed with the background of the theme, all gray ones
// with the share of the input box.
func (p *palette) colors() Colors {
	return Colors{
		Primary: p.foreground, Secondary: p.gray, Link: p.blue, Accent: p.purple, Response: p.foreground,
		Background: p.background,
		Message:    mix(p.background, p.gray, inputShare),
		Input:      mix(p.background, p.gray, inputShare),
		Selection:  mix(p.background, p.focus, selectionShare),
		DiffAdded:  p.added, DiffRemoved: p.removed,
		Border:  p.edge,
		Comment: p.gray, Symbol: p.cyan, Active: p.blue, Dark: p.edge, Focus: p.focus,
		Gradient: p.gradient,
		Error:    p.red, Success: p.green, Warning: p.yellow,
	}
}

// syntax returns the colors of code. Each field of list is a letter of [palette.named] or a color, in the order of the
// kinds after [highlight.Plain].
func (p *palette) syntax(list string) (syntax [codeKinds]color.Color) {
	for i, field := range strings.Fields("f " + list) {
		if i == len(syntax) {
			break
		}
		c, ok := p.named(field)
		if !ok {
			c, _ = ParseColor(field)
		}
		syntax[i] = c
	}
	return syntax
}
