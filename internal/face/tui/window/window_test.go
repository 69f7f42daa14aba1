package window

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pollux/internal/terminal"
)

var (
	plain  = Terminal{}
	tmux   = Terminal{Multiplexer: "tmux"}
	screen = Terminal{Multiplexer: "screen"}
)

func TestTitle(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 20)
	for _, c := range []struct {
		name  string
		title Title
		want  string // without the spaces at the end
	}{
		{"ready", Title{Context: "dir"}, "◇  Ready (dir)"},
		{"ready with a thought", Title{Context: "dir", Thought: "x"}, "◇  Ready (dir)"},
		{"working", Title{State: Working, Context: "dir"}, "✦  Working… (dir)"},
		{"thought", Title{State: Working, Context: "dir", Thought: "Reading"}, "✦  Reading (dir)"},
		{"asking", Title{State: Asking, Context: "dir", Thought: "x"}, "✋  Action Required (dir)"},
		{"quiet", Title{State: Quiet, Context: "dir"}, "⏲  Working… (dir)"},
		{"static", Title{State: Working, Context: "dir", Thought: "x", IsStatic: true}, "Pollux (dir)"},
		{"no context", Title{}, "◇  Ready"},
		{"hostile", Title{State: Working, Context: "a\x1b]0;x\ab\n", Thought: "c\x07\u202ed"}, "✦  cd (ab)"},
		{"long context", Title{Context: long}, "◇  Ready (" + strings.Repeat("long ", 13) + "lon…)"},
		{"exact context", Title{Context: strings.Repeat("x", 69)}, "◇  Ready (" + strings.Repeat("x", 69) + ")"},
		{"wide context", Title{Context: strings.Repeat("中", 40)}, "◇  Ready (" + strings.Repeat("中", 34) + "…)"},
		{"no room for the context", Title{State: Working, Context: "dir", Thought: strings.Repeat("y", 72)}, "✦  " + strings.Repeat("y", 72)},
		{"room for the context", Title{State: Working, Context: "dir", Thought: strings.Repeat("y", 71)}, "✦  " + strings.Repeat("y", 71) + " (dir)"},
		{"long thought", Title{State: Working, Context: "dir", Thought: strings.Repeat("y", 99)}, "✦  " + strings.Repeat("y", 76) + "…"},
	} {
		got := c.title.Text()
		if strings.TrimRight(got, " ") != c.want || terminal.Width(got) != 80 {
			t.Errorf("%s: %q has %d columns; want %q", c.name, got, terminal.Width(got), c.want)
		}
	}
}

func TestTitler(t *testing.T) {
	t.Parallel()
	var r Titler
	a, b := Title{Context: "a"}, Title{Context: "b"}
	want := "\x1b]0;◇  Ready (a)" + strings.Repeat(" ", 68) + "\a"
	if got := r.Set(a); got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := r.Set(a); got != "" {
		t.Errorf("again: %q", got)
	}
	if r.Set(b) == "" || r.Set(a) == "" {
		t.Error("a change is missing")
	}
}

func TestMethod(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		setting, name string
		want          Method
	}{
		{"auto", "kitty", OSC99},
		{"auto", "kitty(0.35.2)", OSC99},
		{"", "iTerm.app 3.5.0", OSC9},
		{"auto", "WezTerm 20240203", OSC9},
		{"auto", "Ghostty", OSC9},
		{"auto", "ghostty 1.1", OSC9},
		{"auto", "Alacritty", ByBell},
		{"auto", "Apple_Terminal 455", ByBell},
		{"auto", "vscode 1.99", ByBell},
		{"auto", "Windows Terminal", ByBell},
		{"auto", "VTE (GNOME Terminal or one of its kind)", OSC777},
		{"auto", "", OSC777},
		{"unknown", "kitty", OSC99},
		{"osc9", "kitty", OSC9},
		{"osc777", "kitty", OSC777},
		{"bell", "kitty", ByBell},
	} {
		if got := (Terminal{Name: c.name}).Method(c.setting); got != c.want {
			t.Errorf("%s, %s: %s, not %s", c.setting, c.name, got, c.want)
		}
	}
}

func TestNotification(t *testing.T) {
	t.Parallel()
	n := Notice{AttentionTitle, ApprovalHeading, "Shell: rm a; b"}
	for _, c := range []struct {
		name     string
		terminal Terminal
		setting  string
		notice   Notice
		want     string
	}{
		{"OSC 9", plain, "osc9", n, "\x1b]9;Pollux needs your attention: Approval required: Shell: rm a; b\a"},
		{"OSC 777", plain, "auto", n, "\x1b]777;notify;Pollux needs your attention;Approval required: Shell: rm a; b\a"},
		{"bell", tmux, "bell", n, "\a"},
		{"kitty", Terminal{Name: "kitty"}, "auto", n, "\x1b]99;i=pollux:d=0:p=title;Pollux needs your attention\a\x1b]99;i=pollux:d=1:p=body;Approval required: Shell: rm a; b\a"},
		{"tmux", tmux, "osc9", Notice{Title: "a"}, "\x1bPtmux;\x1b\x1b]9;a\a\x1b\\"},
		{"tmux in kitty", Terminal{"kitty", "tmux"}, "auto", Notice{"a", "", "b"}, "\x1bPtmux;\x1b\x1b]99;i=pollux:d=0:p=title;a\a\x1b\\\x1bPtmux;\x1b\x1b]99;i=pollux:d=1:p=body;b\a\x1b\\"},
		{"screen", screen, "osc9", Notice{Title: "a"}, "\x1bP\x1b]9;a\a\x1b\\"},
		{"zellij", Terminal{Multiplexer: "zellij"}, "osc9", Notice{Title: "a"}, "\x1b]9;a\a"},
		{"a number", plain, "osc9", Notice{Title: "4;1;50"}, "\x1b]9; 4;1;50\a"},
		{"semicolons", plain, "osc777", Notice{"a;b", "", "c;d"}, "\x1b]777;notify;a,b;c;d\a"},
		{"no body", plain, "osc777", Notice{Title: "a", Heading: "h"}, "\x1b]777;notify;a;h\a"},
		{"hostile", plain, "osc777", Notice{"a\x1b]52;c;eA==\a\n", "\x9cb", "c\u009d\u202e\r\nd"}, "\x1b]777;notify;a;\ufffdb: c d\a"},
		{"long", plain, "osc777", Notice{strings.Repeat("t", 49), strings.Repeat("h", 65), strings.Repeat("b", 181)}, "\x1b]777;notify;" + strings.Repeat("t", 47) + "…;" + strings.Repeat("h", 63) + "…: " + strings.Repeat("b", 179) + "…\a"},
		{"longest", plain, "osc777", Notice{strings.Repeat("é", 48), strings.Repeat("é", 64), strings.Repeat("é", 180)}, "\x1b]777;notify;" + strings.Repeat("é", 48) + ";" + strings.Repeat("é", 64) + ": " + strings.Repeat("é", 180) + "\a"},
	} {
		if got := c.terminal.Notification(c.setting, c.notice); got != c.want {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
	}
}

// TestScreenParts checks that a sequence for screen is not divided within a character.
func TestScreenParts(t *testing.T) {
	t.Parallel()
	for n := range 6 {
		notice := Notice{strings.Repeat("t", n), "", strings.Repeat("中", 180)}
		if got := unwrap(t, screen, screen.Notification("osc777", notice)); got != plain.Notification("osc777", notice) {
			t.Errorf("%q", got)
		}
	}
}

// FuzzNotification checks that no text can end the sequence that it is in, or begin another one.
func FuzzNotification(f *testing.F) {
	f.Add("t", "h\x1b\\", "b\a\x9c\u009c")
	f.Fuzz(func(t *testing.T, title, heading, body string) {
		n := Notice{title, heading, body}
		for _, method := range []string{"osc9", "osc777"} {
			got := plain.Notification(method, n)
			inner := strings.TrimSuffix(strings.TrimPrefix(got, "\x1b]"), "\a")
			if len(inner) != len(got)-3 || !isClean(inner) {
				t.Errorf("%s: %q", method, got)
			}
			for _, m := range []Terminal{tmux, screen} {
				if wrapped := m.Notification(method, n); unwrap(t, m, wrapped) != got {
					t.Errorf("%s: %q becomes %q", m.Multiplexer, got, wrapped)
				}
			}
		}
		if s := (Title{State: Working, Context: title, Thought: body}).Text(); !isClean(s) || terminal.Width(s) != 80 {
			t.Errorf("title: %q", s)
		}
	})
}

// isClean reports whether a text has no control characters and is valid.
func isClean(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// unwrap returns the bytes that a multiplexer passes on.
func unwrap(t *testing.T, m Terminal, s string) string {
	t.Helper()
	if m.Multiplexer == "tmux" {
		inner, ok := strings.CutPrefix(s, "\x1bPtmux;")
		inner, hasEnd := strings.CutSuffix(inner, "\x1b\\")
		if !ok || !hasEnd {
			t.Fatalf("%q", s)
		}
		return strings.ReplaceAll(inner, "\x1b\x1b", "\x1b")
	}
	var b strings.Builder
	for s != "" {
		rest, ok := strings.CutPrefix(s, "\x1bP")
		part, next, hasEnd := strings.Cut(rest, "\x1b\\")
		if !ok || !hasEnd || len(part) > 240 || part == "" || !utf8.ValidString(part) {
			t.Fatalf("%q", s)
		}
		b.WriteString(part)
		s = next
	}
	return b.String()
}

func TestNotifier(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var n Notifier
	for _, c := range []struct {
		seconds  int
		key      string
		hasFocus bool
		want     bool
	}{
		{0, "a", false, true},
		{1, "b", false, true},
		{2, "a", false, false},
		{19, "a", false, false},
		{20, "a", false, true}, // 2 s ago nothing was sent
		{39, "a", false, false},
		{50, "a", true, false},
		{51, "a", false, true}, // the one before was not sent
	} {
		n.SetFocus(c.hasFocus)
		if got := n.Allows(c.key, start.Add(time.Duration(c.seconds)*time.Second)); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	if got := PromptStart + InputStart + OutputStart + OutputEnd(130); got != "\x1b]133;A\a\x1b]133;B\a\x1b]133;C\a\x1b]133;D;130\a" {
		t.Errorf("%q", got)
	}
}
