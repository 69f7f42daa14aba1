// Package picture shows images in terminals that can: in the protocol of kitty, in that of iTerm2, or as sixels. An image is
// decoded and scaled to the cells that it gets, so that few bytes go to the terminal.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"math"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"

	"pollux/internal/face/tui/styled"
)

// Limits of an image.
const (
	MaxSize   = 10 << 20 // bytes of the file
	maxPixels = 4096     // in each direction
	maxRows   = 12
	maxCols   = 80
)

// Protocol is the way in which a terminal takes images.
type Protocol uint8

// The protocols.
const (
	None Protocol = iota // the terminal shows no images
	Kitty
	ITerm
	Sixel
)

// Screen describes the terminal.
type Screen struct {
	Protocol              Protocol
	Width, Height         int // in cells
	CellWidth, CellHeight int // in pixels, 0 if they are unknown
}

// Errors of [Screen.Lines].
var (
	ErrTooLarge = errors.New("the image is too large to show")
	errNone     = errors.New("there is no image")
)

// Lines returns an image of a name as finished lines, or a line with its name and size if the terminal cannot show it. The
// name must be clean.
func (s Screen) Lines(name string, data []byte, style styled.Style) ([]styled.Line, error) {
	if len(data) > MaxSize {
		return nil, ErrTooLarge
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	w, h := config.Width, config.Height
	if w < 1 || h < 1 {
		return nil, errNone
	}
	told := []styled.Line{styled.Of(fmt.Sprintf("[image %s %dx%d]", name, w, h), style).Cut(max(s.Width, 1))}
	cells := s.fit(w, h)
	if cells.rows == 0 || w > maxPixels || h > maxPixels {
		return told, nil
	}
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return told, nil
	}
	o := styled.Object{Control: s.sequence(scale(decoded, cells.width, cells.height), cells), Rows: cells.rows}
	return []styled.Line{o.Line()}, nil
}

// area is the place of an image.
type area struct {
	columns, rows int
	width, height int // of the image in it, in pixels
}

// Cells of terminals that do not tell their size in pixels.
const (
	usualWidth  = 10
	usualHeight = 20
)

// fit returns the place for an image of so many pixels, with no rows if there is none. An image is never enlarged.
func (s Screen) fit(width, height int) area {
	cw, ch := s.CellWidth, s.CellHeight
	if cw <= 0 || ch <= 0 {
		if s.Protocol == Sixel { // its rows would be unknown
			return area{}
		}
		cw, ch = usualWidth, usualHeight
	}
	columns, rows := min(s.Width-1, maxCols), min(s.Height/2, maxRows)
	if s.Protocol == None || columns < 1 || rows < 1 {
		return area{}
	}
	factor := min(1, float64(columns*cw)/float64(width), float64(rows*ch)/float64(height))
	a := area{width: max(int(float64(width)*factor), 1), height: max(int(float64(height)*factor), 1)}
	a.columns = min(int(math.Ceil(float64(a.width)/float64(cw))), columns)
	a.rows = min(int(math.Ceil(float64(a.height)/float64(ch))), rows)
	return a
}

// scale returns an image in another size.
func scale(m image.Image, width, height int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	draw.ApproxBiLinear.Scale(out, out.Bounds(), m, m.Bounds(), draw.Src, nil)
	return out
}
