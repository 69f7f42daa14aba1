package journal

import (
	"os"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/llm"
)

// inBatch returns a journal with a response that has three calls.
func inBatch(t *testing.T) (j *Journal, dir string) {
	t.Helper()
	dir = t.TempDir()
	j, _ = newJournal(t, dir)
	must(t, j.Begin(t.Context(), "id", []agent.Message{opening}))
	must(t, j.Append(t.Context(), agent.Entry{Message: message("p", llm.RoleUser, llm.Text("one"))}))
	must(t, j.Append(t.Context(), agent.Entry{Message: message("a", llm.RoleModel, call("c1"), call("c2"), call("c3"))}))
	return j, dir
}

func ended(status agent.Status, ids ...string) agent.Entry {
	e := agent.Entry{Message: message("", llm.RoleUser)}
	for _, id := range ids {
		e.Content.Parts = append(e.Content.Parts, response(id))
		e.Calls = append(e.Calls, agent.CallRecord{ID: id, Name: "write_file", Status: status, HasRun: true, Ended: start.Add(time.Second)})
	}
	return e
}

// The calls of a broken batch have the results that they have had, or one that tells those that had begun from
// those that had not.
func TestOpenCalls(t *testing.T) {
	t.Parallel()
	whole := func() agent.Entry {
		e := ended(agent.Success, "c1", "c2", "c3")
		e.ID = "r"
		return e
	}
	for name, tt := range map[string]struct {
		play        func(*testing.T, *Journal)
		want        [3]string // in the results
		interrupted string
		isInUse     bool
		repeatsIDs  bool
	}{
		"none has begun": {func(*testing.T, *Journal) {}, [3]string{agent.NotBegun, agent.NotBegun, agent.NotBegun}, "c1- c2- c3-", false, false},
		"one has begun": {func(t *testing.T, j *Journal) {
			must(t, j.BeginCall("c1"))
		}, [3]string{agent.CutOff, agent.NotBegun, agent.NotBegun}, "c1 c2- c3-", false, false},
		"one has ended, and one has begun": {func(t *testing.T, j *Journal) {
			must(t, j.BeginCall("c1"))
			must(t, j.EndCall(ended(agent.Success, "c1")))
			must(t, j.BeginCall("c2"))
		}, [3]string{`{"output":"done"}`, agent.CutOff, agent.NotBegun}, "c2 c3-", false, false},
		"in use": {func(t *testing.T, j *Journal) {
			must(t, j.EndCall(ended(agent.Success, "c1")))
			must(t, j.BeginCall("c2"))
		}, [3]string{`{"output":"done"}`, interruptedText, interruptedText}, "", true, false},
		"not in order": {func(t *testing.T, j *Journal) {
			must(t, j.EndCall(ended(agent.Failed, "c3")))
			must(t, j.SetSummary("title"))
			must(t, j.BeginCall("c2"))
		}, [3]string{agent.NotBegun, agent.CutOff, `{"output":"done"}`}, "c1- c2", false, false},
		"in another file": {func(t *testing.T, j *Journal) {
			must(t, j.BeginCall("c1"))
			must(t, j.EndCall(ended(agent.Success, "c1")))
			must(t, os.Remove(j.Path()))
			must(t, j.BeginCall("c2"))
		}, [3]string{`{"output":"done"}`, agent.CutOff, agent.NotBegun}, "c2 c3-", false, false},
		"all": {func(t *testing.T, j *Journal) {
			must(t, j.EndCall(ended(agent.Success, "c1")))
			must(t, j.EndCalls(whole()))
		}, [3]string{`{"output":"done"}`, `{"output":"done"}`, `{"output":"done"}`}, "", false, false},
		"all, before a compression": {func(t *testing.T, j *Journal) {
			must(t, j.EndCalls(whole()))
			must(t, j.Replace(t.Context(), []agent.Message{opening, message("s", llm.RoleUser, llm.Text("summary")), j.current.live[1].Message}))
		}, [3]string{`{"output":"done"}`, `{"output":"done"}`, `{"output":"done"}`}, "", false, false},
		"sent": {func(t *testing.T, j *Journal) {
			e := whole()
			must(t, j.EndCalls(e))
			must(t, j.Append(t.Context(), e))
		}, [3]string{`{"output":"done"}`, `{"output":"done"}`, `{"output":"done"}`}, "", false, false},
		"sent shorter": {func(t *testing.T, j *Journal) {
			must(t, j.EndCalls(whole()))
			e := whole()
			e.Content = llm.User(response("c1"), response("c2"), llm.Part{FunctionResponse: llm.Output("c3", "write_file", "short")})
			must(t, j.Append(t.Context(), e))
		}, [3]string{`{"output":"done"}`, `{"output":"done"}`, `{"output":"short"}`}, "", false, false},
		"forgotten": {func(t *testing.T, j *Journal) {
			must(t, j.EndCalls(whole()))
			must(t, j.Rewind(t.Context(), "r"))
			must(t, j.BeginCall("c1"))
		}, [3]string{agent.CutOff, agent.NotBegun, agent.NotBegun}, "c1 c2- c3-", false, false},
		"forgotten by another history": {func(t *testing.T, j *Journal) {
			must(t, j.EndCalls(whole()))
			history := []agent.Message{opening}
			for _, e := range j.current.live[:2] {
				history = append(history, e.Message)
			}
			must(t, j.Begin(t.Context(), "id", history))
			must(t, j.Replace(t.Context(), append([]agent.Message{opening, message("s", llm.RoleUser, llm.Text("summary"))}, history[2])))
			must(t, j.BeginCall("c3"))
		}, [3]string{agent.NotBegun, agent.NotBegun, agent.CutOff}, "c1- c2- c3", false, false},
		"calls of an earlier response": {func(t *testing.T, j *Journal) {
			must(t, j.EndCall(ended(agent.Success, "c1")))
			must(t, j.BeginCall("c2"))
			must(t, j.EndCalls(whole()))
			must(t, j.Append(t.Context(), whole()))
			must(t, j.Append(t.Context(), agent.Entry{Message: message("b", llm.RoleModel, call("c1"), call("c2"), call("c3"))}))
		}, [3]string{agent.NotBegun, agent.NotBegun, agent.NotBegun}, "c1- c2- c3-", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, _ := inBatch(t)
			tt.play(t, j)
			s, err := Load(j.Path())
			must(t, err)
			if tt.isInUse {
				s.MarkInUse()
			}
			checkValid(t, s.Entries)
			last := s.Entries[len(s.Entries)-1]
			if len(last.Content.Parts) != 3 || s.Lost > 0 || !s.isExact {
				t.Fatalf("%d lost, exact: %v, %+v", s.Lost, s.isExact, s.Entries)
			}
			for i, want := range tt.want {
				if got := string(last.Content.Parts[i].FunctionResponse.Response); !strings.Contains(got, want) {
					t.Errorf("call %d: %s, want %s", i+1, got, want)
				}
				if c := last.Calls[i]; c.HasRun == (want == agent.NotBegun) || c.IsInterrupted != (want == agent.NotBegun) || (c.Status == agent.CallCancelled) != strings.HasPrefix(want, "I") {
					t.Errorf("call %d is %+v", i+1, c)
				}
			}
			var names []string
			for _, c := range s.Interrupted {
				if names = append(names, c.ID); !c.HasRun {
					names[len(names)-1] += "-"
				}
			}
			if got := strings.Join(names, " "); got != tt.interrupted {
				t.Errorf("interrupted: %s, want %s", got, tt.interrupted)
			}
			if path := j.Path(); !tt.isInUse && !tt.repeatsIDs {
				must(t, j.Close())
				goesOn(t, path, s.Entries)
			}
		})
	}
}

// Results that join the history as they were recorded are in the file once, and their time is that of the message if
// that is much later.
func TestEndCallsOnce(t *testing.T) {
	t.Parallel()
	for later, want := range map[time.Duration]int{0: 1, 10 * time.Second: 2} {
		j, _ := inBatch(t)
		e := ended(agent.Success, "c1", "c2", "c3")
		e.ID = "r"
		must(t, j.EndCalls(e))
		e.Time = e.Time.Add(later)
		must(t, j.Append(t.Context(), e))
		data, err := os.ReadFile(j.Path())
		must(t, err)
		if got := strings.Count(string(data), `{"id":"r",`); got != want {
			t.Errorf("%v later: %d records of the message:\n%s", later, got, data)
		}
		s, err := Load(j.Path())
		must(t, err)
		if last := s.Entries[2]; !last.Time.Equal(e.Time) || len(last.Calls) != 3 {
			t.Errorf("%v later: %+v", later, last)
		}
	}
}

// Results that were recorded before a compression are in its record with the time at which they join the history, and not once more after it.
func TestEndCallsBeforeReplace(t *testing.T) {
	t.Parallel()
	j, _ := inBatch(t)
	e := ended(agent.Success, "c1", "c2", "c3")
	e.ID = "r"
	must(t, j.EndCalls(e))
	now := e.Time.Add(10 * time.Second) // the summary takes its time
	j.o.Now = func() time.Time { return now }
	must(t, j.Replace(t.Context(), []agent.Message{message("s", llm.RoleUser, llm.Text("summary")), message("a", llm.RoleModel, call("c1"), call("c2"), call("c3"))}))
	e.Time = now
	must(t, j.Append(t.Context(), e))
	data, err := os.ReadFile(j.Path())
	must(t, err)
	if got := strings.Count(string(data), `{"id":"r",`); got != 2 {
		t.Errorf("%d records of the message:\n%s", got, data)
	}
	s, err := Load(j.Path())
	must(t, err)
	if last := s.Entries[len(s.Entries)-1]; last.ID != "r" || !last.Time.Equal(now) || len(last.Calls) != 3 {
		t.Errorf("%+v", last)
	}
}

// Another file has no records about calls whose results it has.
func TestNoCallsInAnotherFile(t *testing.T) {
	t.Parallel()
	j, _ := inBatch(t)
	must(t, j.BeginCall("c1"))
	must(t, j.EndCall(ended(agent.Success, "c1")))
	e := ended(agent.Success, "c1", "c2", "c3")
	e.ID = "r"
	must(t, j.EndCalls(e))
	must(t, os.Remove(j.Path()))
	must(t, j.Touch())
	data, err := os.ReadFile(j.Path())
	must(t, err)
	if text := string(data); strings.Contains(text, "begun") || strings.Contains(text, `"result"`) || strings.Count(text, `{"id":"r",`) != 1 {
		t.Errorf("the other file is %s", text)
	}
}

// Records about calls change no statistics.
func TestUsageOfOpenCalls(t *testing.T) {
	t.Parallel()
	j, _ := inBatch(t)
	for _, id := range []string{"c1", "c2"} {
		must(t, j.BeginCall(id))
		must(t, j.EndCall(ended(agent.Success, id)))
	}
	e := ended(agent.Success, "c1", "c2", "c3")
	e.ID = "r"
	must(t, j.EndCalls(e))
	must(t, j.Append(t.Context(), e))
	must(t, j.Close())
	u, err := ReadUsage(j.Path())
	must(t, err)
	calls := 0
	for _, row := range u.Rows {
		calls += row.Calls
	}
	if calls != 3 {
		t.Errorf("%d calls: %+v", calls, u.Rows)
	}
}
