package composer

import (
	"strings"
	"testing"
	"time"

	"pollux/internal/face/tui/history"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
)

func TestIgnored(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	for _, e := range []keys.Event{keys.Focus{}, keys.Mouse{}, keys.Paste{Text: "x", IsClipboard: true}} {
		if o := p.Handle(e, p.bindings); told(o) != "Ignored" || !p.IsEmpty() {
			t.Errorf("%T: %v", e, o)
		}
	}
}

func TestBusy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys        string
		want, state string
	}{
		{"a tab", `Queued "a" false`, "|"},
		{"/ a tab", `Queued "/a" false`, "|"},
		{"a enter", `Submitted "a" false`, "|"},
		{"a tab up", "QueueWanted", "|"},
		{"a tab b up up", "Changed", "|a"},
		{"tab", "Ignored", "|"},
		{"_ tab", "Ignored", " |"},
		{"! l s tab", "Changed", "!ls|"},
		{"! up", "Changed", "!|"},
		{"? x", "Changed", "?x|"},
		{"escape", "Canceled", "|"},
	} {
		p := newTypist(&Composer{IsBusy: true, HasQueue: true, Help: someHelp})
		if o := p.press(c.keys); told(o) != c.want || p.state() != c.state {
			t.Errorf("%s: %s, %q", c.keys, told(o), p.state())
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys        string
		want, state string
		isOpen      bool
	}{
		{"?", "Changed", "|", true},
		{"? ?", "Changed", "?|", false},
		{"? ? ?", "Changed", "??|", false},
		{"? a", "Changed", "a|", false},
		{"? escape", "Changed", "|", false},
		{"? escape escape", "Canceled", "|", false},
		{"? backspace", "Changed", "|", false},
		{"? ctrl+t", "Ignored", "|", false},
		{"? »x", "Changed", "x|", false},
		{"? !", "Changed", "!|", false},
		{"a ?", "Changed", "a?|", false},
		{"! ?", "Changed", "!?|", false},
	} {
		p := newTypist(&Composer{Help: someHelp})
		o := p.press(c.keys)
		if told(o) != c.want || p.state() != c.state || p.HasHelp() != c.isOpen || (len(p.Panel(80, theme.NoColor())) == 1) != c.isOpen {
			t.Errorf("%s: %s, %q, %v", c.keys, told(o), p.state(), p.HasHelp())
		}
	}
	p := newTypist(&Composer{})
	if p.press("?"); p.state() != "?|" {
		t.Errorf("without a panel: %q", p.state())
	}
	p = newTypist(&Composer{Help: someHelp})
	for _, want := range []bool{true, false} {
		if p.ToggleHelp(); p.HasHelp() != want {
			t.Errorf("%v", p.HasHelp())
		}
	}
	p.ToggleHelp()
	p.IsBusy = true
	if p.HasHelp() || told(p.press("escape")) != "Canceled" {
		t.Error("the panel is not hidden")
	}
}

func TestHeldKeys(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{Help: someHelp})
	bang := keys.Key{Text: "!", Chord: keys.Chord{Code: '!'}}
	p.Handle(bang, p.bindings)
	bang.IsRepeat = true
	for range 101 {
		p.Handle(bang, p.bindings)
	}
	if p.state() != "!|" {
		t.Errorf("%q", p.state())
	}
	letter := keys.Key{Text: "世", Chord: keys.Chord{Code: '世'}, IsRepeat: true}
	for range 2000 {
		p.Handle(letter, p.bindings)
		p.View(40, 24, theme.NoColor())
	}
	if n := len([]rune(p.Shown())); n != 2000 {
		t.Errorf("%d characters", n)
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys     string
		wait     time.Duration
		isMarked bool
		want     string
		state    string
	}{
		{"a enter", 5 * time.Millisecond, false, "Changed", "a\n|"},
		{"a enter enter b", 5 * time.Millisecond, false, "Changed", "a\n\nb|"},
		{"a enter", 5 * time.Millisecond, true, `Submitted "a" false`, "|"},
		{"a enter", 50 * time.Millisecond, false, `Submitted "a" false`, "|"},
		{"»a enter", 35 * time.Millisecond, false, "Changed", "a\n|"},
		{`a \ enter`, 2 * time.Millisecond, true, "Changed", "a\n|"},
		{`! a \ enter`, 2 * time.Millisecond, true, "Changed", "!a\n|"}, // Shift+Enter
		{"/ enter", 5 * time.Millisecond, false, "Changed", "/\n|"},
	} {
		p := newTypist(&Composer{Guard: keys.Guard{IsPasteMarked: c.isMarked}})
		p.wait = c.wait
		if o := p.press(c.keys); told(o) != c.want || p.state() != c.state {
			t.Errorf("%s: %s, %q", c.keys, told(o), p.state())
		}
	}
	p := newTypist(&Composer{})
	p.Observe(keys.Key{Text: "x", At: p.now.Add(p.wait)})
	if p.press("»a"); told(p.press("enter")) != `Submitted "a" false` {
		t.Errorf("%q", p.state())
	}
	p.Observe(keys.Key{Text: "x", At: p.now})
	if p.wait = time.Millisecond; told(p.press("enter")) != "Changed" || p.state() != "\n|" {
		t.Errorf("%q", p.state())
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys, want, state string
	}{
		{"ctrl+r", "Changed", "|"},
		{"ctrl+r t w o enter", `Submitted "two" false`, "|"},
		{"ctrl+r t w o tab", "Changed", "two|"},
		{"ctrl+r t w o tab enter", `Submitted "two" false`, "|"},
		{"x y left ctrl+r escape", "Changed", "x|y"},
		{"x y left ctrl+r t w o escape", "Changed", "x|y"},
		{"t ctrl+r h tab", "Changed", "three|"}, // begins with the text
		{"t ctrl+r w tab alt+z", "Changed", "t|"},
		{"ctrl+r ctrl+c", "Ignored", "|"},
		{"ctrl+r ctrl+t", "Ignored", "|"},
		{"ctrl+r ctrl+g", "Ignored", "|"},
		{"ctrl+r »thr tab", "Changed", "three|"},
		{"ctrl+r x x tab", "Changed", "|"},
		{"ctrl+r ? escape", "Changed", "|"},
		{"! ctrl+r tab", "Changed", "!make|"},
		{"! ctrl+r enter", `Submitted "make" true`, "!|"},
	} {
		p := newTypist(&Composer{
			Prompts: history.Prompts(func() []string { return []string{"three", "two", "one"} }),
			Shell:   history.Shell(func() []string { return []string{"make"} }, nil),
			Help:    someHelp,
		})
		if o := p.press(c.keys); told(o) != c.want || p.state() != c.state {
			t.Errorf("%s: %s, %q", c.keys, told(o), p.state())
		}
	}
	p := newTypist(&Composer{})
	p.InsertText(strings.Repeat("x", 200))
	if p.press("ctrl+r"); !p.IsSearching() || p.search.Query().Len() != 0 {
		t.Error("a long text became the query")
	}
	if p.Clear(); p.IsSearching() || !p.IsEmpty() {
		t.Error("Clear")
	}
}

func TestSequences(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	if o := p.Expire(); told(o) != "Ignored" || p.IsWaiting() {
		t.Errorf("%v", o)
	}
	p.press("a ctrl+x")
	if !p.IsWaiting() {
		t.Error("it does not wait")
	}
	if o := p.Expire(); told(o) != `EditorWanted "a"` || p.IsWaiting() {
		t.Errorf("%v", o)
	}
}

// TestRebound checks that keys count by their commands.
func TestRebound(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{})
	var warnings []string
	p.bindings, warnings = keys.Load("linux", []byte(`[
		{"command": "-input.submit", "key": "enter"}, {"command": "input.submit", "key": "ctrl+s"}, {"command": "input.newline", "key": "enter"},
		{"command": "edit.clear", "key": "f2"}]`), "keybindings.json")
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	if o := p.press("a enter b"); told(o) != "Changed" || p.state() != "a\nb|" {
		t.Errorf("%s, %q", told(o), p.state())
	}
	if o := p.press("f2 alt+z ctrl+s"); told(o) != `Submitted "a\nb" false` {
		t.Errorf("%s", told(o))
	}
}
