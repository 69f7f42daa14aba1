package tuitest

import (
	"strings"
	"testing"
)

func TestModes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ output, want string }{
		{"text \x1b[31m\x1b[J", ""},
		{"\x1b[?2004h\x1b[?1004h\x1b[>1u\x1b[22;0t\x1b[?25l\x1b[23;0t\x1b[<u\x1b[?25h\x1b[?1004;2004l", ""},
		{"\x1b[?25l", "?25 is false"},
		{"\x1b[?2004h", "?2004 is true"},
		{"\x1b[?1000;1006h\x1b[?1006l", "?1000 is true"},
		{"\x1b[>1u", "kitty's keys: [[1] []]"},
		{"\x1b[>1u\x1b[=0u", "kitty's keys: [[0] []]"},
		{"\x1b[<u", "1 too many ended"},
		{"\x1b[>1u\x1b[?1049h\x1b[>1u\x1b[<u\x1b[?1049l\x1b[<u", ""},
		{"\x1b[?1049h\x1b[>1u\x1b[?1049l", "kitty's keys: [[] [1]]"},
		{"\x1b[?1049h\x1b[>1u\x1b[=0u\x1b[?1049l", ""},
		{"\x1b[>4;2m", "modifyOtherKeys"},
		{"\x1b[>4;2m\x1b[>4;0m", ""},
		{"\x1b[22;0t", "titles put aside: 1"},
		{"\x1b[2J", "erased 1 times"},
		{"\x1b[3J\x1b[2J", "erased 2 times"},
		{"\x1b[?1049h\x1b[2J\x1b[?1049l", ""},
		{"\x1b[H\x1b[J", "erased 1 times"},
		{"\x1b[1;1f\x1b[0J", "erased 1 times"},
		{"\x1b[2;1H\x1b[J\x1b[1;2H\x1b[J\x1b[Htext\x1b[J\x1b[H\r\n\x1b[J\x1b[H\x1b[1J\x1b[H", ""},
		{"\x1bc\x1b7", "erased 1 times"},
	} {
		m := newModes()
		for _, b := range []byte(test.output) { // in pieces
			m.Write([]byte{b})
		}
		got := ""
		if err := m.check(); err != nil {
			got = err.Error()
		}
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%q: %q, not %q", test.output, got, test.want)
		}
	}
}
