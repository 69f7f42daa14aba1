package journal

import (
	"errors"
	"os"
	"testing"

	"pollux/agent"
	"pollux/llm"
)

// recorded records a session of two prompts, the first of which calls two tools, and returns its
// history.
func recorded(t *testing.T, j *Journal) []agent.Entry {
	t.Helper()
	entries := []agent.Entry{
		{Message: message("p1", llm.RoleUser, llm.Text("one"))},
		{Message: message("m1", llm.RoleModel, call("c1"), call("c2"))},
		{Message: message("r1", llm.RoleUser, response("c1"), response("c2")), Calls: []agent.CallRecord{
			{ID: "c1", Name: "write_file", Status: agent.Success, HasRun: true, Ended: start},
			{ID: "c2", Name: "write_file", Status: agent.CallCancelled, HasRun: true, Ended: start},
		}},
		{Message: message("m2", llm.RoleModel, llm.Text("done"))},
		{Message: message("p2", llm.RoleUser, llm.Text("two"))},
		{Message: message("m3", llm.RoleModel, llm.Text("done, too"))},
	}
	for i := range entries {
		entries[i].IsPrompt = entries[i].ID[0] == 'p'
	}
	must(t, j.Begin(t.Context(), "first", nil))
	for _, e := range entries {
		must(t, j.Append(t.Context(), e))
	}
	return entries
}

// A branch is a file of its own with the calls of its messages. The session until then stays as it is.
func TestBranch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, warnings := newJournal(t, dir)
	entries := recorded(t, j)
	before, err := os.ReadFile(j.Path())
	must(t, err)
	origin := j.Path()
	j.Branch("second")
	var history []agent.Message
	for _, e := range entries[:4] {
		history = append(history, e.Message)
	}
	must(t, j.Begin(t.Context(), "second", nil)) // as an agent that restarts
	must(t, j.Begin(t.Context(), "second", history))
	if calls := j.Calls()["r1"]; len(calls) != 2 || !calls[1].HasRun {
		t.Errorf("calls before the first record: %+v", calls)
	}
	must(t, j.Append(t.Context(), agent.Entry{Message: message("p3", llm.RoleUser, llm.Text("three"))}))
	copied := j.Path()
	must(t, j.Close())
	after, err := os.ReadFile(origin)
	must(t, err)
	s, err := Load(copied)
	must(t, err)
	if string(after) != string(before) || copied == origin || len(*warnings) > 0 {
		t.Errorf("the session until then has changed: %s\n%v", after, *warnings)
	}
	if s.ForkOf != "first" || s.SessionID != "second" || len(s.Entries) != 5 || len(s.Entries[2].Calls) != 2 || !s.Entries[2].Calls[1].HasRun {
		t.Errorf("%+v", s)
	}
}

// A rewind of a closed session is in its file, and the session before it is still there.
func TestRewindFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, _ := newJournal(t, dir)
	recorded(t, j)
	path := j.Path()
	if _, err := Open(path); !errors.Is(err, ErrInUse) {
		t.Fatal(err)
	}
	must(t, j.Close())
	if _, ok, err := LoadBeforeRewind(path); ok || err != nil {
		t.Fatalf("before a rewind: %v, %v", ok, err)
	}
	r, err := Open(path)
	must(t, err)
	must(t, r.Rewind("p2"))
	r.Close()
	if s := loadOnly(t, dir); len(s.Entries) != 4 || s.Lost > 0 {
		t.Errorf("after the rewind: %+v", s)
	}
	s, ok, err := LoadBeforeRewind(path)
	must(t, err)
	if !ok || len(s.Entries) != 6 || s.SessionID != "first" {
		t.Errorf("before the rewind: %v, %+v", ok, s)
	}
}
