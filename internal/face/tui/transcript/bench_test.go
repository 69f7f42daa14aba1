package transcript

import (
	"fmt"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

func benchTranscript() *Transcript {
	dark, _ := theme.Lookup(theme.DefaultDark)
	return &Transcript{Look: Look{Width: 100, Theme: dark}}
}

// BenchmarkChunk measures a chunk of an answer with a frame behind it, after answers of several lengths: the time does
// not depend on the length.
func BenchmarkChunk(b *testing.B) {
	for _, before := range []int{0, 1000, 100_000} {
		b.Run(fmt.Sprint(before), func(b *testing.B) {
			tr := benchTranscript()
			for range before {
				tr.run(agent.Text{Text: "- an item of a *list*\n"})
			}
			tr.Take()
			for b.Loop() {
				tr.run(agent.Text{Text: "- an item of a *list*\n"})
				tr.Pending(30, start)
				tr.Take()
			}
		})
	}
}

// BenchmarkOpen measures a chunk of an open block of several kinds, as large as they become, with a frame behind it.
func BenchmarkOpen(b *testing.B) {
	for _, c := range []struct{ name, text, chunk string }{
		{"paragraph", strings.Repeat("some *words* of `text` ", 700), "x"},
		{"table", "| a | b |\n|---|---|\n" + strings.Repeat("| some *words* | of text |\n", 195), "|"},
		{"code", "```go\n" + strings.Repeat("func main() ", 1<<20), "x"},
	} {
		b.Run(c.name, func(b *testing.B) {
			tr := benchTranscript()
			tr.run(agent.Text{Text: c.text})
			for b.Loop() {
				tr.run(agent.Text{Text: c.chunk})
				tr.Pending(30, start)
			}
		})
	}
}

// BenchmarkFrame measures a frame while a call with much output runs, and nothing has changed.
func BenchmarkFrame(b *testing.B) {
	tr, c := benchTranscript(), callOf("run_shell_command", "1")
	tr.run(began(c, tool.KindExecute, "yes"), agent.ToolUpdated{Call: c, Output: tool.TerminalDisplay(strings.Repeat("y\n", 5<<20))})
	for b.Loop() {
		tr.Pending(30, start)
	}
}

// BenchmarkOutput measures new output of a running call with a frame behind it.
func BenchmarkOutput(b *testing.B) {
	tr, c := benchTranscript(), callOf("run_shell_command", "1")
	tr.run(began(c, tool.KindExecute, "yes"))
	output := agent.ToolUpdated{Call: c, Output: tool.TerminalDisplay(strings.Repeat("some text of a line\n", 10_000))}
	for b.Loop() {
		tr.run(output)
		tr.Pending(30, start)
	}
}

// BenchmarkCalls measures a call after many others.
func BenchmarkCalls(b *testing.B) {
	tr := benchTranscript()
	for i := 0; b.Loop(); i++ {
		c := callOf("read_file", fmt.Sprint(i))
		tr.run(agent.ToolRequested{Call: c}, began(c, tool.KindRead, "a.go"), done(c, &tool.Result{Summary: "1 line"}))
		tr.Take()
	}
}
