package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// Without its first record a session has the id that the name of the file gives it, and all its messages.
// It gets a new header when it goes on.
func TestDamagedHeader(t *testing.T) {
	t.Parallel()
	data, after := longSession(t)
	first := bytes.IndexByte(data, '\n')
	for name, header := range map[string]string{
		"flipped bit": strings.Replace(string(data[:first]), `"sessionId":"id"`, "\"sessionId\":\"\x01d\"", 1), "NULs": strings.Repeat("\x00", first), "gone": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "session-2026-11-21T12-00-ab.jsonl")
			must(t, os.WriteFile(path, append([]byte(header+"\n"), cutAtReplacement(t, data[first+1:])...), 0o600))
			s, err := Load(path)
			must(t, err)
			if s.SessionID != "session-2026-11-21T12-00-ab" || len(s.Entries) != 4 {
				t.Fatalf("%s: %+v", s.SessionID, s.Entries)
			}
			o, err := Peek(path, nil)
			must(t, err)
			if o.SessionID != s.SessionID || o.Prompt != "one" || !o.IsResumable {
				t.Errorf("%+v", o)
			}
			goesOn(t, path, s.Entries)
			s, err = Load(path)
			must(t, err)
			if s.SessionID != "session-2026-11-21T12-00-ab" || s.Lost > 0 || s.Pollux != version {
				t.Errorf("the new header: %+v", s.Header)
			}
		})
	}
	// A record that replaces the history has all of the header.
	data = append([]byte("x\n"), data[first+1:]...)
	s, err := load(bytes.NewReader(data), int64(len(data)), 1<<60)
	must(t, err)
	if diff := difference(after[len(after)-1], s.Entries); diff != "" || s.SessionID != "id" || !s.Start.Equal(start) {
		t.Errorf("%+v (-want +got)\n%s", s.Header, diff)
	}
}

// cutAtReplacement returns the lines before the first one that replaces the history.
func cutAtReplacement(t *testing.T, lines []byte) []byte {
	t.Helper()
	end := bytes.Index(lines, []byte(`{"$set":{"messages":[`))
	if end < 0 {
		t.Fatal("no history is replaced")
	}
	return lines[:end]
}

// Pollux does not write to files of newer versions, but lists and copies them.
func TestNewerVersion(t *testing.T) {
	t.Parallel()
	const newer = `"pollux":2`
	for name, content := range map[string]string{
		"made by it":      strings.Replace(headerLine, `"main"`, `"main",`+newer, 1) + user("a", "hello"),
		"continued by it": strings.Replace(headerLine, `"main"`, `"main","pollux":1`, 1) + user("a", "hello") + `{"$set":{` + newer + "}}\n",
		"replaced by it":  headerLine + `{"$set":{"messages":[` + strings.TrimSpace(user("a", "hello")) + `],"lastUpdated":"2026-11-21T12:00:05.000Z",` + newer + "}}\n" + model("b", "hi"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "session-x.jsonl")
			must(t, os.WriteFile(path, []byte(content), 0o600))
			if s, err := Load(path); err != nil || s.Entries[0].Content.Text() != "hello" {
				t.Errorf("%+v, %v", s, err)
			}
			if _, err := Open(path); !errors.Is(err, ErrNewer) {
				t.Errorf("it is opened: %v", err)
			}
			o, err := Peek(path, nil)
			must(t, err)
			if o.SessionID != "s1" || o.Prompt != "hello" || !o.IsResumable {
				t.Errorf("%+v", o)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != content {
				t.Errorf("it has changed: %q, %v", after, err)
			}
		})
	}
}

// A record of 200 MB is left out, and costs little memory.
func TestHugeLine(t *testing.T) {
	// Not parallel: the memory of other tests would count.
	for name, record := range map[string]string{
		"a message": `{"id":"b","timestamp":"2026-11-21T12:00:01.000Z","type":"user","content":[{"text":"`, "no record": "x", "a replacement": `{"$set":{"messages":[{"id":"`,
	} {
		path := filepath.Join(t.TempDir(), "session-x.jsonl")
		before := headerLine + user("a", "hello") + record
		must(t, os.WriteFile(path, []byte(before), 0o600))
		must(t, os.Truncate(path, 200<<20)) // sparse
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		must(t, err)
		_, err = f.WriteString("\"}]}\n" + model("c", "more"))
		must(t, errors.Join(err, f.Close()))
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		s, err := Load(path)
		must(t, err)
		runtime.ReadMemStats(&end)
		if n := end.TotalAlloc - start.TotalAlloc; n > 4<<20 || s.Lost != 1 || len(s.Entries) != 2 {
			t.Errorf("%s: %d bytes, %d lost, %d messages", name, n, s.Lost, len(s.Entries))
		}
	}
}

// Of a history that no provider takes, the end is continued. The file keeps the rest.
func TestTooLong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := newJournal(t, dir)
	must(t, j.Begin(t.Context(), "id", nil))
	const n, size = 40, 1 << 20
	for i := range n {
		m := message(fmt.Sprint("m", i), []llm.Role{llm.RoleUser, llm.RoleModel}[i%2], llm.Text(fmt.Sprint(i, strings.Repeat(" word", size/5))))
		must(t, j.Append(t.Context(), agent.Entry{Message: m}))
	}
	path := j.Path()
	must(t, j.Close())
	// Messages that a compression of Gemini CLI has replaced do not count.
	data, err := os.ReadFile(path)
	must(t, err)
	theirs := filepath.Join(t.TempDir(), "session-x.jsonl")
	must(t, os.WriteFile(theirs, append(data, `{"$set":{"messages":[]}}`+"\n"+user("a", "hello")...), 0o600))
	if s, err := LoadRecent(theirs); err != nil || s.Omitted > 0 || len(s.Entries) != 1 || s.SessionID != "id" {
		t.Errorf("%+v, %v", s, err)
	}
	whole, err := Load(path)
	must(t, err)
	recent, err := LoadRecent(path)
	must(t, err)
	if len(whole.Entries) != n || whole.Omitted > 0 || recent.SessionID != "id" || recent.Omitted < 8*size || len(recent.Entries) < 30 || recent.Entries[len(recent.Entries)-1].ID != "m39" {
		t.Errorf("%d messages, then %d, without %d bytes", len(whole.Entries), len(recent.Entries), recent.Omitted)
	}
	r, err := Open(path)
	must(t, err)
	j, warnings := newJournal(t, dir)
	j.Resume(r)
	var messages []agent.Message
	for _, e := range r.Entries {
		messages = append(messages, e.Message)
	}
	must(t, j.Begin(t.Context(), "id", messages))
	must(t, j.Append(t.Context(), agent.Entry{Message: message("next", llm.RoleUser, llm.Text("go on"))}))
	must(t, j.Close())
	// From now on, the history is the continued one.
	again, err := Load(path)
	must(t, err)
	if again.Omitted > 0 || len(again.Entries) != len(recent.Entries)+1 || len(*warnings) > 0 {
		t.Errorf("%d messages, %q", len(again.Entries), *warnings)
	}
}

// An id that is a path, or that no file can have as its name, leads nowhere else.
func TestHostileID(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"../../x", "..", "/etc/passwd", `a\b`, "a:b", "\x00", "", strings.Repeat("long", 1000), "ü/\n", "con"} {
		root := t.TempDir()
		dir := filepath.Join(root, "chats")
		for _, kind := range []string{Main, Subagent} {
			j := New(Options{Dir: func() (string, error) { return dir, nil }, Kind: kind, Now: func() time.Time { return start }})
			must(t, j.Begin(t.Context(), id, nil))
			must(t, j.Append(t.Context(), agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))}))
			if s, err := Load(j.Path()); err != nil || id != "" && s.SessionID != strings.ToValidUTF8(id, "\ufffd") || filepath.Dir(j.Path()) != dir {
				t.Errorf("%q: %q, %v", id, j.Path(), err)
			}
			must(t, j.Close())
		}
		if entries, err := os.ReadDir(root); err != nil || len(entries) != 1 {
			t.Errorf("%q: %v, %v", id, entries, err)
		}
	}
}

// The order of a conversation is that of its records, whatever the clock does meanwhile.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := start
	j := New(Options{Dir: func() (string, error) { return dir, nil }, Now: func() time.Time { return now }})
	must(t, j.Begin(t.Context(), "id", []agent.Message{opening}))
	var want []agent.Entry
	for i, jump := range []time.Duration{0, 10 * 365 * 24 * time.Hour, -20 * 365 * 24 * time.Hour, time.Minute} {
		now = start.Add(jump)
		m := message(string(rune('a'+i)), []llm.Role{llm.RoleUser, llm.RoleModel}[i%2], llm.Text("text"))
		m.Time = now
		want = append(want, agent.Entry{Message: m})
		must(t, j.Append(t.Context(), want[i]))
		must(t, j.Touch())
	}
	must(t, j.Close())
	s := loadOnly(t, dir)
	if diff := difference(want, s.Entries); diff != "" || !s.Start.Equal(start) {
		t.Errorf("(-want +got)\n%s", diff)
	}
	goesOn(t, sessionFile(t, dir), s.Entries)
}

// A link to another directory in place of the one of the session files is followed, because it is the
// user's. A link to nothing costs the record.
func TestLinkedDirectory(t *testing.T) {
	t.Parallel()
	root, elsewhere := t.TempDir(), t.TempDir()
	for name, to := range map[string]string{"chats": elsewhere, "dangling": filepath.Join(root, "none")} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skip(err)
		}
	}
	j, warnings := newJournal(t, filepath.Join(root, "chats"))
	must(t, j.Begin(t.Context(), "id", nil))
	must(t, j.Append(t.Context(), agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))}))
	if s := loadOnly(t, elsewhere); len(s.Entries) != 1 || len(*warnings) > 0 {
		t.Errorf("%+v, %q", s.Entries, *warnings)
	}
	j, warnings = newJournal(t, filepath.Join(root, "dangling"))
	must(t, j.Begin(t.Context(), "id", nil))
	for range 2 {
		_ = j.Append(t.Context(), agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))})
	}
	if len(*warnings) != 1 || !strings.Contains((*warnings)[0], "not recorded") {
		t.Errorf("%q", *warnings)
	}
}

// The system reports once that it could not write to the disk. The journal does not forget it, even if
// that was in the background.
func TestFailedSync(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, warnings := newJournal(t, dir)
	must(t, j.Begin(t.Context(), "id", nil))
	must(t, j.Append(t.Context(), agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))}))
	l := j.current.log
	l.soon.Wait()
	good := l.f
	bad, _, err := openRegular(l.path, 0)
	must(t, errors.Join(err, bad.Close()))
	l.size++ // there is something to sync
	l.f = bad
	if l.sync() == nil {
		t.Fatal("a closed file was synced")
	}
	l.f = good
	if err := j.Sync(); err == nil || len(*warnings) != 1 {
		t.Errorf("it is forgotten: %q", *warnings)
	}
}

// TestReplacedTwice checks that only the last of several records that replace the history counts, and messages after it.
// Gemini CLI repeats no header in them, so that all are read.
func TestReplacedTwice(t *testing.T) {
	t.Parallel()
	replaced := func(message string) string {
		return `{"$set":{"messages":[` + strings.TrimSpace(message) + "]}}\n"
	}
	lines := headerLine + replaced(user("a", "first")) + replaced(user("b", "second")) + model("c", "answer")
	s, err := load(strings.NewReader(lines), int64(len(lines)), 1<<60)
	must(t, err)
	if len(s.Entries) != 2 || s.Entries[0].ID != "b" || s.Entries[1].ID != "c" {
		t.Errorf("got %d messages, want the second prompt and the answer", len(s.Entries))
	}
}
