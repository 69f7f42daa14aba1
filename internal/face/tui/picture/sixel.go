package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/color/palette"
	"strings"

	"golang.org/x/image/draw"
)

// sixels returns an image as sixels, in at most 216 colors. Pixels that are more transparent than not stay as they are on the
// screen.
func sixels(m *image.NRGBA) string {
	bounds := m.Bounds()
	reduced := image.NewPaletted(bounds, palette.WebSafe)
	draw.FloydSteinberg.Draw(reduced, bounds, opaque{m}, image.Point{})
	width, height := bounds.Dx(), bounds.Dy()
	var b strings.Builder
	fmt.Fprintf(&b, "\x1bP0;1;0q\"1;1;%d;%d", width, height)
	isDefined := map[uint8]bool{}
	for top := 0; top < height; top += 6 {
		for i, colored := range band(m, reduced, top) {
			if i > 0 {
				b.WriteByte('$')
			}
			if !isDefined[colored.index] {
				isDefined[colored.index] = true
				r, g, bl, _ := palette.WebSafe[colored.index].RGBA()
				fmt.Fprintf(&b, "#%d;2;%d;%d;%d", colored.index, r*100/0xffff, g*100/0xffff, bl*100/0xffff)
			}
			fmt.Fprintf(&b, "#%d", colored.index)
			writeRuns(&b, colored.columns)
		}
		b.WriteByte('-')
	}
	b.WriteString("\x1b\\")
	return b.String()
}

// opaque is an image without transparency, so that colors near a border are not mixed with black.
type opaque struct{ *image.NRGBA }

func (o opaque) At(x, y int) color.Color {
	c := o.NRGBAAt(x, y)
	c.A = 0xff
	return c
}

// layer is the pixels of a color in six rows of an image: a bit for each row, and a byte for each column.
type layer struct {
	index   uint8
	columns []byte
}

// band returns the layers of the six rows from top on, in the order in which their colors occur.
func band(m *image.NRGBA, reduced *image.Paletted, top int) (layers []layer) {
	at := map[uint8]int{}
	width := m.Bounds().Dx()
	for y := top; y < min(top+6, m.Bounds().Dy()); y++ {
		for x := range width {
			if m.NRGBAAt(x, y).A < 0x80 {
				continue
			}
			index := reduced.ColorIndexAt(x, y)
			i, ok := at[index]
			if !ok {
				i = len(layers)
				at[index], layers = i, append(layers, layer{index, make([]byte, width)})
			}
			layers[i].columns[x] |= 1 << (y - top)
		}
	}
	return layers
}

// writeRuns writes columns, with a count before repeated ones.
func writeRuns(b *strings.Builder, columns []byte) {
	for i := 0; i < len(columns); {
		n := 1
		for i+n < len(columns) && columns[i+n] == columns[i] {
			n++
		}
		sixel := columns[i] + '?'
		if n > 3 {
			fmt.Fprintf(b, "!%d%c", n, sixel)
		} else {
			for range n {
				b.WriteByte(sixel)
			}
		}
		i += n
	}
}
