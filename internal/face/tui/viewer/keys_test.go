package viewer

import (
	"fmt"
	"strings"
	"testing"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/theme"
)

func top(v *Viewer, width, height int) string {
	line, _, _ := strings.Cut(screen(v, width, height), "\n")
	return strings.TrimSpace(strings.TrimLeft(line, "▌ "))
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line-%03d\n", i)
	}
	return b.String()
}

func TestKeys(t *testing.T) {
	t.Parallel()
	k := (&talk{}).prompt(lines(100)).prompt("second").answer("middle").prompt(lines(50))
	v := New(k.source(), Options{})
	v.View(40, 11, theme.NoColor())
	for _, step := range []struct{ key, want string }{
		{"g", "> line-000"},
		{"j", "line-001"},
		{"down", "line-002"},
		{"shift+down", "line-003"},
		{"k", "line-002"},
		{"up", "line-001"},
		{"shift+up", "> line-000"},
		{"up", "> line-000"},
		{" ", "line-009"},
		{"pagedown", "line-018"},
		{"b", "line-009"},
		{"pageup", "> line-000"},
		{"P", "> second"},
		{"p", "> line-000"},
		{"p", "> line-000"},
		{"P", "> second"},
		{"j", ""},
		{"p", "> second"},
		{"P", "> line-000"},
		{"j", "line-001"},
		{"p", "> line-000"},
		{"G", "line-040"},
		{"P", "line-040"},
		{"j", "line-040"},
		{"home", "> line-000"},
		{"end", "line-040"},
		{"ctrl+home", "> line-000"},
		{"ctrl+end", "line-040"},
	} {
		if _, ok := press(v, step.key).(Changed); !ok {
			t.Errorf("%s changes nothing", step.key)
		}
		if got := top(v, 40, 11); got != step.want {
			t.Errorf("after %s the first row is %q, not %q", step.key, got, step.want)
		}
	}
	wheel := keys.Mouse{Kind: keys.MouseWheel, Button: keys.WheelUp}
	v.Handle(wheel, bindings)
	if got := top(v, 40, 11); got != "line-037" {
		t.Errorf("after the wheel: %q", got)
	}
	wheel.Button = keys.WheelDown
	v.Handle(wheel, bindings)
	if got := top(v, 40, 11); got != "line-040" {
		t.Errorf("after the wheel: %q", got)
	}
	if _, ok := v.Handle(keys.Mouse{Kind: keys.MousePress}, bindings).(Ignored); !ok {
		t.Error("a click is not ignored")
	}
	for _, key := range []string{"q", "escape", "ctrl+o"} {
		if _, ok := press(v, key).(Closed); !ok {
			t.Errorf("%s does not close", key)
		}
	}
	for _, key := range []string{"x", "ctrl+c", "f5", "enter"} {
		if _, ok := press(v, key).(Ignored); !ok {
			t.Errorf("%s is not ignored", key)
		}
	}
	if _, ok := v.Handle(keys.Paste{Text: "q"}, bindings).(Ignored); !ok {
		t.Error("a paste is not ignored")
	}
	press(v, "G", "P")
	if !strings.Contains(screen(v, 80, 11), "There is no later prompt.") {
		t.Error("no notice at the last prompt")
	}
	press(v, "g", "p")
	if !strings.Contains(screen(v, 80, 11), "There is no earlier prompt.") {
		t.Error("no notice at the first prompt")
	}
	press(v, "j")
	if strings.Contains(screen(v, 80, 11), "There is no") {
		t.Error("the notice stays")
	}
}
