package tui

import (
	"slices"
	"testing"

	"pollux/internal/face/tui/composer"
)

// TestWaiting checks the order of inputs that wait, and that one command at most waits behind them.
func TestWaiting(t *testing.T) {
	t.Parallel()
	var q waiting
	check := func(step string, endsInShell bool, want ...string) {
		t.Helper()
		if got := q.texts(); !slices.Equal(got, want) || q.endsInShell() != endsInShell {
			t.Errorf("%s: %q, shell: %v", step, got, q.endsInShell())
		}
	}
	command := func(text string, isShell bool) composer.Submitted {
		return composer.Submitted{Text: text, IsShell: isShell, Draft: composer.Draft{Text: text, IsShell: isShell}}
	}
	check("empty", false)
	for _, text := range []string{"a", "b", "a", "c"} {
		q.add(text)
	}
	q.remove("a")
	q.remove("unknown")
	check("removed", false, "a", "b", "c")
	if _, ok := q.release(); ok {
		t.Error("a command waits")
	}
	before := q.texts()
	if !q.hold(command("ls", true)) || q.hold(command("/help", false)) {
		t.Error("not exactly one command waits")
	}
	held := q.texts()
	q.add("d")
	check("added", true, "a", "b", "c", "d", "!ls")
	if !slices.Equal(held, []string{"a", "b", "c", "!ls"}) {
		t.Errorf("the texts of before, with the command, are %q", held)
	}
	if !slices.Equal(before, []string{"a", "b", "c"}) {
		t.Errorf("the texts of before are %q", before)
	}
	q.clear()
	check("cleared", true, "!ls")
	if got, ok := q.release(); !ok || got.Text != "ls" {
		t.Errorf("%+v, %v", got, ok)
	}
	q.hold(command("/compress", false))
	check("a / command", false, "/compress")
}
