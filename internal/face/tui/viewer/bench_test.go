package viewer

import (
	"fmt"
	"strings"
	"testing"

	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

// long returns a conversation of so many lines of 60 bytes and more: half of them output, half of them answers.
func long(lines int) *talk {
	t := &talk{}
	answer := strings.Repeat("Some *words* of an answer with `code` in it, in a long line of text.\n", 20) +
		"\n```go\n" + strings.Repeat("\tfmt.Println(\"a line of code\", x, y) // with a comment\n", 30) + "```\n"
	output := numbered(49)
	for i := 0; lines > 0; i++ {
		t.prompt(fmt.Sprintf("Prompt %d.", i))
		t.answer(answer)
		t.call("run_shell_command", "go test ./...", `{"command":"go test ./..."}`, output, nil)
		lines -= 106
	}
	return t
}

var dark, _ = theme.Lookup(theme.DefaultDark)

// BenchmarkOpen measures the opening of a conversation, with the first screen.
func BenchmarkOpen(b *testing.B) {
	for name, t := range map[string]*talk{
		"100,000 lines":  long(100_000),
		"1,000,000":      long(1_000_000),
		"50 MB output":   (&talk{}).prompt("Go.").call("shell", "", "{}", "", tool.TerminalDisplay(strings.Repeat(numbered(100), 11_000))),
		"1 MB of answer": (&talk{}).prompt("Go.").answer(strings.Repeat("- an item of a *list*\n", 45_000)),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				New(t.source(), Options{}).View(120, 40, dark)
			}
		})
	}
}

// BenchmarkPageDown measures a page up and a page down at the end of 100,000 lines, with their screens.
func BenchmarkPageDown(b *testing.B) {
	v := New(long(100_000).source(), Options{})
	v.View(120, 40, dark)
	for b.Loop() {
		press(v, "pageup")
		v.View(120, 40, dark)
		press(v, "pagedown")
		v.View(120, 40, dark)
	}
}

// BenchmarkLine measures a row down with its screen, on the way through the conversation.
func BenchmarkLine(b *testing.B) {
	v := New(long(100_000).source(), Options{})
	v.View(120, 40, dark)
	press(v, "g")
	for b.Loop() {
		press(v, "j")
		v.View(120, 40, dark)
	}
}

// BenchmarkStep measures a step of a search.
func BenchmarkStep(b *testing.B) {
	v := New(long(100_000).source(), Options{})
	v.View(120, 40, dark)
	press(v, "/", "z", "z")
	for b.Loop() {
		if !v.Step() {
			v.find("zz")
		}
	}
}

// BenchmarkSearch measures a whole search for a frequent word in 100,000 lines.
func BenchmarkSearch(b *testing.B) {
	v := New(long(100_000).source(), Options{})
	v.View(120, 40, dark)
	for b.Loop() {
		v.find("line")
		for v.Step() {
		}
		press(v, "n")
	}
}

// BenchmarkRefresh measures a new message in a conversation of 100,000 lines.
func BenchmarkRefresh(b *testing.B) {
	t := long(100_000)
	v := New(t.source(), Options{})
	history := t.history
	for b.Loop() {
		t.history = history
		v.Refresh()
		t.answer("New.")
		v.Refresh()
		v.View(120, 40, dark)
	}
}
