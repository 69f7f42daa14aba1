package journal

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/process/processtest"
	"pollux/llm"
)

// longSession writes a session with records of each kind. It returns its file and the history
// after each of its lines.
func longSession(t *testing.T) (data []byte, after [][]agent.Entry) {
	t.Helper()
	dir, ctx := t.TempDir(), t.Context()
	j, _ := newJournal(t, dir)
	must(t, j.Begin(ctx, "id", []agent.Message{opening}))
	add := func(m agent.Message, calls ...agent.CallRecord) {
		must(t, j.Append(ctx, agent.Entry{Message: m, Calls: calls}))
	}
	add(message("p1", llm.RoleUser, llm.Text("one")))
	add(message("a1", llm.RoleModel, llm.Text("I write."), call("c1"), call("c2")))
	must(t, j.BeginCall("c1"))
	must(t, j.BeginCall("c2"))
	must(t, j.EndCall(agent.Entry{Message: message("", llm.RoleUser, response("c2")), Calls: []agent.CallRecord{{ID: "c2", Name: "write_file", Status: agent.Failed}}}))
	results := agent.Entry{Message: message("r1", llm.RoleUser, response("c1"), response("c2")), Calls: []agent.CallRecord{{ID: "c1", Status: agent.Success}, {ID: "c2", Status: agent.Failed}}}
	must(t, j.EndCalls(results))
	add(message("r1", llm.RoleUser, response("c1"), response("c2")), agent.CallRecord{ID: "c1", Status: agent.Success}, agent.CallRecord{ID: "c2", Status: agent.Failed})
	add(message("a2", llm.RoleModel, llm.Text(strings.Repeat("long ", 100))))
	must(t, j.Touch())
	summary := message("s", llm.RoleUser, llm.Text("a summary"))
	must(t, j.Replace(ctx, []agent.Message{opening, summary, j.current.live[3].Message}))
	add(message("p2", llm.RoleUser, llm.Text("two")))
	add(message("a3", llm.RoleModel, llm.Text("answer")))
	must(t, j.Rewind(ctx, "p2"))
	add(message("p3", llm.RoleUser, llm.Text("three")))
	must(t, j.Replace(ctx, []agent.Message{opening, summary, message("a2", llm.RoleModel, llm.Text("short")), j.current.live[2].Message}))
	must(t, j.SetSummary("a title"))
	must(t, j.Close())
	data, err := os.ReadFile(sessionFile(t, dir))
	must(t, err)
	for i, c := range data {
		if c == '\n' {
			s, err := load(bytes.NewReader(data[:i+1]), int64(i+1), 1<<60)
			must(t, err)
			after = append(after, s.Entries)
		}
	}
	return data, after
}

// A session goes on from the complete lines of its file, wherever the file ends.
func TestCut(t *testing.T) {
	t.Parallel()
	data, after := longSession(t)
	path := filepath.Join(t.TempDir(), "session-x.jsonl")
	for end := bytes.IndexByte(data, '\n'); end < len(data); end++ {
		isEdge := data[end] == '\n' || data[end-1] == '\n'
		if !isEdge && end%5 > 0 && !processtest.IsLong() {
			continue
		}
		want := after[max(1, bytes.Count(data[:end+1], []byte("\n")))-1]
		s, err := load(bytes.NewReader(data[:end]), int64(end), 1<<60)
		must(t, err)
		if whole := difference(want, s.Entries); whole != "" {
			before := after[max(1, bytes.Count(data[:end], []byte("\n")))-1]
			if diff := difference(before, s.Entries); diff != "" {
				t.Fatalf("cut at %d of %d: (-want +got)\n%s", end, len(data), diff)
			}
		}
		if end%215 > 0 && !isEdge {
			continue
		}
		must(t, os.WriteFile(path, data[:end], 0o600))
		goesOn(t, path, s.Entries)
	}
}

// goesOn resumes a session with a history and adds a message.
func goesOn(t *testing.T, path string, history []agent.Entry) {
	t.Helper()
	r, err := Open(path)
	must(t, err)
	if diff := difference(history, r.Entries); diff != "" {
		t.Fatalf("opened for writing, it is another history: (-want +got)\n%s", diff)
	}
	j, warnings := newJournal(t, filepath.Dir(path))
	j.Resume(r)
	messages := []agent.Message{opening}
	for _, e := range r.Entries {
		messages = append(messages, e.Message)
	}
	must(t, j.Begin(t.Context(), r.SessionID, messages))
	next := agent.Entry{Message: message("next", llm.RoleUser, llm.Text("go on"))}
	must(t, j.Append(t.Context(), next))
	must(t, j.Close())
	s, err := Load(path)
	must(t, err)
	if diff := difference(append(history, next), s.Entries); diff != "" || len(*warnings) > 0 {
		t.Fatalf("%q (-want +got)\n%s", *warnings, diff)
	}
}

// Damage to a line costs that line: the others keep their meaning, and the history stays valid.
func TestDamage(t *testing.T) {
	t.Parallel()
	data, _ := longSession(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		bad := bytes.Clone(data)
		from := bytes.IndexByte(bad, '\n') + 1
		for range 1 + r.IntN(3) {
			at := from + r.IntN(len(bad)-from)
			switch r.IntN(4) {
			case 0:
				bad[at] ^= 1 << r.IntN(8)
			case 1: // a block that was not written
				clear(bad[at:min(at+512, len(bad))])
			case 2:
				bad[at] = '\n'
			case 3:
				bad = append(bad[:at], bad[min(at+r.IntN(2000), len(bad)):]...)
				if len(bad) <= from {
					bad = bytes.Clone(data)
				}
			}
		}
		s, err := load(bytes.NewReader(bad), int64(len(bad)), 1<<60)
		must(t, err)
		checkValid(t, s.Entries)
	}
}

// checkValid fails the test for a history that vendors refuse.
func checkValid(t *testing.T, entries []agent.Entry) {
	t.Helper()
	var open []*llm.FunctionCall
	for _, e := range entries {
		results := 0
		for _, p := range e.Content.Parts {
			if p.FunctionResponse != nil {
				results++
			}
		}
		if results != len(open) {
			t.Fatalf("%d calls have %d results: %+v", len(open), results, entries)
		}
		open = e.Content.FunctionCalls()
	}
	if len(open) > 0 {
		t.Fatalf("the last calls have no result: %+v", entries)
	}
}

// A call without a result was interrupted. If the file does not record which calls begin, it may have begun.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	j, _ := newJournal(t, dir)
	must(t, j.Begin(ctx, "id", nil))
	must(t, j.Append(ctx, agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))}))
	must(t, j.Append(ctx, agent.Entry{Message: message("a", llm.RoleModel, call("c1"), call("c2"))}))
	must(t, j.Close())
	untrack(t, sessionFile(t, dir))
	s := loadOnly(t, dir)
	if len(s.Interrupted) != 2 || !s.Interrupted[0].HasRun || s.Interrupted[0].ID != "c1" || s.Interrupted[1].Name != "write_file" || len(s.Entries) != 3 {
		t.Fatalf("%+v", s)
	}
	if got := string(s.Entries[2].Content.Parts[1].FunctionResponse.Response); got != `{"error":"`+interruptedText+`"}` {
		t.Errorf("the model gets %s", got)
	}
	goesOn(t, sessionFile(t, dir), s.Entries)
	if s := loadOnly(t, dir); s.Interrupted != nil {
		t.Errorf("interrupted again: %+v", s.Interrupted)
	}
}

// Where only some calls of the last response have results, the others were interrupted.
func TestPartlyInterrupted(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	j, _ := newJournal(t, dir)
	must(t, j.Begin(ctx, "id", nil))
	must(t, j.Append(ctx, agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))}))
	must(t, j.Append(ctx, agent.Entry{Message: message("a", llm.RoleModel, call("c1"), call("c2"))}))
	must(t, j.Append(ctx, agent.Entry{Message: message("r", llm.RoleUser, response("c1"))}))
	must(t, j.Close())
	untrack(t, sessionFile(t, dir))
	s := loadOnly(t, dir)
	if len(s.Interrupted) != 1 || s.Interrupted[0].ID != "c2" || len(s.Entries) != 3 {
		t.Fatalf("%+v", s)
	}
	if calls := s.Entries[2].Calls; len(calls) != 1 || calls[0].ID != "c2" || !calls[0].HasRun {
		t.Errorf("the calls that can be proposed again are %+v", calls)
	}
	checkValid(t, s.Entries)
	goesOn(t, sessionFile(t, dir), s.Entries)
}

// untrack makes a session file one that does not record which calls begin.
func untrack(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, bytes.ReplaceAll(data, []byte(`,"tracked":true`), nil), 0o600))
}

// One journal at a time writes a file.
func TestInUse(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	j, _ := newJournal(t, dir)
	must(t, j.Begin(ctx, "id", nil))
	must(t, j.Append(ctx, agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))}))
	if _, err := Open(j.Path()); !errors.Is(err, ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
	if s := loadOnly(t, dir); len(s.Entries) != 1 {
		t.Errorf("%+v", s)
	}
	path := j.Path()
	must(t, j.Close())
	r, err := Open(path)
	must(t, err)
	r.Close()
}

// If another program writes to the file, or removes it, the session goes on in a file of its own.
func TestForeignWriter(t *testing.T) {
	t.Parallel()
	for name, disturb := range map[string]func(path string) error{
		"appends": func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString(`{"id":"theirs","timestamp":"2026-11-21T12:00:00.000Z","type":"user","content":"theirs"}` + "\n")
			return err
		},
		"truncates": func(path string) error { return os.Truncate(path, 10) },
		"removes":   os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, ctx := t.TempDir(), t.Context()
			j, warnings := newJournal(t, dir)
			must(t, j.Begin(ctx, "id", []agent.Message{opening}))
			first := agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))}
			second := agent.Entry{Message: message("a", llm.RoleModel, llm.Text("two"))}
			must(t, j.Append(ctx, first))
			path := j.Path()
			must(t, disturb(path))
			must(t, j.Append(ctx, second))
			must(t, j.Sync())
			if len(*warnings) != 1 || j.Path() == path && name != "removes" {
				t.Errorf("%s: %q", j.Path(), *warnings)
			}
			s, err := Load(j.Path())
			must(t, err)
			if diff := difference([]agent.Entry{first, second}, s.Entries); diff != "" || s.ForkOf != "id" {
				t.Errorf("%s (-want +got)\n%s", s.ForkOf, diff)
			}
		})
	}
}

// A response counts with its prompt and its time, also if the record goes on in another file in between.
// Records of the first file count there.
func TestForeignWriterUsage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		disturb func(path string) error
		prompts int
	}{
		"removes":   {os.Remove, 1},
		"truncates": {func(path string) error { return os.Truncate(path, 10) }, 1},
		"appends": {func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("{}\n")
			return err
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, ctx := t.TempDir(), t.Context()
			j, _ := newJournal(t, dir)
			must(t, j.Begin(ctx, "id", []agent.Message{opening}))
			prompt := message("p", llm.RoleUser, llm.Text("one"))
			prompt.IsPrompt = true
			must(t, j.Append(ctx, agent.Entry{Message: prompt}))
			must(t, tt.disturb(j.Path()))
			answer := message("a", llm.RoleModel, llm.Text("two"))
			answer.Time, answer.Usage, answer.Model = start.Add(8*time.Second), &llm.Usage{Total: 7}, "m"
			must(t, j.Append(ctx, agent.Entry{Message: answer}))
			u, err := ReadUsage(j.Path())
			must(t, err)
			var all Counts
			for i := range u.Rows {
				all.Add(&u.Rows[i].Counts)
			}
			if all.Prompts != tt.prompts || all.Requests != 1 || all.ModelTime != 8000 {
				t.Errorf("%+v", all)
			}
		})
	}
}

// Messages of a conversation that another one has replaced can be read again.
func TestReplacedByOther(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	j, _ := newJournal(t, dir)
	must(t, j.Begin(ctx, "id", []agent.Message{opening}))
	first := agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))}
	must(t, j.Append(ctx, first))
	must(t, j.Begin(ctx, "id", []agent.Message{opening, message("q", llm.RoleUser, llm.Text("saved"))}))
	must(t, j.Append(ctx, agent.Entry{Message: message("r", llm.RoleUser, llm.Text("two"))}))
	must(t, j.Close())
	if s := loadOnly(t, dir); len(s.Entries) != 2 || s.Entries[0].ID != "q" {
		t.Errorf("%+v", s.Entries)
	}
	before, ok, err := LoadBeforeRewind(sessionFile(t, dir))
	must(t, err)
	if !ok {
		t.Fatal("there is no rewind")
	}
	if diff := difference([]agent.Entry{first}, before.Entries); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A place where nothing can be written costs the record and one warning.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	link := func(dir string) error {
		return os.Symlink("/dev/null", filepath.Join(dir, "session-2026-11-21T12-00-id-0.jsonl"))
	}
	dir := t.TempDir()
	must(t, link(dir))
	j, warnings := newJournal(t, dir)
	must(t, j.Begin(t.Context(), "id", nil))
	must(t, j.Append(t.Context(), agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))}))
	if filepath.Base(j.Path()) == "session-2026-11-21T12-00-id-0.jsonl" {
		t.Error("wrote through a link")
	}
	if _, err := Open(filepath.Join(dir, "session-2026-11-21T12-00-id-0.jsonl")); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a link is opened: %v", err)
	}
	if len(*warnings) > 0 {
		t.Error(*warnings)
	}

	blocked, warnings := newJournal(t, "/dev/null/x")
	must(t, blocked.Begin(t.Context(), "id", nil))
	for range 3 {
		_ = blocked.Append(t.Context(), agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))})
	}
	if len(*warnings) != 1 || !strings.Contains((*warnings)[0], "not a directory") {
		t.Errorf("%q", *warnings)
	}
}
