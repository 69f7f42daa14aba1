package theme

import (
	"image/color"
	"math"
)

// Luminance returns the relative luminance of a color as WCAG defines it, times 255: 0 for black, 255 for white. The
// luminance of nil is 0.
func Luminance(c color.Color) float64 {
	if c == nil {
		return 0
	}
	r, g, b, _ := c.RGBA()
	return 255 * (0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b))
}

// linear returns the share of light of a component of a color, from 0 to 1.
func linear(component uint32) float64 {
	v := float64(component) / 0xffff
	if v <= 0.03928 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// middle is the luminance above which a background is light.
const middle = 128

// KindOf returns [Light] or [Dark] for a background, and [Plain] for an unknown one, nil.
func KindOf(background color.Color) Kind {
	switch {
	case background == nil:
		return Plain
	case Luminance(background) > middle:
		return Light
	}
	return Dark
}

// isSame reports whether two colors look the same. A nil color is like no other.
func isSame(a, b color.Color) bool {
	if a == nil || b == nil {
		return false
	}
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	return ar == br && ag == bg && ab == bb
}

// mix returns the color with this share of b and the rest of a. It is nil if one of them is.
func mix(a, b color.Color, share float64) color.Color {
	if a == nil || b == nil {
		return nil
	}
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	between := func(x, y uint32) uint8 {
		from, to := float64(x)/257, float64(y)/257
		return uint8(math.Round(from + (to-from)*share))
	}
	return color.RGBA{R: between(ar, br), G: between(ag, bg), B: between(ab, bb), A: 255}
}
