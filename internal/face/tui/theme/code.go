package theme

import (
	"image/color"

	"pollux/internal/face/tui/styled"
)

// CodeKind says which part of a program a piece of highlighted code is.
type CodeKind int

// Parts of programs. [CodeText] is everything that is none of the others.
const (
	CodeText CodeKind = iota
	CodeKeyword
	CodeString
	CodeNumber
	CodeComment
	CodeType
	CodeFunction
	CodeVariable
	CodeOperator
	CodeMeta
	codeKinds // the number of kinds
)

// Code returns the style of highlighted code, without a background.
func (t Theme) Code(k CodeKind) styled.Style {
	if t.Kind == Plain {
		switch k {
		case CodeKeyword:
			return styled.Style{Attrs: styled.Bold}
		case CodeComment:
			return styled.Style{Attrs: styled.Faint}
		}
		return styled.Style{}
	}
	if k < 0 || k >= codeKinds {
		k = CodeText
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
