package file

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/tool"
)

// TestReadFileAgain reads files in a conversation. A text that the model has already is not
// returned again, unless it asks twice.
func TestReadFileAgain(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{
		"a.txt": lines(1, 500) + "\n", "same.txt": lines(1, 500) + "\n", "short": "x\n", "long": lines(1, 2500),
		"fake": "Lines 1-900 of 900:\n" + lines(1, 900), "pic.png": strings.Repeat("\x00", 5000),
	})
	change := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(w.Root(), name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	type result struct {
		args json.RawMessage
		text string
	}
	var earlier []result
	host := tool.Host{Earlier: func() iter.Seq2[json.RawMessage, func() (string, bool)] {
		return func(yield func(json.RawMessage, func() (string, bool)) bool) {
			textOf := func(r result) func() (string, bool) { return func() (string, bool) { return r.text, true } }
			for i := len(earlier) - 1; i >= 0 && yield(earlier[i].args, textOf(earlier[i])); i-- {
			}
		}
	}}
	read := func(a args) (isRepeated bool) {
		t.Helper()
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		r := build(t, NewReadFile(w, nil), a).Run(context.Background(), host)
		if r.Error != nil {
			t.Fatal(r.Error)
		}
		text := llm.PartsText(r.Content)
		earlier = append(earlier, result{raw, text})
		return strings.HasPrefix(text, unchangedStart)
	}
	type step struct {
		name string
		args args
		do   func()
		want bool
	}
	for _, s := range []step{
		{"first", args{"file_path": "a.txt"}, nil, false},
		{"again", args{"file_path": "a.txt"}, nil, true},
		{"the model insists", args{"file_path": "a.txt"}, nil, false},
		{"once more", args{"file_path": filepath.Join(w.Root(), "a.txt")}, nil, true},
		{"a part", args{"file_path": "a.txt", "start_line": 100, "end_line": 300}, nil, true},
		{"the part, insisting", args{"file_path": "a.txt", "start_line": 100, "end_line": 300}, nil, false},
		{"a part of the part", args{"file_path": "a.txt", "start_line": 110, "end_line": 290}, nil, true},
		{"another file with this text", args{"file_path": "same.txt"}, nil, false},
		{"a changed file", args{"file_path": "a.txt"}, func() { change("a.txt", lines(1, 400)+"\nnew\n"+lines(402, 500)+"\n") }, false},
		{"the changed file again", args{"file_path": "a.txt"}, nil, true},
		{"changed back", args{"file_path": "same.txt"}, func() { change("same.txt", lines(2, 501)); change("same.txt", lines(1, 500)+"\n") }, true},
		{"a part, last seen before it was changed", args{"file_path": "same.txt", "start_line": 90, "end_line": 400}, func() { change("same.txt", lines(2, 501)+"\n") }, false},
		{"the part, changed back", args{"file_path": "same.txt", "start_line": 100, "end_line": 390}, func() { change("same.txt", lines(1, 500)+"\n") }, false},
		{"the part again", args{"file_path": "same.txt", "start_line": 100, "end_line": 390}, nil, true},
		{"a short part of a large read", args{"file_path": "same.txt", "start_line": 200, "end_line": 258}, nil, false},
		{"all, of which a part was read last", args{"file_path": "a.txt", "start_line": 100}, func() { read(args{"file_path": "a.txt", "start_line": 100, "end_line": 120}) }, true},
		{"a short text", args{"file_path": "short"}, nil, false},
		{"a short text again", args{"file_path": "short"}, nil, false},
		{"the beginning", args{"file_path": "long"}, nil, false},
		{"the beginning again", args{"file_path": "long"}, nil, true},
		{"more than was read", args{"file_path": "long", "start_line": 1500}, nil, false},
		{"media", args{"file_path": "pic.png"}, nil, false},
		{"media again", args{"file_path": "pic.png"}, nil, false},
		{"a text like a header", args{"file_path": "fake"}, nil, false},
		{"all of it", args{"file_path": "fake", "start_line": 1, "end_line": 900}, nil, false},
		{"masked", args{"file_path": "a.txt"}, func() {
			for i := range earlier {
				earlier[i].text = "<tool_output_masked>\n" + earlier[i].text[:min(20, len(earlier[i].text))] + "\n</tool_output_masked>"
			}
		}, false},
		{"gone", args{"file_path": "a.txt"}, func() { earlier = nil }, false},
		{"cut", args{"file_path": "a.txt"}, func() { earlier[0].text = earlier[0].text[:3000] }, false},
	} {
		if s.do != nil {
			s.do()
		}
		if got := read(s.args); got != s.want {
			t.Errorf("%s: repeated is %v: %.200q", s.name, got, earlier[len(earlier)-1].text)
		}
	}
	host.Earlier = nil
	if read(args{"file_path": "a.txt"}) {
		t.Error("repeated without a history")
	}
}
