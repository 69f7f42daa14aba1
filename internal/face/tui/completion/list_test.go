package completion

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

func press(t *testing.T, l *List, names ...string) (a Action) {
	t.Helper()
	for _, name := range names {
		chord, err := keys.ParseChord(name)
		if err != nil {
			t.Fatal(err)
		}
		a = l.Handle(keys.Key{Chord: chord}, keys.Default("linux"))
	}
	return a
}

// labels returns a result with these labels. A label with "!" runs.
func labels(all ...string) (r Result) {
	for _, text := range all {
		label, runs := strings.CutSuffix(text, "!")
		r.Suggestions = append(r.Suggestions, Suggestion{Label: label, Insert: label + " ", Runs: runs})
	}
	return r
}

func TestHandle(t *testing.T) {
	t.Parallel()
	whole := labels("help!", "helper")
	whole.IsComplete = true
	for _, c := range []struct {
		r        Result
		keys     string
		action   Action
		selected string
	}{
		{labels("a", "b", "c"), "tab", Accepted, "a"},
		{labels("a", "b", "c"), "enter", Accepted, "a"},
		{labels("a!", "b"), "enter", Submitted, "a"},
		{labels("a!", "b"), "tab", Accepted, "a"},
		{labels("a!", "b"), "down enter", Accepted, "b"},
		{labels("a", "b", "c"), "down", Moved, "b"},
		{labels("a", "b", "c"), "ctrl+n ctrl+n", Moved, "c"},
		{labels("a", "b", "c"), "down down down", Moved, "a"},
		{labels("a", "b", "c"), "up", Moved, "c"},
		{labels("a", "b", "c"), "ctrl+p ctrl+p", Moved, "b"},
		{labels("a", "b", "c"), "x", Ignored, "a"},
		{labels("a", "b", "c"), "right", Ignored, "a"},
		{labels("a", "b", "c"), "escape", Closed, ""},
		{labels("a", "b", "c"), "escape tab", Ignored, ""},
		{labels("a", "b", "c"), "escape escape", Ignored, ""},
		{labels(), "tab", Ignored, ""},
		{labels(), "down", Ignored, ""},
		{whole, "enter", Sent, "help"},
		{whole, "tab", Accepted, "help"},
		{whole, "down enter", Accepted, "helper"},
		{whole, "down up enter", Submitted, "help"},
	} {
		l := &List{}
		l.Show(c.r)
		a := press(t, l, strings.Fields(c.keys)...)
		if s, _ := l.Selected(); a != c.action || s.Label != c.selected {
			t.Errorf("%+v, %s: action %d, %q", c.r, c.keys, a, s.Label)
		}
	}
	l := &List{}
	if l.ShowLoading(); !l.IsOpen() || press(t, l, "tab") != Ignored || press(t, l, "down") != Ignored || press(t, l, "escape") != Closed || l.IsOpen() {
		t.Error("the list that waits for suggestions")
	}
	if _, ok := l.Selected(); ok {
		t.Error("a closed list has a selected suggestion")
	}
	b, _ := keys.Load("linux", []byte(`[{"command": "-suggest.accept", "key": "enter"}]`), "")
	l.Show(labels("a"))
	if a := l.Handle(keys.Key{Chord: keys.Chord{Code: keys.Enter}}, b); a != Ignored {
		t.Errorf("Enter that is not bound: %d", a)
	}
	if l.Result().Suggestions[0].Label != "a" {
		t.Error("another result")
	}
}

// screen returns the lines of a list as text.
func screen(l *List, width, height int) string {
	var lines []string
	for _, line := range l.Lines(width, height, theme.NoColor()) {
		lines = append(lines, line.String())
	}
	return strings.Join(lines, "\n")
}

func TestScreens(t *testing.T) {
	t.Parallel()
	var commands, files Result
	for _, c := range []struct{ name, summary, suffix string }{
		{"about", "Show version info", ""},
		{"chat", "Resume an earlier session; save and share conversations", ""},
		{"review-changes", "Review the changes of a branch", "MCP"},
		{"quit", "", ""},
	} {
		commands.Suggestions = append(commands.Suggestions, Suggestion{Label: c.name, Detail: c.summary, Suffix: c.suffix})
	}
	for i := range 12 {
		files.Suggestions = append(files.Suggestions, Suggestion{Label: fmt.Sprintf("internal/face/tui/completion/file%d.go", i)})
	}
	files.Note = "Only 20000 files are searched."
	grouped := Result{Suggestions: []Suggestion{{Label: "list", Group: "auto"}, {Label: "save", Group: "checkpoints"}, {Label: "resume", Group: "checkpoints"}}}
	for _, c := range []struct {
		r             Result
		keys          string
		width, height int
		want          string
	}{
		{commands, "", 80, 20, "" +
			"❯ about                 Show version info\n" +
			"  chat                  Resume an earlier session; save and share conversations\n" +
			"  review-changes [MCP]  Review the changes of a branch\n" +
			"  quit"},
		{commands, "down", 40, 20, "" +
			"  about               Show version info\n" +
			"❯ chat                Resume an earlier…\n" +
			"  review-chan… [MCP]  Review the change…\n" +
			"  quit"},
		{commands, "down", 160, 20, "" +
			"  about                 Show version info\n" +
			"❯ chat                  Resume an earlier session; save and share conversations\n" +
			"  review-changes [MCP]  Review the changes of a branch\n" +
			"  quit"},
		{commands, "down right", 40, 20, "" +
			"  about               Show version info\n" +
			"❯ chat  Resume an earlier session; save\n" +
			"  and share conversations\n" +
			"  review-chan… [MCP]  Review the change…\n" +
			"  quit"},
		{commands, "down right down up", 40, 20, "" +
			"  about               Show version info\n" +
			"❯ chat                Resume an earlier…\n" +
			"  review-chan… [MCP]  Review the change…\n" +
			"  quit"},
		{commands, "down right left", 40, 2, "" +
			"❯ chat                Resume an earlier…\n" +
			"▲▼ (2/4)"},
		{files, "", 80, 20, "" +
			"❯ internal/face/tui/completion/file0.go\n" +
			"  internal/face/tui/completion/file1.go\n" +
			"  internal/face/tui/completion/file2.go\n" +
			"  internal/face/tui/completion/file3.go\n" +
			"  internal/face/tui/completion/file4.go\n" +
			"  internal/face/tui/completion/file5.go\n" +
			"  internal/face/tui/completion/file6.go\n" +
			"  internal/face/tui/completion/file7.go\n" +
			" ▼ (1/12)\n" +
			"Only 20000 files are searched."},
		{files, "up", 24, 5, "" +
			"  …i/completion/file9.go\n" +
			"  …/completion/file10.go\n" +
			"❯ …/completion/file11.go\n" +
			"▲  (12/12)\n" +
			"Only 20000 files are se…"},
		{files, "down down down down down down down down", 80, 4, "" +
			"  internal/face/tui/completion/file7.go\n" +
			"❯ internal/face/tui/completion/file8.go\n" +
			"▲▼ (9/12)\n" +
			"Only 20000 files are searched."},
		{grouped, "down", 40, 10, "" +
			"-- auto --\n" +
			"  list\n" +
			"-- checkpoints --\n" +
			"❯ save\n" +
			"  resume"},
		{grouped, "down down", 40, 4, "" +
			"-- checkpoints --\n" +
			"  save\n" +
			"❯ resume\n" +
			"▲  (3/3)"},
		{grouped, "down", 40, 1, "❯ save"},
		{grouped, "down", 40, 2, "-- checkpoints --\n❯ save"},
		{commands, "", 1, 3, "…\n…\n…"},
	} {
		l := &List{}
		l.Show(c.r)
		for _, key := range strings.Fields(c.keys) {
			l.Lines(c.width, c.height, theme.NoColor())
			press(t, l, key)
		}
		if got := screen(l, c.width, c.height); got != c.want {
			t.Errorf("%d x %d, %s:\n%s\nwant\n%s", c.width, c.height, c.keys, got, c.want)
		}
	}
	l := &List{}
	l.ShowLoading()
	if got := screen(l, 80, 5); got != "Loading suggestions..." {
		t.Errorf("%q", got)
	}
	if got := screen(l, 80, 0) + screen(l, 0, 5) + screen(&List{}, 80, 5); got != "" {
		t.Errorf("%q", got)
	}
}

func TestEmphasis(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		at   []int
		want string
	}{
		{"list.go", []int{0, 1, 5}, "[li]st.[g]o"},
		{"list", nil, "list"},
		{"list", []int{3}, "lis[t]"},
		{"e\u0301a", []int{0}, "[e\u0301]a"},
		{"日本", []int{3, 4, 5}, "日[本]"},
		{"ab", []int{0, 1}, "[ab]"},
		{"ab", []int{9}, "ab"},
		{"", nil, ""},
	} {
		got := ""
		for _, s := range emphasize(c.text, c.at, styled.Style{}) {
			if s.Style.Attrs&styled.Bold != 0 {
				s.Text = "[" + s.Text + "]"
			}
			got += s.Text
		}
		if got != c.want {
			t.Errorf("%q, %d: %q", c.text, c.at, got)
		}
	}
}

// TestHostileTexts checks that nothing of a suggestion acts on the terminal.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	const hostile = "a\x1b]0;title\x07b\nc\u202ed\x00"
	l := &List{}
	l.Show(Result{Note: hostile, Suggestions: []Suggestion{{
		Label: hostile, Detail: hostile + strings.Repeat("x", 1<<20), Suffix: hostile, Group: hostile, MatchAt: []int{3},
	}}})
	if got, want := screen(l, 200, 9), "-- ab cd --\n❯ ab cd [ab cd]  ab cd"; !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\nab cd") {
		t.Errorf("%q", got)
	}
	s, _ := l.Selected()
	if len(s.Detail) > 2*maxDetail || s.MatchAt != nil {
		t.Errorf("%d bytes, %d", len(s.Detail), s.MatchAt)
	}
}

// TestLines checks the limits of all screens: their size, and that the selected suggestion is on them.
func TestLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a", "日本", "src/completion/list.go", "e\u0301", strings.Repeat("x", 90), "👩‍👩‍👧/x", ""})
		l, r := &List{}, Result{Note: rapid.SampledFrom([]string{"", "a note"}).Draw(t, "note")}
		for i := range rapid.IntRange(1, 12).Draw(t, "n") {
			r.Suggestions = append(r.Suggestions, Suggestion{
				Label: fmt.Sprint(i, word.Draw(t, "label")), Detail: word.Draw(t, "detail"), Suffix: word.Draw(t, "suffix"),
				Group: rapid.SampledFrom([]string{"", "g", "h"}).Draw(t, "group"), MatchAt: []int{0, 2},
			})
		}
		l.Show(r)
		for range 8 {
			width, height := rapid.IntRange(1, 100).Draw(t, "width"), rapid.IntRange(1, 14).Draw(t, "height")
			lines := l.Lines(width, height, theme.NoColor())
			if len(lines) > height {
				t.Fatalf("%d lines in %d", len(lines), height)
			}
			for _, line := range lines {
				if terminal.Width(line.String()) > width {
					t.Fatalf("%q is wider than %d", line, width)
				}
			}
			if !slices.ContainsFunc(lines, func(l styled.Line) bool { return strings.HasPrefix(l.String(), "❯") || l.String() == "…" }) {
				t.Fatalf("%d x %d: the selected suggestion is missing: %q", width, height, lines)
			}
			chord, _ := keys.ParseChord(rapid.SampledFrom([]string{"up", "down", "right", "left"}).Draw(t, "key"))
			l.Handle(keys.Key{Chord: chord}, keys.Default("linux"))
		}
	})
}
