package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/journal"
	"pollux/llm"
)

func search(t *testing.T, s *Store, text string) (found []string) {
	t.Helper()
	infos, err := s.List(t.Context())
	must(t, err)
	list, _, err := Search(t.Context(), infos, text, 0)
	must(t, err)
	for _, f := range list {
		for _, e := range f.Excerpts {
			found = append(found, f.ID+" "+e.Kind+": "+e.Text)
		}
	}
	return found
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := project(t)
	put(t, s, "a", "Fix the \"Quoted\\path\" <b>\nnow", 1)
	put(t, s, "b", "fix the quoted thing again \x1b[31mred "+strings.Repeat("日本", 50), 2)
	at := start
	_, err := journal.Create(s.Dir, journal.Header{SessionID: "c", ProjectHash: "h", Start: at, Updated: at, Kind: journal.Main}, "", []agent.Entry{
		{Message: agent.Message{ID: "1", Time: at, Content: llm.User(llm.Text("run it"))}},
		{Message: agent.Message{ID: "2", Time: at, Content: llm.Model(llm.Part{Text: "secret plan", Thought: true}, llm.Part{FunctionCall: &llm.FunctionCall{ID: "x", Name: "sh", Args: []byte(`{"command":"make needle"}`)}})}},
		{Message: agent.Message{ID: "3", Time: at, Content: llm.User(llm.Part{FunctionResponse: llm.Output("x", "sh", strings.Repeat("x ", 1<<20)+"FOUND")})}},
	}, nil)
	must(t, err)
	tail := strings.TrimSpace(strings.Repeat("日本", 50))
	for text, want := range map[string][]string{
		`"QUOTED\path" <B>`: {`a user: Fix the "Quoted\path" <b> now`},
		"fix the":           {"b user: fix the quoted thing again red " + string([]rune(tail)[:80-len("fix the quoted thing again red ")-5]) + "...", `a user: Fix the "Quoted\path" <b> now`},
		"needle":            {"c tool: make needle"},
		"found":             {"c tool: ..." + strings.Repeat("x ", 20) + "FOUND"},
		"secret plan":       nil,
		"timestamp":         nil, // of the records, not of the text
		"nowhere":           nil,
		"":                  nil,
	} {
		if diff := cmp.Diff(want, search(t, s, text)); diff != "" {
			t.Errorf("%q: -want +got\n%s", text, diff)
		}
	}
}

// A text is found wherever it is in the pieces that are read, and a huge line is passed over.
func TestSearchPieces(t *testing.T) {
	t.Parallel()
	s := project(t)
	const searchedAtOnce = 64 << 10
	header := `{"sessionId":"s","projectHash":"h","kind":"main"}` + "\n" + `{"id":"u","type":"user","content":"x"}` + "\n"
	for shift := range 12 {
		message := `{"id":"m","type":"gemini","content":"the needle is here"}` + "\n"
		padding := searchedAtOnce - len(header) - strings.Index(message, "needle") - shift + 3
		filler := `{"id":"f","type":"info","content":"` + strings.Repeat("-", padding-len(`{"id":"f","type":"info","content":""}`+"\n")) + `"}` + "\n"
		must(t, os.WriteFile(filepath.Join(s.Dir, "session-s.jsonl"), []byte(header+filler+message), 0o600))
		if diff := cmp.Diff([]string{"s gemini: the needle is here"}, search(t, s, "needle")); diff != "" {
			t.Fatalf("%d: %s", shift, diff)
		}
	}
	path := filepath.Join(s.Dir, "session-s.jsonl")
	f, err := os.Create(path)
	must(t, err)
	defer f.Close()
	_, err = f.WriteString(header + `{"id":"b","type":"user","content":"needle first`)
	must(t, err)
	_, err = f.WriteAt([]byte("needle\"}\n"+`{"id":"m","type":"gemini","content":"the needle"}`+"\n"), 100<<20)
	must(t, err)
	if diff := cmp.Diff([]string{"s gemini: the needle"}, search(t, s, "needle")); diff != "" {
		t.Errorf("%s", diff)
	}
}

// A search returns the sessions used last, and reports whether there are more.
func TestSearchLimit(t *testing.T) {
	t.Parallel()
	s := project(t)
	const n = 30
	for i := range n {
		put(t, s, fmt.Sprint("id", i), []string{"the Wörd is here", "nothing"}[i%2], i)
	}
	infos, err := s.List(t.Context())
	must(t, err)
	for _, tt := range []struct {
		limit, found int
		hasMore      bool
	}{{0, 15, false}, {1, 1, true}, {4, 4, true}, {14, 14, true}, {15, 15, false}, {99, 15, false}} {
		found, hasMore, err := Search(t.Context(), infos, "WÖRD", tt.limit)
		if err != nil || len(found) != tt.found || hasMore != tt.hasMore {
			t.Fatalf("%+v: %d found, %v, %v", tt, len(found), hasMore, err)
		}
		for i, f := range found {
			if f.ID != fmt.Sprint("id", n-2-2*i) {
				t.Errorf("%+v: %d. %s", tt, i, f.ID)
			}
		}
	}
}
