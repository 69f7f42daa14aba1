package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// spent is a session file of Gemini CLI's form with a response that used this many tokens.
func spent(id string, tokens int) string {
	return fmt.Sprintf(`{"sessionId":%q,"projectHash":"h","startTime":"2026-11-21T12:00:00.000Z","lastUpdated":"2026-11-21T12:00:00.000Z","kind":"main"}
{"id":"u","timestamp":"2026-11-21T12:00:01.000Z","type":"user","content":[{"text":"hi"}]}
{"id":"m","timestamp":"2026-11-21T12:00:02.000Z","type":"gemini","content":"ok","tokens":{"input":%d,"total":%d},"model":"m1"}
`, id, tokens, tokens)
}

// tokens returns the tokens of each file, with the session that they count for.
func tokensOf(t *testing.T, s *Store) (list []string) {
	t.Helper()
	all, err := s.Usage(t.Context())
	must(t, err)
	for _, u := range all {
		n := 0
		for _, r := range u.Rows {
			n += r.Tokens.Total
		}
		list = append(list, fmt.Sprintf("%s: %d", u.SessionID, n))
	}
	slices.Sort(list)
	return list
}

func TestUsage(t *testing.T) {
	t.Parallel()
	s := project(t)
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(s.Dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(content), 0o600))
	}
	write("session-1.jsonl", spent("one", 1))
	write("session-2.jsonl", spent("two", 20))
	write("one/agent.jsonl", strings.Replace(spent("agent", 300), `"main"`, `"subagent"`, 1))
	write("one/notes.txt", spent("notes", 1000))
	write("session-3.json", spent("two", 4000)) // Gemini CLI has gone on in the next one
	write("session-3.jsonl", spent("three", 4000))
	write("session-4.jsonl", "nonsense\n")
	write("session-5.jsonl", strings.Replace(spent("five", 5), "{", "", 1)) // its first record is damaged
	write("other.jsonl", spent("other", 50000))
	must(t, os.Symlink("session-1.jsonl", filepath.Join(s.Dir, "session-link.jsonl")))
	index := filepath.Join(s.Dir, usageIndex)
	want := []string{"one: 1", "one: 300", "session-5: 5", "three: 4000", "two: 20"}
	expect := func() {
		t.Helper()
		if got := tokensOf(t, s); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
	expect()
	if _, err := os.Stat(index); err == nil {
		t.Error("an index was written for a few small files")
	}
	for i := range 20 {
		write(fmt.Sprintf("session-more%d.jsonl", i), spent("more", 0))
		want = append(want, "more: 0")
	}
	slices.Sort(want)
	expect()
	if _, err := os.Stat(index); err != nil {
		t.Fatal(err)
	}
	expect()

	// Indexed files are not read again; changed ones are.
	second := filepath.Join(s.Dir, "session-2.jsonl")
	info, err := os.Stat(second)
	must(t, err)
	write("session-2.jsonl", spent("two", 99))
	must(t, os.Chtimes(second, info.ModTime(), info.ModTime()))
	expect()
	must(t, os.Chtimes(second, info.ModTime(), info.ModTime().Add(time.Second)))
	must(t, os.Remove(filepath.Join(s.Dir, "session-3.jsonl")))
	want = slices.DeleteFunc(want, func(s string) bool { return strings.HasPrefix(s, "two") || strings.HasPrefix(s, "three") })
	want = append(want, "two: 99", "two: 4000")
	slices.Sort(want)
	expect()

	// A damaged index, or one of another version, is as none.
	data, err := os.ReadFile(index)
	must(t, err)
	for _, damaged := range []string{"", "\x00\n{}\n[", string(data[:len(data)/2]), strings.ReplaceAll(string(data), `"v":1`, `"v":7`)} {
		must(t, os.WriteFile(index, []byte(damaged), 0o600))
		expect()
	}
	if none, err := (&Store{}).Usage(t.Context()); err != nil || none != nil {
		t.Errorf("a project without sessions has %v, %v", none, err)
	}
}
