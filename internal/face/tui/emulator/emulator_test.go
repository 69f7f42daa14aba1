package emulator

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

// TestResize checks that a terminal which becomes lower keeps the row of the cursor, and the rows above it in the scrollback.
func TestResize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, output            string
		height                  int
		wantAbove, want         []string
		wantColumn, wantLastRow int
	}{
		{"fits", "one\r\ntwo", 3, nil, []string{"one", "two", ""}, 3, 1},
		{"too low", "one\r\n中文 two\r\nthree\r\nfour", 2, []string{"one", "中文 two"}, []string{"three", "four"}, 4, 1},
		{"wide", "x\r\n中文 y\r\nab中", 2, []string{"x"}, []string{"中文 y", "ab中"}, 4, 1},
		{"rows below the cursor", "one\r\ntwo\r\nthree\r\nfour\x1b[2A\r", 2, nil, []string{"one", "two"}, 0, 1},
		{"one row", "one\r\ntwo", 1, []string{"one"}, []string{"two"}, 3, 0},
		{"alternate screen", "\x1b[?1049hone\r\ntwo\r\nthree", 2, nil, []string{"two", "three"}, 5, 1},
	} {
		e := vt.NewEmulator(10, 4)
		_, _ = e.Write([]byte(c.output))
		Resize(e, 10, c.height)
		var above, screen []string
		for y := range e.ScrollbackLen() {
			line := ""
			for x := range 10 {
				if cell := e.ScrollbackCellAt(x, y); cell != nil {
					line += cell.Content
				}
			}
			above = append(above, strings.TrimRight(line, " "))
		}
		for y := range e.Height() {
			line := ""
			for _, cell := range row(e, y) {
				line += cell.Content
			}
			screen = append(screen, strings.TrimRight(line, " "))
		}
		if !slices.Equal(above, c.wantAbove) || !slices.Equal(screen, c.want) {
			t.Errorf("%s: %q above %q", c.name, above, screen)
		}
		if at := e.CursorPosition(); at.X != c.wantColumn || at.Y != c.wantLastRow {
			t.Errorf("%s: the cursor is at %v", c.name, at)
		}
	}
}
