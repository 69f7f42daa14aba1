package keys

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestTable checks that the defaults are well formed and complete.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	groups := []string{}
	for _, r := range table {
		if seen[r.id] || r.group == "" || r.text == "" || strings.HasSuffix(r.text, ".") || len(r.text) > 50 {
			t.Errorf("%+v", r)
		}
		seen[r.id] = true
		if !slices.Contains(groups, r.group) {
			groups = append(groups, r.group)
		} else if groups[len(groups)-1] != r.group {
			t.Errorf("%s is not with the others of %s", r.id, r.group)
		}
		for _, goos := range []string{"linux", "darwin", "windows", "freebsd"} {
			n := 0
			if keys := r.defaultKeys(goos); keys != "" {
				n = strings.Count(keys, ", ") + 1
			}
			if got := Default(goos).Chords(Command(r.id)); len(got) != n {
				t.Errorf("%s on %s: %v", r.id, goos, got)
			}
		}
	}
	for _, id := range []Command{BasicConfirm, EditYankPop, InputStash, InputEditQueued, BackgroundUnfocusWarning, ExtensionLink} {
		if !id.isKnown() {
			t.Error(id)
		}
	}
	if infos := Commands(); len(infos) != len(table) || infos[0] != (Info{BasicConfirm, "Basics", "Confirm the selection"}) {
		t.Error(infos)
	}
	for goos, want := range map[string]string{"linux": "Alt+Z", "darwin": "Cmd+Z", "windows": "Ctrl+Z", "openbsd": "Alt+Z"} {
		if got := Default(goos).Hint(EditUndo); got != want {
			t.Errorf("%s: %s", goos, got)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	b := Default("linux")
	enter, ctrlX := Chord{Code: Enter}, Chord{Ctrl, 'x'}
	for _, tt := range []struct {
		c    Chord
		ids  []Command
		want Command
	}{
		{enter, nil, ""},
		{enter, []Command{InputSubmit, SuggestAccept}, InputSubmit},
		{enter, []Command{SuggestAccept, InputSubmit}, SuggestAccept},
		{enter, []Command{ScrollUp, "unknown", InputSubmit}, InputSubmit},
		{Chord{Shift, Enter}, []Command{InputSubmit, InputNewline}, InputNewline},
		{Chord{Ctrl | Shift, Enter}, []Command{InputSubmit, InputNewline}, ""},
		{ctrlX, []Command{InputOpenExternalEditor}, ""},
		{Chord{Ctrl, 'e'}, []Command{InputOpenExternalEditor}, ""},
		{ctrlX, []Command{InputOpenExternalEditor, InputDeprecatedOpenExternalEditor}, InputDeprecatedOpenExternalEditor},
	} {
		if got, ok := b.Match(tt.c, tt.ids...); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%v of %v: %q", tt.c, tt.ids, got)
		}
	}
	b.Chords(InputSubmit)[0] = Sequence{ctrlX}
	if got := b.Hint(InputSubmit); got != "Enter" {
		t.Error(got)
	}
	if b.Hint(InputStash) != "" || b.Chords(InputStash) != nil {
		t.Error("stash is bound")
	}
}

func TestMatcher(t *testing.T) {
	t.Parallel()
	b, warnings := Load("linux", []byte(`[
		{"command": "edit.yank", "key": "ctrl+q y"},
		{"command": "edit.yankPop", "key": "ctrl+q y p"},
	]`), "k")
	if warnings != nil {
		t.Fatal(warnings)
	}
	ids := []Command{InputDeprecatedOpenExternalEditor, InputOpenExternalEditor, CursorEnd, EditYank, EditYankPop, BasicCancel}
	for keys, want := range map[string][]Match{
		"ctrl+x ctrl+e":     {{Outcome: Prefix}, {Bound, InputOpenExternalEditor, ""}},
		"ctrl+x a":          {{Outcome: Prefix}, {Before: InputDeprecatedOpenExternalEditor}},
		"ctrl+x end":        {{Outcome: Prefix}, {Bound, CursorEnd, InputDeprecatedOpenExternalEditor}},
		"ctrl+x ctrl+x":     {{Outcome: Prefix}, {Prefix, "", InputDeprecatedOpenExternalEditor}},
		"ctrl+x escape":     {{Outcome: Prefix}, {Outcome: Cancelled}},
		"escape":            {{Bound, BasicCancel, ""}},
		"ctrl+q a":          {{Outcome: Prefix}, {}},
		"ctrl+q ctrl+e":     {{Outcome: Prefix}, {Bound, CursorEnd, ""}},
		"ctrl+q y p":        {{Outcome: Prefix}, {Outcome: Prefix}, {Bound, EditYankPop, ""}},
		"ctrl+q y ctrl+e":   {{Outcome: Prefix}, {Outcome: Prefix}, {Bound, CursorEnd, EditYank}},
		"ctrl+x ctrl+e end": {{Outcome: Prefix}, {Bound, InputOpenExternalEditor, ""}, {Bound, CursorEnd, ""}},
		"a":                 {{}},
	} {
		var m Matcher
		var got []Match
		for _, c := range chords(t, keys) {
			got = append(got, m.Press(b, c, ids...))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", keys, got)
		}
	}
	var m Matcher
	if got := m.Press(b, Chord{Ctrl, 'x'}, InputDeprecatedOpenExternalEditor); got.Outcome != Bound {
		t.Error("a sequence of another context delays the chord")
	}
	if s, ok := m.Pending(); s != nil || ok {
		t.Error(s)
	}
	m.Press(b, Chord{Ctrl, 'q'}, ids...)
	if s, ok := m.Pending(); s.String() != "ctrl+q" || ok {
		t.Error(s, ok)
	}
	m.Press(b, Chord{0, 'y'}, ids...)
	if s, ok := m.Pending(); s.String() != "ctrl+q y" || !ok {
		t.Error(s, ok)
	}
	if id, ok := m.Expire(); id != EditYank || !ok {
		t.Error(id)
	}
	if id, ok := m.Expire(); id != "" || ok {
		t.Error(id)
	}
	if got := m.Press(b, Chord{0, 'p'}, ids...); got != (Match{}) {
		t.Errorf("%+v after the end of the sequence", got)
	}
}

func BenchmarkPress(b *testing.B) {
	bindings := Default("linux")
	var ids []Command
	for _, info := range Commands() {
		ids = append(ids, info.Command)
	}
	var m Matcher
	for b.Loop() {
		m.Press(bindings, Chord{0, 'x'}, ids...)
	}
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		Default("linux")
	}
}
