package sessions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/journal"
)

func TestImport(t *testing.T) {
	t.Parallel()
	const contents = `[{"role":"user","parts":[{"text":"<session_context>x"}]},{"role":"user","parts":[{"text":"hello"}]},{"role":"model","parts":[{"text":"hi"}]}]`
	const header = `{"sessionId":"old","projectHash":"other","startTime":"2020-01-01T00:00:00.000Z","lastUpdated":"2020-01-01T00:00:00.000Z","kind":"main"}`
	const messages = `{"id":"a","type":"user","content":[{"text":"hello"}]}` + "\n" + `{"id":"b","type":"gemini","content":"hi"}`
	for name, tt := range map[string]struct{ content, from string }{
		"lines":         {header + "\n" + messages + "\n", "old"},
		"torn":          {header + "\n" + messages + "\n{\"id\":", "old"},
		"one object":    {strings.TrimSuffix(header, "}") + `,"messages":[` + strings.Replace(messages, "\n", ",\n", 1) + "]}", "old"},
		"chat share":    {contents, ""},
		"chat save":     {`{"history":` + contents + `,"authType":"gemini-api-key"}`, ""},
		"../id":         {strings.Replace(header, "old", "../../x", 1) + "\n" + messages, "../../x"},
		"newer version": {strings.Replace(header, `"kind"`, `"pollux":99,"kind"`, 1) + "\n" + messages + "\n" + `{"$future":1}`, "old"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := project(t)
			path := filepath.Join(t.TempDir(), "file")
			must(t, os.WriteFile(path, []byte(tt.content), 0o600))
			i, err := s.Import(path, "the file", "mine", start)
			must(t, err)
			got := find(t, s, "latest")
			loaded, err := journal.Load(i.Path)
			must(t, err)
			if got.ID != i.ID || len(i.ID) != 36 || i.Title != "hello" || !i.Start.Equal(start) || i.ForkOf != tt.from || loaded.ProjectHash != "mine" || len(loaded.Entries) != 2 {
				t.Errorf("%+v\n%+v", i, loaded)
			}
			data, err := os.ReadFile(i.Path)
			must(t, err)
			if !strings.Contains(string(data), `"type":"info","content":"Imported session from the file"}`) {
				t.Errorf("%s", data)
			}
			forked, err := s.Fork(i, ForkOptions{}, "mine", start)
			must(t, err)
			if forked.ID == i.ID || forked.ForkOf != i.ID || forked.Title != "hello" {
				t.Errorf("%+v", forked)
			}
		})
	}
	for _, content := range []string{"", "hello", "[]", "[null,7]", "{}", header, `{"history":7}`} {
		s := project(t)
		path := filepath.Join(t.TempDir(), "file")
		must(t, os.WriteFile(path, []byte(content), 0o600))
		if i, err := s.Import(path, "x", "mine", start); err == nil {
			t.Errorf("%q: %+v", content, i)
		}
		if entries, _ := os.ReadDir(s.Dir); len(entries) > 0 {
			t.Errorf("%q leaves %v", content, entries)
		}
	}
}
