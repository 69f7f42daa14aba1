// Package theme has the color themes of the terminal user interface: the built-in ones, those that users and extensions
// define, and the choice among them.
//
// A [Theme] is a value: [Choose] makes it from settings and from facts about the terminal, which the caller passes in.
// Its [Colors] say what a color means, not how it looks; its methods return the styles to draw with. In a theme of the
// kind [Plain], as NO_COLOR demands, styles have attributes in place of colors, so that errors, selections and links
// still differ from other text.
package theme

import "image/color"

// Kind says which background a theme is made for.
type Kind int

// Kinds of themes. The zero value, [Plain], is a theme without colors; of a terminal it means that its background is
// unknown.
const (
	Plain Kind = iota
	Dark
	Light
)

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	switch k {
	case Dark:
		return "dark"
	case Light:
		return "light"
	}
	return "plain"
}

// Names of the themes that Pollux uses if the settings name none, and of the theme without colors.
const (
	DefaultDark  = "Default"
	DefaultLight = "Default Light"
	PlainName    = "NoColor"
)

// Theme is a set of colors. The zero value is a theme without colors and without a name.
type Theme struct {
	Name   string
	Kind   Kind
	Colors Colors

	gray   color.Color // mixed with the terminal's background for boxes and borders
	syntax [codeKinds]color.Color
}

// Colors are the colors of a theme by their meaning. A nil color is the default color of the terminal.
type Colors struct {
	// Text.
	Primary, Secondary, Link, Accent, Response color.Color

	// Backgrounds: of the screen, the user's messages, the input box, the selected row, and lines of diffs.
	Background, Message, Input, Selection, DiffAdded, DiffRemoved color.Color

	// Lines around boxes.
	Border color.Color

	// Parts of the user interface: comments, symbols, the active element, decoration, the element with the focus.
	Comment, Symbol, Active, Dark, Focus color.Color

	// Gradient has the colors of the banner from left to right.
	Gradient []color.Color

	// States.
	Error, Success, Warning color.Color
}

// NoColor returns the theme without colors, for NO_COLOR.
func NoColor() Theme { return Theme{Name: PlainName} }

// Shares of the gray of a theme, and of its focus color, in the backgrounds and borders that mix them with another
// background.
const (
	inputShare     = 0.24
	messageShare   = 0.16
	selectionShare = 0.20
	borderShare    = 0.40
)

// On returns the theme for a terminal with this background. The backgrounds of boxes and the borders become mixtures
// with that background. If the theme is made for the other kind of background, the backgrounds of boxes are nil and the
// border stays as it is. An unknown (nil) background changes nothing, and a theme without colors stays without.
func (t Theme) On(background color.Color) Theme {
	if background == nil || t.Kind == Plain {
		return t
	}
	c := &t.Colors
	if t.Kind != KindOf(background) {
		c.Message, c.Input, c.Selection = nil, nil, nil
		return t
	}
	c.Background = background
	c.Message = mix(background, t.gray, messageShare)
	c.Input = mix(background, t.gray, inputShare)
	c.Selection = mix(background, c.Focus, selectionShare)
	c.Border = mix(background, t.gray, borderShare)
	c.Dark = c.Border
	return t
}
