package transcript

import (
	"fmt"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/face/tui/markdown"
	"pollux/internal/face/tui/styled"
	"pollux/internal/record"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

// addResult adds the result of a / command. It does not end the answer: a command may run beside it.
func (t *Transcript) addResult(r slash.Result) {
	text := r.Markdown(t.width())
	isBlank := strings.TrimSpace(text) == ""
	switch {
	case r.Recap != nil:
		t.addRecap(r.Recap)
	case isBlank && r.Clear:
		t.Info("Starting a new conversation.")
	case isBlank:
	case r.Failed:
		t.Error(terminal.Brief(text))
	default:
		t.add(apart, t.fit(func(t *Transcript) []styled.Line { return t.markdownLines(keepLines(r.Markdown(t.width())), t.width()) }))
	}
}

// addRecap shows where a resumed conversation stands.
func (t *Transcript) addRecap(r *record.Recap) {
	t.Info(fmt.Sprintf("Resumed after %s: %s", wording.Count(r.Prompts, "prompt"), terminal.Line(r.Title)))
	if r.Prompt != "" {
		t.Prompt(excerpt(r.Prompt, 5))
	}
	if r.Answer != "" {
		place := AtStart
		var s markdown.Splitter
		t.add(apart, t.blockLines(append(s.Add(excerpt(r.Answer, 20)), s.End()...), &place))
	}
}

// markdownLines returns a whole text in Markdown.
func (t *Transcript) markdownLines(text string, width int) (lines []styled.Line) {
	r := t.renderer(width, false)
	var s markdown.Splitter
	for _, b := range append(s.Add(text), s.End()...) {
		lines = append(lines, r.Render(b)...)
	}
	return lines
}

// keepLines returns Markdown in which each line of a paragraph stays a line.
func keepLines(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, " \n")
		trimmed := strings.TrimLeft(body, " ")
		isFence := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")
		isCode := fence != "" || isFence || strings.HasPrefix(line, "    ")
		switch {
		case isFence && fence == "":
			fence = trimmed[:3]
		case isFence && strings.HasPrefix(trimmed, fence):
			fence = ""
		}
		if isCode || body == "" {
			b.WriteString(line)
			continue
		}
		b.WriteString(body + "  \n")
	}
	return b.String()
}

// typed is a shell command that the person has entered.
type typed struct {
	result *tool.Result // nil before its end
	pid    int          // of its process, 0 for none
	fails  bool         // the first line of its output says how
}

// handleShell takes an event of a shell command that the person has entered. Its prompt is shown, and kit.ShellDone has
// its output.
func (t *Transcript) handleShell(e agent.Event, at time.Time) {
	f, isEnd := e.(agent.ToolFinished)
	if !isEnd {
		t.handleCall(e, at)
		return
	}
	it := t.itemOf(f.Call)
	t.typed = typed{f.Result, it.call.pid, f.Status == agent.CallCancelled || f.Result != nil && f.Result.Data["isError"] == true}
	t.endCall(it, nil)
}

// addShellOutput adds the output of a shell command that the person has entered. How it has failed is shown, however much it has
// printed.
func (t *Transcript) addShellOutput(output string) {
	c := t.typed
	t.typed = typed{}
	if c.result == nil {
		c.result = &tool.Result{}
	}
	var lines []styled.Line
	if c.fails {
		var first string
		first, output, _ = strings.Cut(output, "\n")
		lines = marginLines([]string{first}, t.Look.Theme.Warning())
	}
	lines = append(lines, t.outputLines(c.pid, output, c.result.Omitted)...)
	t.add(apart, append(lines, t.savedLines(c.result.OutputFile)...))
}
