package transcript

import (
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/theme"
)

// TestRaw checks that the source of an answer is shown unchanged, whatever the chunks are, from the block on at which raw mode
// begins.
func TestRaw(t *testing.T) {
	t.Parallel()
	const source = "# Title\n\n* one\n* **two**\n\n```go\nfunc f() {\n\n\treturn\n}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend\x1b[31m"
	for _, size := range [...]int{1, 5, len(source)} {
		tr := &Transcript{Look: Look{Width: 80, Theme: theme.NoColor(), IsRaw: true}}
		for i := 0; i < len(source); i += size {
			tr.Handle(kit.Ran{Event: agent.Text{Text: source[i:min(i+size, len(source))]}}, time.Time{})
			tr.Pending(20, time.Time{})
		}
		tr.Handle(kit.Finished{}, time.Time{})
		var lines []string
		for _, l := range tr.Take() {
			lines = append(lines, l.String())
		}
		got := strings.Join(lines, "\n")
		want := mark + "\n" + strings.ReplaceAll(source, "\x1b[31m", "")
		if strings.ReplaceAll(got, "    return", "\treturn") != want {
			t.Errorf("in chunks of %d:\n%q\n%q", size, got, want)
		}
	}
	tr := &Transcript{Look: Look{Width: 80, Theme: theme.NoColor()}}
	tr.Handle(kit.Ran{Event: agent.Text{Text: "**bold**\n\n"}}, time.Time{})
	tr.Look.IsRaw = true
	tr.Handle(kit.Ran{Event: agent.Text{Text: "**raw**\n\n"}}, time.Time{})
	tr.Handle(kit.Finished{}, time.Time{})
	var text strings.Builder
	for _, l := range tr.Take() {
		text.WriteString(l.String() + "\n")
	}
	if got := text.String(); got != "✦ bold\n\n**raw**\n" {
		t.Errorf("%q", got)
	}
}
