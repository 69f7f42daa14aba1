package sessions

import (
	"errors"
	"os"
	"testing"

	"pollux/internal/journal"
)

func TestRewind(t *testing.T) {
	t.Parallel()
	const lines = `{"sessionId":"s","projectHash":"h","startTime":"2020-01-01T00:00:00.000Z","lastUpdated":"2020-01-01T00:00:00.000Z","kind":"main","pollux":1}
{"id":"a","timestamp":"2020-01-01T00:00:00.000Z","type":"user","content":[{"text":"one"}],"isPrompt":true}
{"id":"b","timestamp":"2020-01-01T00:00:00.000Z","type":"gemini","content":"1"}
{"id":"c","timestamp":"2020-01-01T00:00:00.000Z","type":"user","content":[{"text":"two, longer"}],"displayContent":[{"text":"two"}],"isPrompt":true}
{"id":"d","timestamp":"2020-01-01T00:00:00.000Z","type":"gemini","content":"2"}
{"id":"e","timestamp":"2020-01-01T00:00:00.000Z","type":"user","content":[{"text":"three"}],"isPrompt":true}
`
	for name, tt := range map[string]struct {
		prompt, text string
		entries      int
		err          error
	}{
		"number":       {"2", "two", 2, nil},
		"id":           {"e", "three", 4, nil},
		"first":        {"1", "", 5, ErrFirst},
		"none":         {"4", "", 5, &UnknownPromptError{}},
		"zero":         {"0", "", 5, &UnknownPromptError{}},
		"a response":   {"b", "", 5, &UnknownPromptError{}},
		"hostile":      {"../\x1b[31m", "", 5, &UnknownPromptError{}},
		"out of range": {"99999999999999999999", "", 5, &UnknownPromptError{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := project(t)
			must(t, os.WriteFile(s.Dir+"/session-2020-01-01T00-00-s.jsonl", []byte(lines), 0o600))
			info := find(t, s, "s")
			if tt.err == nil { // a copy ends where a rewind would
				i, err := s.Fork(info, ForkOptions{Before: tt.prompt}, "h", start)
				must(t, err)
				copied, err := journal.Load(i.Path)
				must(t, err)
				if len(copied.Entries) != tt.entries {
					t.Errorf("the copy has %d messages", len(copied.Entries))
				}
			}
			p, err := Rewind(info, tt.prompt)
			var unknown *UnknownPromptError
			if wantUnknown := errors.As(tt.err, &unknown); wantUnknown != errors.As(err, &unknown) || !wantUnknown && !errors.Is(err, tt.err) || p.Text != tt.text {
				t.Fatalf("%+v, %v", p, err)
			}
			loaded, err := journal.Load(info.Path)
			must(t, err)
			if len(loaded.Entries) != tt.entries || loaded.Lost > 0 {
				t.Errorf("%d messages are left", len(loaded.Entries))
			}
			i, err := s.Fork(info, ForkOptions{BeforeRewind: true}, "h", start)
			if tt.err != nil {
				if !errors.Is(err, ErrNoRewind) {
					t.Errorf("a copy from before no rewind: %v", err)
				}
				return
			}
			must(t, err)
			if before, err := journal.Load(i.Path); err != nil || len(before.Entries) != 5 {
				t.Errorf("before the rewind: %+v, %v", before, err)
			}
		})
	}
}
