package tuitest

import (
	"strings"
	"testing"
)

// input returns a frame that draws an input for a width.
func input(width int) string {
	return "\x1b[J" + strings.Repeat("▄", width) + "\x1b[m\r\n> " + strings.Repeat("▀", width)
}

// TestFrames checks which frames count after a change of the size: those from the first one that draws the whole input.
func TestFrames(t *testing.T) {
	t.Parallel()
	const end = endOfFrame
	for _, c := range []struct {
		name   string
		output []string
		want   int
	}{
		{"the same size", []string{"a" + end, "b" + end}, 2},
		{"cells that differ", []string{"resize", "a" + end, "\x1b[A\x1b[2Lb" + end}, 0},
		{"the whole input", []string{"resize", "a" + end, input(20) + end, "b" + end}, 2},
		{"in parts", []string{"resize", "a" + end + input(20)[:30], input(20)[30:] + end[:3], end[3:] + "b" + end}, 2},
		{"for another width", []string{"resize", input(40) + end, input(10) + end}, 0},
		{"one border", []string{"resize", strings.Repeat("▀", 20) + end}, 0},
		{"another change", []string{"resize", input(20) + end, "resize", "b" + end}, 1},
	} {
		e := NewEmulator(20, 5)
		f := frames{check: func(*Emulator) error { return nil }}
		for _, output := range c.output {
			if output == "resize" {
				f.isStale = true
				continue
			}
			f.show(e, []byte(output))
		}
		if f.checked != c.want {
			t.Errorf("%s: %d frames count, not %d", c.name, f.checked, c.want)
		}
	}
}
