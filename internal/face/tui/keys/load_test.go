package keys

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestLoad(t *testing.T) {
	t.Parallel()
	b, warnings := Load("linux", []byte("\uFEFF"+`[
		// In front of the defaults.
		{"command": "input.submit", "key": "ctrl+enter"},
		{"command": "input.submit", "key": "Alt+Enter"},
		{"command": "input.submit", "key": "ctrl+enter"}, /* again */
		{"command": "-input.newline", "key": "shift+enter"},
		{"command": "-edit.clear", "key": "ctrl+c"},
		{"command": "input.stash", "key": "ctrl+x ctrl+s"},
		{"command": "-input.stash", "key": "ctrl+x"}, // a part of a sequence
		{"command": "nonsense", "key": "a"},
		{"command": "-nonsense\u001b", "key": "a"},
		{"command": "edit.undo", "key": "hyper+a"},
		{"command": "edit.undo"},
		{"key": "a"},
		{"command": "edit.undo", "key": 3},
		{"command": ["edit.undo"], "key": "a"},
		"edit.undo",
		null,
		{"command": "-basic.exit", "key": "ctrl+shift+d"},
		{"command": "edit.yank", "key": "alt+y", "when": "always"},
	] // end`), "/k.json")
	for id, want := range map[Command]string{
		InputSubmit:  "ctrl+enter, alt+enter, enter",
		InputNewline: "ctrl+enter, cmd+enter, alt+enter, ctrl+j",
		EditClear:    "",
		BasicQuit:    "ctrl+c",
		InputStash:   "ctrl+x ctrl+s",
		EditUndo:     "alt+z, cmd+z, ctrl+z, ctrl+_",
		EditYank:     "alt+y",
		BasicExit:    "ctrl+d",
	} {
		var got []string
		for _, s := range b.Chords(id) {
			got = append(got, s.String())
		}
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("%s: %s", id, s)
		}
	}
	want := []string{
		`Invalid keybinding for command "input.stash": cannot remove "ctrl+x": it is not bound`,
		`Invalid command: "nonsense".`,
		`Invalid command: "-nonsense\x1b".`,
		`Invalid keybinding for command "edit.undo": "hyper+a" is not the name of a key`,
		`Keybindings file "/k.json" error at 10: "key" is missing`,
		`Keybindings file "/k.json" error at 11: "command" is missing`,
		`Keybindings file "/k.json" error at 12: "key" must be a string`,
		`Keybindings file "/k.json" error at 13: "command" must be a string`,
		`Keybindings file "/k.json" error at 14: an entry is an object with "command" and "key"`,
		`Keybindings file "/k.json" error at 15: "command" is missing`,
		`Invalid keybinding for command "basic.exit": cannot remove "ctrl+shift+d": it is not bound`,
	}
	if !slices.Equal(warnings, want) {
		t.Errorf("%s", strings.Join(warnings, "\n"))
	}
	if got, _ := Default("linux").Match(Chord{Ctrl, Enter}, InputSubmit); got != "" {
		t.Error("the defaults changed")
	}
}

func TestLoadBadFile(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                             "line 2, column 1: ",
		"{}":                           "the root: the file must contain an array",
		"null":                         "the root: the file must contain an array",
		"[\n{]":                        "line 2, column 2: ",
		"[\x1b]":                       "line 1, column 2: ",
		strings.Repeat("[", maxFile+1): "the root: the file is larger than 64 KiB",
		strings.Repeat("[", maxFile):   "line 2, column 1: ",
	} {
		b, warnings := Load("linux", []byte(in), "k\x07.json")
		if len(warnings) != 1 || !strings.HasPrefix(warnings[0], `Keybindings file "k.json" error at `+want) || len(warnings[0]) > 120 {
			t.Errorf("%.10q: %q", in, warnings)
		}
		if b.Hint(AppShowMoreLines) != "Ctrl+O" {
			t.Errorf("%.10q: no defaults", in)
		}
	}
	if _, warnings := Load("linux", []byte(" [ ] "), "k"); warnings != nil {
		t.Error(warnings)
	}
}

func TestLoadManyErrors(t *testing.T) {
	t.Parallel()
	entries := strings.Repeat(`{"command": "`+strings.Repeat("x", 500)+`", "key": "a"},`, maxWarnings+5)
	_, warnings := Load("linux", []byte("["+entries+"]"), "k")
	if len(warnings) != maxWarnings+1 || warnings[maxWarnings] != `Keybindings file "k" has 5 more errors.` || len(warnings[0]) > 100 {
		t.Error(len(warnings), warnings)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`[{"command": "edit.undo", "key": "ctrl+q x"}, {"command": "-edit.undo", "key": "alt+z"}]`))
	f.Add([]byte(`[null, {"command": 1}, {"command": "a"}] // x`))
	for _, info := range Commands() {
		f.Add(fmt.Appendf(nil, `[{"command": "-%s", "key": "enter"}]`, info.Command))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, warnings := Load("darwin", data, "k")
		if len(warnings) > maxWarnings+1 {
			t.Error(len(warnings))
		}
		for _, w := range warnings {
			if strings.ContainsFunc(w, unicode.IsControl) {
				t.Errorf("%q", w)
			}
		}
		for _, info := range Commands() {
			for _, s := range b.Chords(info.Command) {
				if again, err := ParseSequence(s.String()); err != nil || !slices.Equal(s, again) {
					t.Errorf("%s: %v, %v", info.Command, s, err)
				}
			}
		}
	})
}
