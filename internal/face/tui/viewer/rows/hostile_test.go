package rows

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"pollux/agent"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/viewer/conversation"
	"pollux/tool"
)

func hostile(t *rapid.T) string {
	bits := rapid.SliceOfN(rapid.SampledFrom([]string{
		"word", " ", "\n", "\t", "\r", "\x1b[31m", "\x1b]0;title\x07", "\x1b]52;c;eA==\x1b\\", "\u202e", "\u200b", "中文", "👩‍👩‍👧", "e\u0301", "\xff\xfe", "\x00", "\x9b2J",
		"```\n", "    code\n", "- ", "> ", "| a | b |\n|---|---|\n", "**", "#", "$x$", strings.Repeat("x", 300), "@@ -1 +1 @@\n", "+", "\u0085", "\u2028",
	}), 0, 60).Draw(t, "text")
	return strings.Join(bits, "")
}

func TestHostile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := hostile(t)
		before := ""
		args, _ := json.Marshal(map[string]string{text: text})
		items := []conversation.Item{
			item(conversation.Prompt, text), item(conversation.Note, text), item(conversation.Answer, text),
			{Kind: conversation.Thought, Subject: text, Text: text},
			callItem(conversation.CallItem{Name: text, Args: args, Description: text, Status: agent.Success, Output: text}),
			callItem(conversation.CallItem{Args: json.RawMessage(text), Status: agent.Failed, Output: text, Ran: []agent.Execution{{Name: text, ChangedBy: []agent.Author{agent.Author(text)}}}}),
			callItem(conversation.CallItem{Status: agent.CallCancelled, Result: text, Display: &tool.DiffDisplay{Diff: text, Before: &before}}),
			callItem(conversation.CallItem{Display: &tool.DiffDisplay{After: text}}),
			callItem(conversation.CallItem{Display: &tool.TodoDisplay{Todos: []tool.Todo{{Description: text}}}}),
			callItem(conversation.CallItem{Display: &tool.AgentDisplay{Activity: []tool.Activity{{Type: "thought", Content: text}, {DisplayName: text, Description: text}}, Result: text}}),
		}
		width := rapid.SampledFrom([]int{1, 2, 3, 5, 9, 17, 80}).Draw(t, "width")
		dark, _ := theme.Lookup(theme.DefaultDark)
		for i, it := range items {
			d := Open(it, true)
			for _, r := range all(d, &Look{Width: width, Theme: dark, LineNumbers: i%2 == 0}) {
				checkRow(t, r, width)
			}
			for n := range 4 {
				checkClean(t, d.Code(n))
			}
		}
	})
}

func checkRow(t *rapid.T, r Row, width int) {
	checkClean(t, r.Line.String())
	if strings.ContainsAny(r.Line.String(), "\n\t") {
		t.Fatalf("%q is more than a line", r.Line)
	}
	const widest = 2 // a wide character in one column
	if n := r.Line.Width(); n > width && !(width == 1 && n <= widest) {
		t.Fatalf("%q has %d columns, not %d", r.Line, n, width)
	}
	if text, indent := r.Text(); indent < 0 || r.Line.String()[indent:] != text {
		t.Fatalf("the text of %q is %q", r.Line, text)
	}
}

func checkClean(t *rapid.T, text string) {
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u202e' {
			t.Fatalf("%q has control characters", text)
		}
	}
}
