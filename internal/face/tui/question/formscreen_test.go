package question

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

// TestFormScreens compares forms with their golden screens.
func TestFormScreens(t *testing.T) {
	t.Parallel()
	all := []tool.Question{database, checks, name, publish}
	long := database
	long.Text = strings.TrimSpace(strings.Repeat("A long text of the model. ", 30))
	odd := name
	odd.Text = "Hidden: \u202e!"
	for _, width := range []int{24, 40, 80, 160} {
		var b strings.Builder
		for _, c := range []struct {
			name      string
			questions []tool.Question
			keys      string
		}{
			{"choice", []tool.Question{database}, ""},
			{"choice with a text", []tool.Question{database}, "a b c"},
			{"closed", []tool.Question{consent}, ""},
			{"text", []tool.Question{name}, ""},
			{"altered", []tool.Question{odd}, "x"},
			{"secret", []tool.Question{apiKey}, ""},
			{"secret typed", []tool.Question{apiKey}, "s k - 1 2 3"},
			{"long", []tool.Question{long}, ""},
			{"several", all, ""},
			{"answered", all, "2 left"},
			{"text of several", all, "tab 1 x tab"},
			{"checks", all, "2 2 x"},
			{"all checks", all, "tab 4"},
			{"review", all, "2 1 2 x y enter tab tab"},
			{"review of one", []tool.Question{database, apiKey}, "2 s e c r e t enter"},
			{"review of none", []tool.Question{publish, name}, "tab tab"},
		} {
			d := newDialog(formOf(c.questions...))
			press(t, d, strings.Fields(c.keys)...)
			v := d.View(width, 24, theme.NoColor())
			fmt.Fprintf(&b, "== %s\n", c.name)
			for i, l := range v.Lines {
				if l.Width() > width {
					t.Errorf("%s: %q is wider than %d", c.name, l, width)
				}
				text := strings.TrimRight(l.String(), " ")
				if v.HasText && i == v.Cursor.Row {
					text += fmt.Sprintf("   <- cursor at %d", v.Cursor.Column)
				}
				b.WriteString(text + "\n")
			}
		}
		golden.Check(t, "form."+strconv.Itoa(width)+".txt", b.String())
	}
}

// TestFormRoom checks that long lists keep to the height, and show the selected row and the cursor.
func TestFormRoom(t *testing.T) {
	t.Parallel()
	q := tool.Question{Header: "Many", Text: strings.Repeat("line\n", 30), Kind: tool.ChoiceQuestion}
	for i := range 20 {
		q.Options = append(q.Options, tool.Option{Label: "option" + strconv.Itoa(i+1), Description: "a description of more than one line"})
	}
	d := newDialog(formOf(q, name))
	for i := range 21 {
		v := d.View(30, 12, theme.NoColor())
		var shown []string
		for _, l := range v.Lines {
			shown = append(shown, l.String())
		}
		text := strings.Join(shown, "\n")
		want := fmt.Sprintf("❯ %2d. option%d", i+1, i+1)
		if i == 20 {
			want = "❯ 21. Enter a custom value"
			if !v.HasText || !strings.HasPrefix(shown[v.Cursor.Row], want) {
				t.Errorf("cursor in row %d", v.Cursor.Row)
			}
		}
		if len(shown) > 12 || !strings.Contains(text, want) || !strings.Contains(text, fmt.Sprintf("\n(%d/21)\n", i+1)) || !strings.Contains(text, "\nlines 1-1 of 30 (") {
			t.Errorf("row %d in %d lines:\n%s", i+1, len(shown), text)
		}
		press(t, d, "down")
	}
	if got := replyOf(press(t, d, "shift+down")); got != "changed" || !strings.Contains(d.View(30, 12, theme.NoColor()).Lines[3].String(), "lines 2-2") {
		t.Errorf("scrolling is %s", got)
	}
}

// TestFormFits checks that the parts of a form use the room that they have.
func TestFormFits(t *testing.T) {
	t.Parallel()
	text := func(d Dialog, width, height int) string {
		var b strings.Builder
		for _, l := range d.View(width, height, theme.NoColor()).Lines {
			b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
		}
		return b.String()
	}
	lines := name
	lines.Text = "a\nb\nc"
	d := newDialog(formOf(lines))
	if got := text(d, 40, 6); got != "? Ask User\n  a\n  b\n  c\n> shop\nEnter send · Esc cancel\n" {
		t.Errorf("a text that just fits:\n%s", got)
	}
	if got := text(d, 40, 5); !strings.Contains(got, "  a\nlines 1-1 of 3 (") {
		t.Errorf("a text that does not fit:\n%s", got)
	}
	press(t, d, strings.Split(strings.Repeat("x", 30), "")...)
	if got := text(d, 12, 24); strings.Count(got, "xxxxx") < 3 {
		t.Errorf("a long answer:\n%s", got)
	}

	d = newDialog(formOf(checks, name))
	press(t, d, "1", "tab", "x", "tab")
	if got := text(d, 40, 5); got != "? Ask User\nChecks ✓ │ Name ✓ │ ❯ Review\nChecks → Tests\nName → x\nEnter send · Esc cancel · Shift+Tab back\n" {
		t.Errorf("a review that just fits:\n%s", got)
	}
	press(t, d, "shift+tab", "y", "tab")
	if got := text(d, 40, 5); !strings.Contains(got, "Name → xy\n") {
		t.Errorf("another answer:\n%s", got)
	}
}

// TestFormLongField checks that the cursor is in its row of a field of several rows, below rows that are hidden.
func TestFormLongField(t *testing.T) {
	t.Parallel()
	q := database
	for i := range 10 {
		q.Options = append(q.Options, tool.Option{Label: "more" + strconv.Itoa(i)})
	}
	d := newDialog(formOf(q))
	press(t, d, strings.Split(strings.Repeat("x", 45), "")...)
	for _, c := range []struct {
		key, want string
		column    int
	}{{"end", "      xxxx", 10}, {"home", "❯ 13. xxxxxxxx", 6}} {
		press(t, d, c.key)
		v := d.View(26, 10, theme.NoColor())
		if got := v.Lines[v.Cursor.Row].String(); !strings.HasPrefix(got, c.want) || v.Cursor.Column < c.column || len(v.Lines) > 10 {
			t.Errorf("%s: column %d of %q", c.key, v.Cursor.Column, got)
		}
	}
}

// TestFormHostile checks that no text of others reaches the screen with control characters, in any size of terminal.
func TestFormHostile(t *testing.T) {
	t.Parallel()
	evil := "a\x1b]52;c;eA==\x07\x1b[2J\u202e\u200b\r\nb\tc"
	for _, kind := range []tool.QuestionKind{tool.ChoiceQuestion, tool.TextQuestion, tool.YesNoQuestion, tool.SecretQuestion, "unknown"} {
		q := tool.Question{Header: evil, Text: evil, Kind: kind, Placeholder: evil, Help: evil, FreeText: evil, Options: []tool.Option{{Label: evil, Description: evil}}}
		for _, typed := range []string{"", "x", "tab tab", "1 tab"} {
			for _, size := range [][2]int{{1, 1}, {2, 3}, {5, 5}, {20, 10}, {80, 24}} {
				d := newDialog(formOf(q, q))
				press(t, d, strings.Fields(typed)...)
				v := d.View(size[0], size[1], theme.NoColor())
				for _, l := range v.Lines {
					if s := l.String(); strings.ContainsAny(s, "\x1b\x07\r\n\t\u202e\u200b") || l.Width() > size[0] {
						t.Errorf("%s, %v: %q", kind, size, s)
					}
				}
			}
		}
	}
}

// TestFormMasks checks that no part of a secret is on the screen.
func TestFormMasks(t *testing.T) {
	t.Parallel()
	d := newDialog(formOf(apiKey, name))
	for _, typed := range []string{"Z", "Z", "enter", "tab"} {
		press(t, d, typed)
		for _, l := range d.View(80, 24, theme.NoColor()).Lines {
			if strings.Contains(l.String(), "Z") {
				t.Errorf("%s: %q", typed, l)
			}
		}
	}
	if got := replyOf(press(t, d, "enter")); got != "sent 0=ZZ" {
		t.Error(got)
	}
}

// TestFormProperties presses random keys in random forms of random sizes.
func TestFormProperties(t *testing.T) {
	t.Parallel()
	all := []tool.Question{database, checks, name, publish, apiKey, consent}
	b := keys.Default("linux")
	rapid.Check(t, func(rt *rapid.T) {
		d := newDialog(formOf(rapid.SliceOfN(rapid.SampledFrom(all), 0, 4).Draw(rt, "questions")...))
		names := rapid.SliceOfN(rapid.SampledFrom([]string{
			"enter", "up", "down", "left", "right", "tab", "shift+tab", "ctrl+c", "backspace", "x", "y", "1", "2", "3", "4", "5", "世", "space", "pagedown", "home", "paste",
		}), 0, 30).Draw(rt, "keys")
		for _, name := range names {
			var o Outcome
			if name == "paste" {
				o = d.Handle(keys.Paste{Text: "1\n2\n", At: start}, b)
			} else {
				o = press(t, d, name)
			}
			if a, ok := o.(Answered); ok {
				if name == "paste" || a.Answer.Reply == nil {
					rt.Fatalf("%s answers %+v", name, a)
				}
				return
			}
			width, height := rapid.IntRange(1, 50).Draw(rt, "width"), rapid.IntRange(1, 30).Draw(rt, "height")
			v := d.View(width, height, theme.NoColor())
			for _, l := range v.Lines {
				if l.Width() > max(width, 2) { // a wide character needs two
					rt.Fatalf("%q is wider than %d", l, width)
				}
			}
			if c := v.Cursor; v.HasText && (c.Row >= len(v.Lines) || c.Row < 0 || c.Column < 0 || c.Column >= width) {
				rt.Fatalf("cursor %+v in %d lines of %d columns", c, len(v.Lines), width)
			}
		}
	})
}

// TestFormOfManyLines checks that a question longer than the screen can be read to its end, with the answers in view.
func TestFormOfManyLines(t *testing.T) {
	t.Parallel()
	q := consent
	for i := range 60 {
		q.Text += fmt.Sprintf("\n- power%d %s.", i+1, strings.Repeat("word ", 60))
	}
	d := newDialog(formOf(q))
	all := ""
	for range 60 {
		v := d.View(80, 24, theme.NoColor())
		text := ""
		for _, l := range v.Lines {
			text += l.String() + "\n"
		}
		if len(v.Lines) > 24 || !strings.Contains(text, "Decline") || !strings.Contains(text, " (Page Up, Page Down)") {
			t.Fatalf("the screen is\n%s", text)
		}
		all += text
		press(t, d, "pagedown")
	}
	for i := range 60 {
		if !strings.Contains(all, fmt.Sprintf("- power%d ", i+1)) {
			t.Errorf("no screen has power %d", i+1)
		}
	}
}
