package composer

import (
	"strings"
	"testing"

	"pollux/internal/face/tui/history"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/vim"
)

func TestVim(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys, want, state, mode string
	}{
		{"a b", "Changed", "ab|", "INSERT"},
		{"a b escape", "Changed", "a|b", "NORMAL"},
		{"a b escape escape", "Canceled", "a|b", "NORMAL"},
		{"a b escape ! ?", "Changed", "a|b", "NORMAL"},
		{"escape ! ?", "Changed", "|", "NORMAL"},
		{"escape i !", "Changed", "!|", "INSERT"},
		{"! a escape", "Changed", "!|a", "NORMAL"},
		{"! a escape escape", "Changed", "|a", "NORMAL"},
		{"a b escape x", "Changed", "|a", "NORMAL"},
		{"a b escape enter", `Submitted "ab" false`, "|", "NORMAL"},
		{`a \ b escape enter`, `Submitted "a\\b" false`, "|", "NORMAL"},
		{"a b escape ctrl+g", `EditorWanted "ab"`, "a|b", "NORMAL"},
		{"a b escape »x ctrl+e", "Changed", "ax|b", "NORMAL"},
		{"escape k k", "Changed", "|two", "NORMAL"},
		{"escape k k j", "Changed", "tw|o", "NORMAL"},
		{"escape k k j j", "Changed", "on|e", "NORMAL"},
		{"x escape k j j", "Changed", "|x", "NORMAL"},
		{"a b ctrl+r escape", "Changed", "ab|", "INSERT"},
		{"a b escape x ctrl+z ctrl+r", "Changed", "|a", "NORMAL"},
	} {
		p := newTypist(&Composer{Vim: &vim.Mode{}, Help: someHelp})
		p.Prompts = history.Prompts(func() []string { return []string{"one", "two"} })
		if o := p.press(c.keys); told(o) != c.want || p.state() != c.state || p.Vim.Name() != c.mode {
			t.Errorf("%s: %s, %q, %s", c.keys, told(o), p.state(), p.Vim.Name())
		}
	}
}

func TestVimClear(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{Vim: &vim.Mode{}})
	p.press("a b escape")
	p.wait = 0
	if o := p.press("escape escape"); told(o) != "Changed" || !p.IsEmpty() {
		t.Errorf("%s, %q", told(o), p.state())
	}
	if p.press("u"); p.state() != "a|b" {
		t.Errorf("%q", p.state())
	}
	p.press("x")
	if o := p.press("enter"); told(o) != "Changed" || p.state() != "|a" { // a pasted line end
		t.Errorf("%s, %q", told(o), p.state())
	}
}

func TestVimQueue(t *testing.T) {
	t.Parallel()
	p := newTypist(&Composer{Vim: &vim.Mode{}, HasQueue: true})
	if o := p.press("escape k"); told(o) != "QueueWanted" {
		t.Errorf("%s", told(o))
	}
	if p.press("i @ s escape"); p.suggested.isAsked {
		t.Error("suggestions in NORMAL mode")
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ keys, want string }{
		{"escape v", "e"},
		{"escape v h h", "ree"},
		{"escape h h v k", "o|thr"},
		{"escape V k", "two|three"},
		{"escape", ""},
		{"escape v k k 0 ctrl+r t h", ""}, // the query has none
	} {
		p := newTypist(&Composer{Vim: &vim.Mode{}})
		p.press("o n e ctrl+j t w o ctrl+j t h r e e")
		p.View(40, 24, theme.NoColor())
		p.press(c.keys)
		var selected []string
		v := p.View(40, 24, theme.NoColor())
		for _, line := range v.Lines {
			var part strings.Builder
			for _, s := range line {
				if s.Style.Attrs&styled.Reverse != 0 {
					part.WriteString(s.Text)
				}
			}
			if part.Len() > 0 {
				selected = append(selected, part.String())
			}
		}
		if got := strings.Join(selected, "|"); got != c.want {
			t.Errorf("%s: %q", c.keys, got)
		}
		if got := v.Lines[min(3, len(v.Lines)-1)].String(); got != "  three" && !p.IsSearching() {
			t.Errorf("%s: %q", c.keys, got)
		}
	}
}
