package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/sessions"
)

var _ interface {
	pane.Loader
	pane.Waiter
} = (*Pane)(nil)

func TestOrder(t *testing.T) {
	t.Parallel()
	o := shown(t, some)
	for _, want := range []struct{ key, names, title string }{
		{"", "54213", "date desc"},
		{"r", "31245", "date asc"},
		{"s", "31452", "messages desc"}, // in the usual direction
		{"r", "52413", "messages asc"},
		{"s", "21435", "name asc"},
		{"r", "53412", "name desc"},
		{"s", "54213", "date desc"},
	} {
		if want.key != "" {
			o.press(want.key)
		}
		if got := o.screen(80, 20); o.names() != want.names || !strings.Contains(got, "sorted by "+want.title+"\n") {
			t.Errorf("%s: %s\n%s", want.title, o.names(), got)
		}
	}
}

func TestNavigate(t *testing.T) {
	t.Parallel()
	var list []recorded
	for i := range 30 {
		list = append(list, recorded{fmt.Sprintf("%02d-s", i), time.Duration(i) * time.Minute, []string{"p"}})
	}
	o := shown(t, list)
	o.screen(80, 40)
	for _, step := range []struct {
		key  string
		want int
	}{
		{"down", 1},
		{"j", 2},
		{"up", 1},
		{"k", 0},
		{"k", 0},
		{"pagedown", 20},
		{"pagedown", 29},
		{"down", 29},
		{"pageup", 9},
		{"G", 29},
		{"g", 0},
		{"shift+end", 29},
		{"shift+home", 0},
	} {
		o.press(step.key)
		got := o.screen(80, 40)
		if o.list.selected != step.want || strings.Count(got, "\n") != 24 || !strings.Contains(got, fmt.Sprintf("❯ #%-2d │", 30-step.want)) {
			t.Fatalf("%s: row %d\n%s", step.key, o.list.selected, got)
		}
	}
	o.press("/", "down", "pagedown")
	if o.list.selected != 21 {
		t.Errorf("row %d while searching", o.list.selected)
	}
	o.press("j")
	if o.search.text() != "j" {
		t.Errorf("searches %q", o.search.text())
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	odd := append([]recorded{{"list", day, []string{"a"}}, {"7", 2 * day, []string{"b"}}, {"a b;c", 3 * day, []string{"c"}}, {"-x", 4 * day, []string{"d"}}}, some...)
	for _, test := range []struct {
		keys []string
		want pane.Outcome
	}{
		{[]string{"enter"}, pane.Chosen{Command: "/chat 55555555-e"}},
		{[]string{"down", "enter"}, pane.Chosen{Command: "/chat 44444444-d"}},
		{[]string{"down", "down", "enter"}, pane.Closed{}}, // the current one
		{[]string{"down", "down", "down", "enter"}, pane.Chosen{Command: "/chat 6"}},
		{[]string{"/", "title b", "enter"}, pane.Changed{}},
		{[]string{"/", "zebra", "enter"}, pane.Chosen{Command: "/chat 11111111-a"}},
		{[]string{"q"}, pane.Closed{}},
		{[]string{"escape"}, pane.Closed{}},
		{[]string{"/", "q"}, pane.Changed{}},
		{[]string{"/", "escape"}, pane.Changed{}},
		{[]string{"/", "escape", "escape"}, pane.Closed{}},
		{[]string{"ctrl+c"}, pane.Ignored{}},
		{[]string{"/", "ctrl+c"}, pane.Ignored{}},
		{[]string{"z"}, pane.Ignored{}},
	} {
		o := shown(t, odd)
		var got pane.Outcome
		for _, key := range test.keys {
			got = o.press(key)
			o.work()
		}
		_, isChosen := got.(pane.Chosen)
		if got != test.want || (o.ctx.Err() != nil) != (isChosen || got == pane.Closed{}) {
			t.Errorf("%q: %#v, the work ends: %v", test.keys, got, o.ctx.Err())
		}
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	o := shown(t, some)
	for _, keep := range []string{"n", "escape", "enter", "x"} {
		o.press("x")
		if got := o.screen(80, 20); !strings.Contains(got, "Delete “日本語のタイトル” permanently?\ny delete · Esc keep\n") {
			t.Fatal(got)
		}
		if got := o.press(keep); got != (pane.Changed{}) || len(o.list.rows) != 5 || strings.Contains(o.screen(80, 20), "permanently") {
			t.Errorf("%s: %#v", keep, got)
		}
	}
	o.press("x")
	o.Handle(keys.Paste{Text: "y"}, bindings)
	if o.state != browsing {
		t.Error("a paste does not answer")
	}
	if o.Done("another command"); o.notice != "" {
		t.Errorf("shows %q", o.notice)
	}
	if got := o.press("x", "y"); got != (pane.Chosen{Command: "/sessions delete 55555555-e", Stays: true}) {
		t.Errorf("%#v", got)
	}
	if got := o.press("down", "x", "enter"); got != (pane.Changed{}) || o.list.selected != 0 || !strings.Contains(o.screen(80, 20), "Deleting…\nEsc close\n") {
		t.Errorf("%#v\n%s", got, o.screen(80, 20))
	}
	o.Done("it is \x1b[1min use")
	if got := o.screen(80, 20); !strings.Contains(got, "it is in use\nEnter") || len(o.list.rows) != 5 {
		t.Error(got)
	}
	o.press("x", "y")
	o.Done("")
	if got := o.screen(80, 20); o.names() != "4213" || o.list.selected != 0 || strings.Contains(got, "Deleting") || strings.Contains(got, "in use") || !strings.Contains(got, "(4 total)") {
		t.Error(got)
	}
	o.press("G", "x", "y") // the first one of the list: the others have other numbers now
	o.Done("")
	if got := o.screen(80, 20); o.names() != "421" || !strings.Contains(got, "❯ #1 │    3") {
		t.Error(got)
	}
}

// A session whose ID is no plain word cannot be named in a command that changes something.
func TestOddNames(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"7", "a b", "latest", "-x", "", "x/../y", "ä-b", strings.Repeat("a", 101), "a\nb"} {
		o := shown(t, some)
		o.list.entries[4].ID = id
		o.arrange("")
		o.press("x")
		if o.state == confirming || !strings.Contains(o.screen(160, 20), "its number is 5") {
			t.Errorf("%q: %s", id, o.screen(160, 20))
		}
		if got := o.press("f"); got != (pane.Changed{}) || isPlain(id) {
			t.Errorf("%q: %#v", id, got)
		}
	}
	if !isPlain("8f3a-_B") || !isPlain("s1") {
		t.Error("plain")
	}
}

func TestFork(t *testing.T) {
	t.Parallel()
	o := shown(t, some)
	if got := o.press("f"); got != (pane.Chosen{Command: "/sessions fork 55555555-e", Stays: true}) {
		t.Fatalf("%#v", got)
	}
	name := filepath.Join(filepath.Dir(o.list.entries[0].Path), "session-9.jsonl")
	data, _ := os.ReadFile(o.list.entries[4].Path)
	if err := os.WriteFile(name, []byte(strings.Replace(string(data), "55555555-e", "66666666-f", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	o.Done("")
	if got := o.screen(80, 20); !strings.Contains(got, "Copied.\n") {
		t.Error(got)
	}
	o.work()
	if got := o.screen(80, 20); !strings.Contains(got, "(6 total)") || strings.Contains(got, "Copied") || o.selectedID() != "55555555-e" {
		t.Error(got)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	o := shown(t, some)
	o.press("/", "ZEBRA")
	if len(o.jobs) != 1 || !strings.Contains(o.screen(80, 20), "No title has this text.\nSearching…\n") {
		t.Fatalf("%d jobs\n%s", len(o.jobs), o.screen(80, 20))
	}
	o.work()
	if got := o.names(); got != "13" {
		t.Errorf("found %s", got)
	}
	o.press("backspace", "backspace", "backspace", "backspace", "backspace")
	if len(o.list.rows) != 5 {
		t.Errorf("%d rows for no text", len(o.list.rows))
	}
	o.press("answer to fix")
	o.work()
	if got := o.screen(160, 20); len(o.list.rows) != 1 || !strings.Contains(got, "Model: Answer to Fix the login test\n") {
		t.Error(got)
	}
	o.press("escape")
	if len(o.list.rows) != 5 || o.selectedID() != "11111111-a" || o.search.text() != "" {
		t.Errorf("%d rows after the search, selected %s", len(o.list.rows), o.selectedID())
	}
	// A title is found at once, and a result that comes after the end changes nothing.
	o.press("/", "login")
	if len(o.list.rows) != 1 {
		t.Errorf("%d titles", len(o.list.rows))
	}
	o.press("escape")
	o.work()
	if len(o.list.rows) != 5 || o.search.excerpts != nil || o.search.cancel != nil {
		t.Errorf("%d rows, %v", len(o.list.rows), o.search.excerpts)
	}
	o.press("/", "zebra", "escape", "escape")
	o.work()
	if o.search.excerpts != nil {
		t.Errorf("%v after the end", o.search.excerpts)
	}
}

// Of two searches, the second one waits for the end of the first one.
func TestSearchJobs(t *testing.T) {
	t.Parallel()
	o := shown(t, some)
	o.press("/", "z")
	show := o.jobs[0]()
	o.jobs = nil
	o.press("ebra")
	if len(o.jobs) != 0 {
		t.Fatalf("%d searches at once", len(o.jobs)+1)
	}
	show()
	if len(o.jobs) != 1 || o.search.excerpts != nil {
		t.Fatalf("%d searches, %v", len(o.jobs), o.search.excerpts)
	}
	o.work()
	if len(o.search.excerpts) != 2 || !o.search.isIndexed {
		t.Errorf("%v", o.search.excerpts)
	}
	o.search.problem, o.search.hasMore = "bad \x07disk", true
	if got := o.screen(80, 20); !strings.Contains(got, "Cannot search: bad disk\n") {
		t.Error(got)
	}
	o.search.problem = ""
	if got := o.screen(80, 20); !strings.Contains(got, "These are the first 500 sessions that have it in their text.\n") {
		t.Error(got)
	}
	o.Handle(keys.Paste{Text: strings.Repeat("é", 1<<20)}, bindings)
	if n := len(o.search.text()); n > maxText {
		t.Errorf("searches for %d bytes", n)
	}
}

func TestPreviewJobs(t *testing.T) {
	t.Parallel()
	o := shown(t, some)
	o.press("p", "down", "down", "down")
	if len(o.jobs) != 1 || !strings.Contains(o.screen(80, 24), "Reading…\n") {
		t.Fatalf("%d jobs\n%s", len(o.jobs), o.screen(80, 24))
	}
	o.work()
	if got := o.screen(80, 24); o.look.id != "11111111-a" || !strings.Contains(got, "Model: Answer to Explain Zebras\n") {
		t.Error(got)
	}
	o.press("p", "p", "p")
	if got := o.screen(80, 24); strings.Contains(got, "─") {
		t.Error(got)
	}
	o.list.entries[o.list.rows[0]].Path = filepath.Join(t.TempDir(), "missing")
	o.press("p", "g")
	o.work()
	if got := o.screen(80, 24); !strings.Contains(got, "The end of the session has no text.\n") {
		t.Error(got)
	}
}

func TestReadEnd(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 10<<20)
	s := store(t, []recorded{{"a-b", 0, []string{"first", huge}}, {"c-d", 0, []string{huge, "last \x1b[2Jof\nall"}}})
	infos, err := s.List(t.Context())
	if err != nil || len(infos) != 2 {
		t.Fatal(infos, err)
	}
	for _, i := range infos {
		got := readEnd(i.Path)
		switch {
		case i.ID == "a-b" && len(got) > 0:
			t.Errorf("%d messages of a line that is too long", len(got))
		case i.ID == "c-d" && (len(got) != 2 || got[0] != (message{true, "last of all"}) || !strings.HasPrefix(got[1].text, "Answer to last")):
			t.Errorf("%.100v", got)
		}
	}
	var many []string
	for n := range 100 {
		many = append(many, strings.Repeat("word ", 1000)+fmt.Sprint(n))
	}
	s = store(t, []recorded{{"e-f", 0, many[:20]}})
	infos, _ = s.List(t.Context())
	got := readEnd(infos[0].Path)
	if len(got) != previewMessages || len(got[0].text) > previewText+len("…") || !got[0].isPrompt || got[1].isPrompt {
		t.Errorf("%d messages, %d bytes", len(got), len(got[0].text))
	}
	if readEnd(t.TempDir()) != nil {
		t.Error("a directory has messages")
	}
}

// tools is the beginning of a session with a tool call, whose text is far from the beginning of its output.
const tools = `{"sessionId":"a-b","projectHash":"h","startTime":"2026-01-01T00:00:00Z","lastUpdated":"2026-01-01T00:00:00Z","kind":"main"}
{"id":"u","timestamp":"2026-01-01T00:00:00Z","type":"user","content":[{"text":"hi"}]}
{"id":"m","timestamp":"2026-01-01T00:00:01Z","type":"gemini","content":"ANSWER","toolCalls":[{"id":"c","name":"read_file","args":{"file_path":"one two three four five six seven eight needle"}}]}
`

func TestTools(t *testing.T) {
	t.Parallel()
	s := &sessions.Store{Dir: t.TempDir()}
	text := strings.Replace(tools, "ANSWER", strings.Repeat("blah ", 200), 1)
	if err := os.WriteFile(filepath.Join(s.Dir, "session-1.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	o := open(t, s)
	o.Load()()
	o.press("/", "needle")
	o.work()
	if got := o.screen(50, 10); !strings.Contains(got, "│ Tool: … eight needle\n") {
		t.Error(got)
	}
	if got := o.screen(160, 10); !strings.Contains(got, "│ Tool: one two three four five six seven eight needle\n") {
		t.Error(got)
	}
	o.press("escape", "p")
	o.work()
	if got := o.screen(80, 24); strings.Contains(got, "needle") || strings.Count(got, "blah") != 14+16+16 || !strings.Contains(got, "blah…\n") {
		t.Error(got)
	}
	o.o.Current = "a-b"
	if got := o.screen(14, 10); !strings.Contains(got, "❯ #1 │ hi\n") { // no room for more
		t.Error(got)
	}
}

func TestLowScreens(t *testing.T) {
	t.Parallel()
	o := shown(t, some)
	for keys, want := range map[string]string{"": "❯ #5 │    1 │  now │ 日本語のタイトル\n", "x": "Delete “日本語のタイトル” permanently?\n", "/": "Search: ▮Type to search\n"} {
		o.press("escape")
		o = shown(t, some)
		if keys != "" {
			o.press(keys)
		}
		if got := o.screen(80, 1); got != want {
			t.Errorf("%q: %s", keys, got)
		}
	}
	o = shown(t, some)
	o.press("/", "z", "escape") // the search ends soon
	if got := o.screen(80, 20); strings.Contains(got, "Searching") {
		t.Error(got)
	}
}

// A key ends the search in progress.
func TestSearchEnds(t *testing.T) {
	t.Parallel()
	o := shown(t, some)
	cancels := 0
	o.press("/", "z")
	o.search.cancel = func() { cancels++ }
	o.press("e", "left", "b")
	if cancels != 2 {
		t.Errorf("cancelled %d times", cancels)
	}
	o.press("escape")
	if cancels != 3 {
		t.Errorf("cancelled %d times at the end", cancels)
	}
}

// TestAnySize checks that each screen fits, whatever the keys, the titles and the size are.
func TestAnySize(t *testing.T) {
	t.Parallel()
	names := []string{"down", "up", "enter", "escape", "/", "s", "r", "p", "x", "y", "f", "G", "pagedown", "backspace", "zebra", "É"}
	s := store(t, some)
	infos, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(r *rapid.T) {
		o := open(t, s)
		o.Load()()
		for i := range o.list.entries {
			o.list.entries[i].Title = rapid.SampledFrom([]string{"", "a", "\x1b[2Jx\n\ty\u202e", strings.Repeat("日本 ", 50), infos[i].Title}).Draw(r, "title")
		}
		for range rapid.IntRange(0, 12).Draw(r, "keys") {
			o.press(rapid.SampledFrom(names).Draw(r, "key"))
			if rapid.Bool().Draw(r, "works") {
				o.work()
			}
			if o.state == waiting && rapid.Bool().Draw(r, "done") {
				o.Done(rapid.SampledFrom([]string{"", "problem"}).Draw(r, "problem"))
			}
			width, height := rapid.IntRange(0, 100).Draw(r, "width"), rapid.IntRange(0, 30).Draw(r, "height")
			v := o.View(width, height, theme.NoColor())
			if len(v.Lines) > height || v.HasCursor && height > 0 && width > 0 && (v.Cursor.Row >= len(v.Lines) || v.Cursor.Column >= width) {
				r.Fatalf("%d lines of %d, cursor %+v", len(v.Lines), height, v.Cursor)
			}
			for _, l := range v.Lines {
				if l.Width() > width || strings.ContainsAny(l.String(), "\x1b\n\t\u202e") {
					r.Fatalf("%d columns of %d: %q", l.Width(), width, l.String())
				}
			}
			isMarked := slices.ContainsFunc(v.Lines, func(l styled.Line) bool { return strings.HasPrefix(l.String(), "❯") })
			if height > 0 && width > 0 && len(v.Lines) == 0 || !isMarked && o.state == browsing && len(o.list.rows) > 0 && width > 6 && height > 0 {
				r.Fatalf("the selection is not on the screen: %v", v.Lines)
			}
		}
	})
}

// many returns a pane with so many sessions, without files.
func many(b *testing.B, n int) *opened {
	o := open(b, &sessions.Store{})
	infos := make([]sessions.Info, n)
	for i := range infos {
		infos[i] = sessions.Info{ID: fmt.Sprintf("%d-s", i), Title: strings.Repeat("some title ", 8) + fmt.Sprint(i*7919%n), Updated: now.Add(-time.Duration(i*7919%n) * time.Minute), Prompts: i % 50}
	}
	o.list.entries, o.state = newEntries(infos), browsing
	o.arrange("")
	return o
}

func BenchmarkKeys(b *testing.B) {
	for _, key := range []string{"down", "s"} {
		b.Run(key, func(b *testing.B) {
			o := many(b, 10_000)
			for b.Loop() {
				o.press(key)
				o.View(120, 40, theme.Theme{})
			}
		})
	}
	b.Run("search", func(b *testing.B) {
		o := many(b, 10_000)
		o.press("/")
		for b.Loop() {
			o.press("title 1")
			o.press("ctrl+u")
		}
	})
}

func TestShort(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 9999: "9999", 10_000: "10k", 999_999: "999k", 5_000_000: "999k"} {
		if got := short(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
