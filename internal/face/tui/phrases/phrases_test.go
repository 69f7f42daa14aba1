package phrases

import (
	"slices"
	"testing"
	"time"

	"pollux/internal/face/tui/styled"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string][2]bool{"off": {}, "": {}, "tips": {true, false}, "witty": {false, true}, "all": {true, true}} {
		p := New(kind, nil, 3)
		if got := [2]bool{p.Tip(0) != "", p.Wit(0) != ""}; got != want {
			t.Errorf("%s: %v", kind, got)
		}
	}
	own := New("all", []string{"One", "Two"}, 0)
	if own.Wit(0) != "One" || own.Wit(witTime) != "Two" || own.Tip(0) == "One" {
		t.Errorf("%q, %q, %q", own.Wit(0), own.Wit(witTime), own.Tip(0))
	}
	seven := New("witty", []string{"1", "2", "3", "4", "5", "6", "7"}, 0)
	if seven.Wit(0) == seven.Wit(witTime) {
		t.Error("one of seven texts stays")
	}
	if New("all", nil, -5).Tip(-time.Second) == "" {
		t.Error("no tip before the beginning")
	}
}

// TestAllAppear checks the times, and that each text has its turn.
func TestAllAppear(t *testing.T) {
	t.Parallel()
	p := New("all", nil, 11)
	for name, list := range map[string]struct {
		texts []string
		show  func(time.Duration) string
		each  time.Duration
	}{"tips": {tips(), p.Tip, 10 * time.Second}, "wits": {wits(), p.Wit, 5 * time.Second}} {
		var seen []string
		for i := range list.texts {
			from := time.Duration(i) * list.each
			text := list.show(from)
			if last := list.show(from + list.each - 1); last != text {
				t.Errorf("%s: %q becomes %q", name, text, last)
			}
			seen = append(seen, text)
		}
		slices.Sort(seen)
		if all := slices.Sorted(slices.Values(list.texts)); !slices.Equal(seen, all) || len(slices.Compact(all)) != len(list.texts) {
			t.Errorf("%s: %q", name, seen)
		}
		for _, text := range list.texts {
			if styled.Plain(text).Width() > 72 {
				t.Errorf("%q is too long", text)
			}
		}
	}
}
