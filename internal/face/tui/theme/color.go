package theme

import (
	"image/color"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// ParseColor parses a color of a theme: three or six hexadecimal digits, with or without "#", one of the 16 colors of
// the terminal, such as "blue", "gray" and "bluebright", or another name of CSS. Case does not matter. It reports false
// for anything else.
func ParseColor(s string) (color.Color, bool) {
	const longest = 32 // longer than any color
	if len(s) > longest {
		return nil, false
	}
	s = strings.ToLower(strings.TrimSpace(s))
	if digits, ok := strings.CutPrefix(s, "#"); ok {
		return parseHex(digits)
	}
	if c, ok := parseHex(s); ok {
		return c, true
	}
	if c, ok := terminalColor(s); ok {
		return c, true
	}
	return cssColor(s)
}

// parseHex parses three or six hexadecimal digits.
func parseHex(digits string) (color.Color, bool) {
	if len(digits) != 3 && len(digits) != 6 {
		return nil, false
	}
	v, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		return nil, false
	}
	if len(digits) == 3 {
		return color.RGBA{R: uint8(v>>8) * 17, G: uint8(v>>4&15) * 17, B: uint8(v&15) * 17, A: 255}, true
	}
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}, true
}

// terminalColor returns one of the 16 colors of the terminal. "gray" is the bright black.
func terminalColor(name string) (color.Color, bool) {
	base, isBright := strings.CutSuffix(name, "bright")
	var c ansi.BasicColor
	switch base {
	case "black":
		c = ansi.Black
	case "red":
		c = ansi.Red
	case "green":
		c = ansi.Green
	case "yellow":
		c = ansi.Yellow
	case "blue":
		c = ansi.Blue
	case "magenta":
		c = ansi.Magenta
	case "cyan":
		c = ansi.Cyan
	case "white":
		c = ansi.White
	default:
		return ansi.BrightBlack, name == "gray" || name == "grey"
	}
	if isBright {
		c += ansi.BrightBlack
	}
	return c, true
}

// cssColor returns the color that a name of CSS in lower case stands for.
func cssColor(name string) (color.Color, bool) {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return nil, false
	}
	_, value, ok := strings.Cut(cssColors, " "+name+" #")
	if !ok {
		return nil, false
	}
	return parseHex(value[:6])
}
