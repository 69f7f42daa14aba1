package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/journal"
	"pollux/internal/process/processtest"
	"pollux/llm"
)

// start is a while ago, because times in the future count as those of a wrong clock.
var start = time.Date(2020, 11, 21, 12, 0, 0, 0, time.UTC)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// project returns the store of a new project.
func project(t testing.TB) *Store {
	s := &Store{Dir: filepath.Join(t.TempDir(), "slug", "chats")}
	must(t, os.MkdirAll(s.Dir, 0o700))
	return s
}

// put writes a session file with a prompt that starts n minutes after start, and returns its path.
func put(t testing.TB, s *Store, id, prompt string, n int) string {
	t.Helper()
	at := start.Add(time.Duration(n) * time.Minute)
	var history []agent.Entry
	if prompt != "" {
		history = []agent.Entry{{Message: agent.Message{ID: "p", Time: at, Content: llm.User(llm.Text(prompt))}}}
	}
	path, err := journal.Create(s.Dir, journal.Header{SessionID: id, ProjectHash: "h", Start: at, Updated: at, Kind: journal.Main}, "", history, nil)
	must(t, err)
	must(t, os.Chtimes(path, at, at))
	return path
}

func titles(infos []Info) (list []string) {
	for _, i := range infos {
		list = append(list, i.ID+": "+i.Title)
	}
	return list
}

func TestList(t *testing.T) {
	t.Parallel()
	s := project(t)
	put(t, s, "second", "two \x1b[31m\n  words\t日本語\u202e", 2)
	put(t, s, "third", strings.Repeat("ü", 101), 3)
	first := put(t, s, "first", "one", 1)
	put(t, s, "empty", "", 4)
	put(t, s, "future", "from the future", 1e8)
	// The same session in two files: the one used last.
	put(t, s, "twice", "old", 5)
	put(t, s, "twice", "new", 6)
	data, err := os.ReadFile(first)
	must(t, err)
	for name, content := range map[string]string{
		"session-sub.jsonl":   strings.Replace(strings.Replace(string(data), `"main"`, `"subagent"`, 1), "first", "sub", 1),
		"session-bad.jsonl":   "nonsense\n",
		"session-empty.json":  "",
		"session-x.jsonl.bak": string(data),
		"notes.txt":           "x",
		// Of Gemini CLI: only the prompt of a command, times that cannot be.
		"session-gemini.jsonl": `{"sessionId":"g","projectHash":"h","startTime":"2020-11-21T12:10:00.000Z","lastUpdated":"2020-01-01T00:00:00.000Z","kind":"main"}
{"id":"u","timestamp":"x","type":"user","content":"/about"}
{"id":"m","timestamp":"x","type":"gemini","content":"About"}
`,
		"session-summary.json": `{"sessionId":"old","projectHash":"h","startTime":"2020-11-21T12:11:00.000Z","summary":"A summary","messages":[
{"id":"u","type":"user","content":"hi"}]}`,
	} {
		must(t, os.WriteFile(filepath.Join(s.Dir, name), []byte(content), 0o600))
	}
	must(t, os.Symlink(first, filepath.Join(s.Dir, "session-link.jsonl")))
	must(t, os.Mkdir(filepath.Join(s.Dir, "session-dir.jsonl"), 0o700))
	want := []string{
		"future: from the future", "first: one", "second: two words 日本語", "third: " + strings.Repeat("ü", 97) + "...", "twice: new", "g: /about", "old: A summary",
	}
	for range 2 { // the second time with the index
		infos, err := s.List(t.Context())
		must(t, err)
		if diff := cmp.Diff(want, titles(infos)); diff != "" {
			t.Fatalf("-want +got\n%s", diff)
		}
		if g := infos[5]; !g.Updated.Equal(g.Start) || g.Prompts != 1 {
			t.Errorf("%+v", g)
		}
	}
	if _, err := os.Stat(filepath.Join(s.Dir, indexName)); err != nil {
		t.Error(err)
	}
}

// The index follows changes, and is not needed.
func TestIndex(t *testing.T) {
	t.Parallel()
	s := project(t)
	const n = 50
	for i := range n {
		put(t, s, fmt.Sprint("id", i), fmt.Sprint("prompt ", i), i)
	}
	index := filepath.Join(s.Dir, indexName)
	expect := func(changed string, want int) {
		t.Helper()
		infos, err := s.List(t.Context())
		must(t, err)
		if len(infos) != want || changed != "" && !slices.Contains(titles(infos), changed) {
			t.Fatalf("%d sessions, want %d and %q: %q", len(infos), want, changed, titles(infos))
		}
	}
	expect("", n)
	must(t, os.WriteFile(filepath.Join(s.Dir, "session-new.jsonl"), []byte(`{"sessionId":"new","projectHash":"h"}
{"id":"u","type":"user","content":"hi"}
`), 0o600))
	expect("new: hi", n+1)
	must(t, os.WriteFile(filepath.Join(s.Dir, "session-new.jsonl"), []byte(`{"sessionId":"new","projectHash":"h"}
{"id":"u","type":"user","content":"changed"}
`), 0o600))
	expect("new: changed", n+1)
	must(t, os.Remove(filepath.Join(s.Dir, "session-new.jsonl")))
	expect("", n)
	path := find(t, s, "id7").Path // it is in the index
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(strings.Replace(string(data), "prompt 7", "PROMPT 7", 1)), 0o600))
	must(t, os.Chtimes(path, start, start.Add(1))) // the size is the same
	expect("id7: PROMPT 7", n)
	for _, content := range []string{"", "nonsense\n", `{"name":"session-new.jsonl","outline":{"sessionId":"ghost","isResumable":true}}` + "\n"} {
		must(t, os.WriteFile(index, []byte(content), 0o600))
		expect("", n)
	}
	must(t, os.Remove(index))
	must(t, os.Mkdir(index, 0o700)) // it can be neither read nor written
	expect("", n)
}

// With a clock that was ahead for a while, the latest session is still the one that started last.
func TestLatestAfterClockJump(t *testing.T) {
	t.Parallel()
	s := project(t)
	put(t, s, "before", "one", 1)
	put(t, s, "ahead", "two", 1e8)
	put(t, s, "ahead too", "three", 1e8+1)
	if i := find(t, s, "latest"); i.ID != "before" {
		t.Error(i.ID)
	}
	put(t, s, "after", "four", 2)
	if i := find(t, s, "latest"); i.ID != "after" {
		t.Error(i.ID)
	}
	for _, id := range []string{"before", "after"} {
		must(t, s.Delete(t.Context(), find(t, s, id)))
	}
	if i := find(t, s, "latest"); i.ID != "ahead too" {
		t.Error(i.ID)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := project(t)
	_, err := s.Find(t.Context(), "1")
	if !errors.Is(err, ErrNone) {
		t.Errorf("no sessions: %v", err)
	}
	none := &Store{Dir: filepath.Join(t.TempDir(), "none")}
	if _, err := none.Find(t.Context(), "latest"); !errors.Is(err, ErrNone) {
		t.Errorf("no directory: %v", err)
	}
	put(t, s, "a", "one", 1)
	put(t, s, "b", "two", 2)
	put(t, s, "1", "an id that is a number", 3)
	for identifier, want := range map[string]string{
		"latest": "1", "1": "1", "2": "b", "3": "1", "a": "a", " b ": "b", "0": "", "4": "", "2x": "", "-1": "", "": "", "1.0": "", "+1": "", "99999999999999999999": "", "A": "", "\x1b[2J": "",
	} {
		info, err := s.Find(t.Context(), identifier)
		var unknown *UnknownError
		if info.ID != want || (want == "") != errors.As(err, &unknown) {
			t.Errorf("%q: %q, %v", identifier, info.ID, err)
		}
	}
	_, err = s.Find(t.Context(), "99")
	want := "Invalid session identifier \"99\".\n  Searched for sessions in " + s.Dir + ".\n" +
		"  Use --list-sessions to see available sessions, then use --resume {number}, --resume {uuid}, or --resume latest."
	if err.Error() != want {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Find(ctx, "1"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "Just now", -time.Hour: "Just now", 59 * time.Second: "Just now", time.Minute: "1 minute ago", 119 * time.Minute: "1 hour ago",
		3 * time.Hour: "3 hours ago", 24 * time.Hour: "1 day ago", 400 * 24 * time.Hour: "400 days ago",
	} {
		if got := Ago(start, start.Add(d)); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
}

// BenchmarkList lists 1,000 sessions of 20 messages, or with POLLUX_LONG=1 10,000.
func BenchmarkList(b *testing.B) {
	n := 1000
	if processtest.IsLong() {
		n = 10_000
	}
	s := project(b)
	text := strings.Repeat("words ", 200)
	var history []agent.Entry
	for i := range 10 {
		history = append(history,
			agent.Entry{Message: agent.Message{ID: fmt.Sprint("p", i), Time: start, Content: llm.User(llm.Text("prompt " + text))}},
			agent.Entry{Message: agent.Message{ID: fmt.Sprint("m", i), Time: start, Content: llm.Model(llm.Text(text))}})
	}
	for i := range n {
		_, err := journal.Create(s.Dir, journal.Header{
			SessionID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", i), ProjectHash: "h", Start: start, Updated: start, Kind: journal.Main,
		}, "", history, nil)
		must(b, err)
	}
	check := func(b *testing.B) {
		if infos, err := s.List(b.Context()); err != nil || len(infos) != n {
			b.Fatal(len(infos), err)
		}
	}
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			_ = os.Remove(filepath.Join(s.Dir, indexName))
			check(b)
		}
	})
	b.Run("warm", func(b *testing.B) {
		check(b)
		for b.Loop() {
			check(b)
		}
	})
}
