package emulator

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"
)

// TestWrite checks that wide characters at the end of a row go on in the next one, as in xterm and tmux, however the output is divided.
func TestWrite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, output string
		width        int
		want         []string
	}{
		{"even", "一二三四五六七八九十", 10, []string{"一二三四五", "六七八九十"}},
		{"odd", "a一二三四五六七八九十", 10, []string{"a一二三四", "五六七八九", "十"}},
		{"narrow behind wide", "一二三四五abc", 10, []string{"一二三四五", "abc"}},
		{"wide behind narrow", "abcdefghij一", 10, []string{"abcdefghij", "一"}},
		{"one column left", "abcdefghi一二", 10, []string{"abcdefghi", "一二"}},
		{"emoji", "abcdefgh👍🏽👨‍👩‍👧‍👦x", 10, []string{"abcdefgh👍🏽", "👨‍👩‍👧‍👦x"}},
		{"Greek", "αβγδεζηθικλμν", 10, []string{"αβγδεζηθικ", "λμν"}},
		{"line ends", "一二三四五\r\n六", 10, []string{"一二三四五", "六"}},
		{"overwritten", "一二三四五\r六", 10, []string{"六二三四五"}},
		{"no wrapping", "\x1b[?7labcdefgh一二三", 10, []string{"abcdefgh"}},
		{"a title", "abcdefghi\x1b]2;一二三\a一", 10, []string{"abcdefghi", "一"}},
		{"styles", "abcdefgh\x1b[31m一\x1b[32m二", 10, []string{"abcdefgh一", "二"}},
		{"three columns", "abc一x", 3, []string{"abc", "一x"}},
		{"scrolled", "1\r\n2\r\n3\r\n一二三四五六七八九十一二三四五", 10, []string{"3", "一二三四五", "六七八九十", "一二三四五"}},
		{"broken", "abcdefgh\xff\xe4\xb8一\xe4", 10, nil},
	} {
		for _, size := range []int{len(c.output), 1, 2, 3, 5, 7} {
			e := vt.NewEmulator(c.width, 4)
			w := &Writer{Emulator: e}
			for part := range slices.Chunk([]byte(c.output), size) {
				if n, err := w.Write(part); n != len(part) || err != nil {
					t.Fatalf("%s: %d of %d bytes, %v", c.name, n, len(part), err)
				}
			}
			var got []string
			for y := range e.Height() {
				line := ""
				for _, cell := range row(e, y) {
					line += cell.Content
				}
				if line = strings.TrimRight(line, " "); line != "" {
					got = append(got, line)
				}
			}
			isWhole := c.name != "emoji" || size == len(c.output) // the emulator joins no characters of two writes
			if c.want != nil && !slices.Equal(got, c.want) && isWhole {
				t.Errorf("%s in parts of %d: %q, not %q", c.name, size, got, c.want)
			}
		}
	}
}
