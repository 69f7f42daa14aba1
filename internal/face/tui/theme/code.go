package theme

import (
	"image/color"

	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/styled"
)

// codeKinds is the number of kinds of tokens.
const codeKinds = highlight.Meta + 1

// Code returns the style of highlighted code, without a background.
func (t Theme) Code(k highlight.Kind) styled.Style {
	if t.Kind == Plain {
		switch k {
		case highlight.Keyword:
			return styled.Style{Attrs: styled.Bold}
		case highlight.Comment:
			return styled.Style{Attrs: styled.Faint}
		}
		return styled.Style{}
	}
	if k >= codeKinds {
		k = highlight.Plain
	}
	return styled.Style{Fg: t.syntax[k]}
}

// usualCode has the colors of code in the order of its kinds, as letters of [palette.named]: keywords blue, strings
// yellow, numbers green, comments in the color of comments, types cyan, functions as text, variables purple, operators
// as text, meta gray.
const usualCode = "b y g c n f p f a"

// named returns the color of the palette that a letter stands for.
func (p *palette) named(letter string) (c color.Color, ok bool) {
	switch letter {
	case "f":
		return p.foreground, true
	case "l":
		return p.light, true
	case "b":
		return p.blue, true
	case "p":
		return p.purple, true
	case "n":
		return p.cyan, true
	case "g":
		return p.green, true
	case "y":
		return p.yellow, true
	case "r":
		return p.red, true
	case "c":
		return p.comment, true
	case "a":
		return p.gray, true
	}
	return nil, false
}
