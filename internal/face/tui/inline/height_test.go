package inline

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/styled"
)

// TestHeights checks that scrollback and screen hold each printed line once, and the live area below them, while the height of the
// window changes: it grows at any moment, in the middle of a frame too, and frames for the height before follow; it shrinks in the middle of a frame to
// no less than the rows of that frame, and a frame for the new height follows; it shrinks between two frames, and rows above the live area leave the screen.
func TestHeights(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		width, height := rapid.IntRange(4, 30).Draw(t, "width"), rapid.IntRange(4, 12).Draw(t, "height")
		term := newTerminal(width, height)
		// The emulator forgets in a change of its size that the next character begins a row; so no line is wider.
		text := rapid.OneOf(rapid.StringOfN(rapid.SampledFrom([]rune("abc  é─")), 0, width, -1), rapid.Just(strings.Repeat("─", width)))
		var printed []string
		var before Frame
		for range rapid.IntRange(1, 25).Draw(t, "frames") {
			fresh := len(printed)
			for range rapid.IntRange(0, 3).Draw(t, "lines") {
				line := text.Draw(t, "line")
				term.Print(styled.Plain(line))
				printed = append(printed, wrapped(line, width)...)
			}
			f := live(rapid.SliceOfN(text, 1, term.Height()-1).Draw(t, "live")...)
			f.Cursor = Position{rapid.IntRange(0, len(f.Lines)-1).Draw(t, "row"), rapid.IntRange(0, width-1).Draw(t, "column")}
			b := term.Frame(f)
			if rapid.IntRange(0, 3).Draw(t, "grows") == 0 {
				at := rapid.IntRange(0, len(b)).Draw(t, "at")
				_, _ = term.emulator.Write(b[:at])
				b = b[at:]
				height += rapid.IntRange(1, 6).Draw(t, "by")
				term.emulator.Resize(width, height)
			} else if least := len(printed) - fresh + max(len(before.Lines), len(f.Lines)) + 1; least < height && rapid.IntRange(0, 3).Draw(t, "shrinks at once") == 0 {
				at := rapid.IntRange(0, len(b)).Draw(t, "at")
				_, _ = term.emulator.Write(b[:at])
				height = rapid.IntRange(least, height-1).Draw(t, "to")
				term.emulator.Resize(width, height)
				_, _ = term.emulator.Write(b[at:])
				term.Resize(width, height)
				b = term.Frame(f)
			}
			before = f
			_, _ = term.emulator.Write(b)
			term.check(t, printed, f)
			if rapid.IntRange(0, 3).Draw(t, "shrinks") == 0 {
				height = rapid.IntRange(max(2, f.Cursor.Row+1), height).Draw(t, "to") // the live area stays on the screen down to the cursor
				term.emulator.Resize(width, height)
				term.Resize(width, height)
			} else if rapid.Bool().Draw(t, "hears") {
				term.Resize(width, height)
			}
		}
	})
}

// TestLowerInFrame checks that a finished line is whole which is partly like a row below the cursor, where the terminal becomes lower before it gets
// the frame, and has dropped that row.
func TestLowerInFrame(t *testing.T) {
	t.Parallel()
	term := newTerminal(6, 8)
	term.Print(styled.Plain("1"), styled.Plain("2"), styled.Plain("3"))
	f := live("composer", "a")
	term.show(f)
	term.Print(styled.Plain("four"), styled.Plain("ab"))
	frame := term.Frame(live(">"))
	term.emulator.Resize(6, 4)
	_, _ = term.emulator.Write(frame)
	term.Resize(6, 4)
	term.show(live(">"))
	if got, want := term.emulator.Whole(), []string{"1", "2", "3", "four", "ab", ">"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
