package transcript

import (
	"fmt"
	"strings"
	"testing"
	"time"

	uv "github.com/charmbracelet/ultraviolet"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/wording"
	"pollux/llm"
	"pollux/tool"
)

// conversation passes on the events of a session. It calls draw at a few moments.
func conversation(tr *Transcript, draw func(moment string, now time.Time)) {
	read, grep, edit, shell := callOf("read_file", "1"), callOf("grep_search", "2"), callOf("replace", "3"), callOf("run_shell_command", "4")
	tr.Print(styled.Plain("Pollux"))
	tr.Warn("You are running Pollux in your home directory. It is recommended to run in a project-specific directory.")
	tr.Prompt("/about")
	tr.Prompt("Why does the test in internal/parser fail, and what would it take to fix it? Look at the lexer too.")
	tr.Handle(kit.Began{IsRun: true, Prompt: "typed"}, start)
	tr.run(
		agent.TurnStarted{Turn: 1}, agent.Thought{Subject: "Plan", Description: "Read the parser first, then run its test."},
		agent.Text{Text: sampleAnswer}, agent.ToolRequested{Call: read}, agent.ToolRequested{Call: grep}, agent.Finished{},
		began(read, tool.KindRead, "internal/parser/parser_test.go"), began(grep, tool.KindSearch, "'func lex' in internal/**/*.go"),
		done(grep, &tool.Result{Display: &tool.MatchDisplay{Summary: "Found 3 matches"}, Summary: "Found 3 matches"}),
	)
	draw("two calls, of which the second has ended", start.Add(4*time.Second))
	tr.run(
		done(read, &tool.Result{Display: tool.TextDisplay(""), Summary: "120 lines"}),
		agent.Text{Text: "The lexer drops the last rune."}, agent.ToolRequested{Call: edit}, agent.Finished{},
		began(edit, tool.KindEdit, "internal/parser/lexer.go"), done(edit, &tool.Result{Display: change(), Lines: tool.LineChange{Added: 1, Removed: 1}}),
		agent.ToolRequested{Call: shell}, began(shell, tool.KindExecute, "go test ./internal/parser/... -run TestLexer -count=1"),
		agent.ToolUpdated{Call: shell, Output: tool.TerminalDisplay(numbered(18))},
	)
	tr.Handle(kit.Warning{Text: "The MCP server docs has disconnected."}, start)
	draw("a running call with output, and a warning behind it", start.Add(75*time.Second))
	tr.run(
		done(shell, &tool.Result{Display: tool.TerminalDisplay(numbered(18)), OutputFile: "/tmp/pollux/output-1.txt"}),
		agenttest.Finished(callOf("read_file", "5"), agent.Failed, tool.Fail(tool.ErrFileNotFound, "File not found: /home/me/work/x.go")),
		agenttest.Finished(callOf("run_shell_command", "6"), agent.CallCancelled, nil),
		agent.Waiting{Retry: llm.Retry{Attempt: 1, MaxAttempts: 10, Delay: 2 * time.Second, Err: fmt.Errorf("Overloaded."), Model: "m"}},
		agent.Text{Text: "It is **fixed**, but the rest of this sentence has not"},
	)
	draw("an open paragraph", start)
	tr.Handle(kit.Failed{Err: &llm.Error{Kind: llm.KindServer, Status: 500, Message: "Internal error"}}, start)
	tr.Handle(kit.Cancelled{ByInterrupt: true}, start)
	tr.Handle(kit.Finished{}, start)
}

// TestGolden compares a conversation with its golden files, in several widths.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 160} {
		tr := newTranscript()
		tr.Look.Width, tr.Options.ShowsThoughts = width, true
		tr.Options.Place = func(string) wording.Place { return wording.Place{InSession: true} }
		var b strings.Builder
		conversation(tr, func(moment string, now time.Time) {
			b.WriteString(joined(tr.Take()))
			fmt.Fprintf(&b, "---- pending: %s\n%s----\n", moment, joined(tr.Pending(12, now)))
		})
		b.WriteString(joined(tr.Take()))
		golden.Check(t, fmt.Sprintf("conversation.%d.txt", width), b.String())
	}
}

// TestGoldenStyles compares a conversation with its golden file, with the styles of a dark theme and of the one without
// colors.
func TestGoldenStyles(t *testing.T) {
	t.Parallel()
	dark, _ := theme.Lookup(theme.DefaultDark)
	for _, th := range []theme.Theme{dark, theme.NoColor()} {
		tr := newTranscript()
		tr.Look.Theme, tr.Options.ShowsThoughts = th, true
		var lines []styled.Line
		conversation(tr, func(_ string, now time.Time) {
			lines = append(append(lines, tr.Take()...), tr.Pending(12, now)...)
		})
		golden.Check(t, "styles."+th.Name+".txt", notation(append(lines, tr.Take()...)))
	}
}

// notation returns lines with the styles of their spans before them: "{bold #ffffff on #000000}text".
func notation(lines []styled.Line) string {
	var b strings.Builder
	for _, l := range lines {
		for _, s := range l {
			b.WriteString("{" + styleName(s.Style) + "}" + s.Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func styleName(s styled.Style) string {
	var words []string
	for _, a := range []struct {
		attribute uint8
		name      string
	}{{styled.Bold, "bold"}, {styled.Faint, "faint"}, {styled.Italic, "italic"}, {styled.Reverse, "reverse"}, {styled.Strikethrough, "struck"}} {
		if s.Attrs&a.attribute != 0 {
			words = append(words, a.name)
		}
	}
	if s.Underline != uv.UnderlineNone {
		words = append(words, "underlined")
	}
	if s.Fg != nil {
		r, g, b, _ := s.Fg.RGBA()
		words = append(words, fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8))
	}
	if s.Bg != nil {
		r, g, b, _ := s.Bg.RGBA()
		words = append(words, fmt.Sprintf("on #%02x%02x%02x", r>>8, g>>8, b>>8))
	}
	return strings.Join(words, " ")
}
