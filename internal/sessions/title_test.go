package sessions

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/journal"
	"pollux/llm"
)

// writer is a model that writes titles.
type writer struct {
	llm.Generator
	answer string
	err    error
	asked  []string
	during func()
}

func (w *writer) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	w.asked = append(w.asked, req.Contents[0].Text())
	if w.during != nil {
		w.during()
	}
	if w.err != nil {
		return nil, w.err
	}
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(w.answer))}}}, nil
}

func (w *writer) titler() Titler {
	return Titler{
		Generator:    w,
		ResolveModel: func(alias string) (string, llm.Config, error) { return "model-of-" + alias, llm.Config{}, nil },
		MayRead:      func(model string) bool { return model == "m" },
	}
}

// talk writes a session with prompts, each of which has an answer, and returns its path.
func talk(t *testing.T, dir, id string, start time.Time, prompts ...string) string {
	t.Helper()
	var history []agent.Entry
	for _, p := range prompts {
		history = append(
			history,
			agent.Entry{Message: agent.Message{ID: p, Content: llm.User(llm.Text(p)), IsPrompt: true}},
			agent.Entry{Message: agent.Message{ID: "answer to " + p, Content: llm.Model(llm.Text("Answer to " + p)), Model: "m"}},
		)
	}
	path, err := journal.Create(dir, journal.Header{SessionID: id, Start: start, Updated: start, Kind: journal.Main}, "", history, nil)
	must(t, err)
	return path
}

// claim opens a session file as another process does.
func claim(t *testing.T, path string) {
	t.Helper()
	release, err := journal.Claim(path)
	must(t, err)
	t.Cleanup(release)
}

func edit(t *testing.T, path, before, after string) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(data), before, after)), 0o600))
}

func listed(t *testing.T, s *Store) string {
	t.Helper()
	infos, err := s.List(t.Context())
	must(t, err)
	var all []string
	for _, i := range infos {
		all = append(all, i.Title)
	}
	return strings.Join(all, " | ")
}

// The last session that needs a title gets one, and the next time the one before it.
func TestAddTitle(t *testing.T) {
	t.Parallel()
	s, now := &Store{Dir: t.TempDir()}, time.Now()
	talk(t, s.Dir, "one", now.Add(-5*time.Hour), "a", "b")
	talk(t, s.Dir, "two", now.Add(-4*time.Hour), "c", "d")
	talk(t, s.Dir, "short", now.Add(-3*time.Hour), "e")
	talk(t, s.Dir, "current", now.Add(-2*time.Hour), "f", "g")
	w := &writer{answer: "# Title: \"Made \x1b[31mtea\"\n"}
	for _, want := range []string{"a | Made tea | e | f", "Made tea | Made tea | e | f", "Made tea | Made tea | e | f"} {
		if _, err := s.AddTitle(t.Context(), "current", w.titler()); err != nil {
			t.Error(err)
		}
		if got := listed(t, s); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	if len(w.asked) != 2 || !strings.Contains(w.asked[0], "\nUser: c\n\nAssistant: Answer to c\n\nUser: d\n\nAssistant: Answer to d\n") {
		t.Errorf("%d requests: %s", len(w.asked), w.asked)
	}
}

// A session that another process has open, or that no process locks, gets no title.
func TestNoTitle(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(t *testing.T, path string, w *writer){
		"open": func(t *testing.T, path string, _ *writer) {
			claim(t, path)
		},
		"opened meanwhile": func(t *testing.T, path string, w *writer) {
			w.during = func() { claim(t, path) }
		},
		"deleted meanwhile": func(t *testing.T, path string, w *writer) {
			w.during = func() { _ = os.Remove(path) }
		},
		"of Gemini CLI": func(t *testing.T, path string, _ *writer) {
			edit(t, path, `"pollux":1`, `"x":1`)
		},
		"of another model": func(t *testing.T, path string, _ *writer) {
			edit(t, path, `"model":"m"`, `"model":"n"`)
		},
		"of an old version": func(t *testing.T, path string, _ *writer) {
			old := `{"sessionId":"one","startTime":"2026-01-01T10:00:00.000Z","lastUpdated":"2026-01-01T10:00:00.000Z","messages":[` +
				`{"id":"1","type":"user","content":"a"},{"id":"2","type":"gemini","content":"A","model":"m"},{"id":"3","type":"user","content":"b"}]}`
			must(t, os.WriteFile(path, []byte(old), 0o600))
			must(t, os.Chtimes(path, start, start))
		},
		"offline":   func(t *testing.T, _ string, w *writer) { w.err = errors.New("offline") },
		"no answer": func(t *testing.T, _ string, w *writer) { w.answer = " \n**\n\u202e" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := &Store{Dir: t.TempDir()}, &writer{answer: "Title"}
			path := talk(t, s.Dir, "one", time.Now(), "a", "b")
			prepare(t, path, w)
			before, _ := os.ReadFile(path)
			_, err := s.AddTitle(t.Context(), "current", w.titler())
			if asks := w.during != nil || w.err != nil || w.answer != "Title"; asks != (err != nil) || asks != (len(w.asked) > 0) {
				t.Errorf("%d requests: %v", len(w.asked), err)
			}
			after, _ := os.ReadFile(path)
			if name != "deleted meanwhile" && string(before) != string(after) {
				t.Errorf("the file has changed: %s", after)
			}
			if files, _ := filepath.Glob(filepath.Join(s.Dir, "*")); name == "deleted meanwhile" && len(files) > 0 {
				t.Errorf("left %s", files)
			}
		})
	}
}

// The model gets the ends of a long session.
func TestTitleExcerpt(t *testing.T) {
	t.Parallel()
	var prompts []string
	for i := range 15 {
		prompts = append(prompts, strings.Repeat(string(rune('a'+i)), 600))
	}
	s, w := &Store{Dir: t.TempDir()}, &writer{answer: "Title"}
	talk(t, s.Dir, "one", time.Now(), prompts...)
	_, err := s.AddTitle(t.Context(), "", w.titler())
	must(t, err)
	got := w.asked[0]
	if strings.Count(got, "User: ") != 10 || strings.Count(got, "Assistant: ") != 10 || strings.Contains(got, "fff") || !strings.Contains(got, "eee") ||
		!strings.Contains(got, "[...]") || !strings.Contains(got, "kkk") || strings.Contains(got, strings.Repeat("a", 498)) || !strings.Contains(got, strings.Repeat("a", 497)) {
		t.Error(got)
	}
}

func TestCleanTitle(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"Fix the login test":             "Fix the login test",
		"\n\n  \"Fix it.\"\nMore of it.": "Fix it",
		"## **Title:** Fix `x.go`":       "Fix x.go",
		"„Prüfe den Parser“":             "Prüfe den Parser",
		"Rename __init__":                "Rename __init__",
		"TITLE: Fix":                     "Fix",
		"a\u202eb\x1b]0;c\x07d\x00":      "abd",
		"":                               "",
		"\"\"\n``\n...":                  "",
		strings.Repeat("é", 100):         strings.Repeat("é", 77) + "...",
		strings.Repeat("word ", 30):      strings.TrimSuffix(strings.Repeat("word ", 15), " ") + "...",
	} {
		got := cleanTitle(answer)
		if got != want || len([]rune(got)) > titleLength {
			t.Errorf("%q: %q", answer, got)
		}
	}
}
