package keys

import (
	"slices"
	"testing"
	"time"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	type step struct {
		after time.Duration // since the step before
		in    string        // a key, "paste" or "clipboard"
	}
	const ms = time.Millisecond
	for _, tt := range []struct {
		name             string
		steps            []step
		want, wantMarked EnterMeaning
	}{
		{"alone", []step{{0, "enter"}}, Literal, Literal},
		{"after a character", []step{{0, "a"}, {30 * ms, "enter"}}, LineBreak, Literal},
		{"after a space", []step{{0, "space"}, {0, "enter"}}, LineBreak, Literal},
		{"later", []step{{0, "a"}, {30*ms + 1, "enter"}}, Literal, Literal},
		{"after an empty line", []step{{0, "a"}, {20 * ms, "enter"}, {20 * ms, "enter"}}, LineBreak, Literal},
		{"twice", []step{{0, "a"}, {40 * ms, "enter"}, {20 * ms, "enter"}}, Literal, Literal},
		{"after another key", []step{{0, "a"}, {ms, "left"}, {ms, "enter"}}, Literal, Literal},
		{"after a chord", []step{{0, "ctrl+a"}, {ms, "enter"}}, Literal, Literal},
		{"with shift", []step{{0, "a"}, {ms, "shift+enter"}}, Literal, Literal},
		{"after a paste", []step{{0, "paste"}, {40 * ms, "enter"}}, LineBreak, Literal},
		{"later than a paste", []step{{0, "paste"}, {40*ms + 1, "enter"}}, Literal, Literal},
		{"after the clipboard", []step{{0, "clipboard"}, {ms, "enter"}}, Literal, Literal},
		{"backslash", []step{{0, "a"}, {50 * ms, `\`}, {5 * ms, "enter"}}, ShiftedEnter, ShiftedEnter},
		{"backslash later", []step{{0, `\`}, {5*ms + 1, "enter"}}, LineBreak, Literal},
		{"backslash and a character", []step{{0, `\`}, {0, "a"}, {ms, "enter"}}, LineBreak, Literal},
		{"backslash once", []step{{0, `\`}, {ms, "enter"}, {ms, "enter"}}, LineBreak, Literal},
		{"backslash and both line ends", []step{{0, `\`}, {ms, "enter"}, {5 * ms, "ctrl+j"}}, SecondEnd, SecondEnd},
		{"line feed later", []step{{0, `\`}, {ms, "enter"}, {5*ms + 1, "ctrl+j"}}, Literal, Literal},
		{"line feed twice", []step{{0, `\`}, {ms, "enter"}, {0, "ctrl+j"}, {0, "ctrl+j"}}, Literal, Literal},
		{"line feed behind another key", []step{{0, `\`}, {ms, "enter"}, {0, "a"}, {0, "ctrl+j"}}, Literal, Literal},
		{"line feed behind Enter", []step{{0, "enter"}, {0, "ctrl+j"}}, Literal, Literal},
		{"earlier", []step{{0, "a"}, {-ms, "enter"}}, Literal, Literal},
	} {
		for _, isMarked := range []bool{false, true} {
			g := Guard{IsPasteMarked: isMarked}
			at := start
			var got EnterMeaning
			for _, s := range tt.steps {
				at = at.Add(s.after)
				switch s.in {
				case "paste":
					got = g.Check(Paste{At: at})
				case "clipboard":
					got = g.Check(Paste{At: at, IsClipboard: true})
				default:
					c := chords(t, s.in)[0]
					got = g.Check(Key{Chord: c, Text: typedText(c), At: at})
				}
				if s.in != "enter" && got != Literal && got != SecondEnd {
					t.Errorf("%s: %s is %d", tt.name, s.in, got)
				}
			}
			want := tt.want
			if isMarked {
				want = tt.wantMarked
			}
			if got != want {
				t.Errorf("%s, marked %v: %d, want %d", tt.name, isMarked, got, want)
			}
		}
	}
}

// TestGuardOfPaste checks the line ends of text that arrives at once without marks.
func TestGuardOfPaste(t *testing.T) {
	t.Parallel()
	var g Guard
	var got []EnterMeaning
	for _, e := range decodeAll(&Decoder{}, "one\r\rtwo \r") {
		if m := g.Check(e); e.(Key).Chord.Code == Enter {
			got = append(got, m)
		}
	}
	if !slices.Equal(got, []EnterMeaning{LineBreak, LineBreak, LineBreak}) {
		t.Error(got)
	}
	if g.Check(Focus{}) != Literal {
		t.Error("focus")
	}
}
