package kit

import (
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// TestStatusText checks the status line of running calls.
func TestStatusText(t *testing.T) {
	t.Parallel()
	now := time.Now()
	call := func(summary, output string) *Call {
		c := &Call{ToolCall: &agent.ToolCall{ID: "1", Name: "make"}, Summary: summary, Began: now.Add(-12500 * time.Millisecond)}
		if output != "" {
			c.Output = tool.TerminalDisplay(output)
		}
		return c
	}
	for want, calls := range map[string][]*Call{
		"make: all (12s)": {call("all", "")},
		"make: all (12s): \u65e5\u672c\u8a9e three": {call("all", "one\n\u65e5\u672c\u8a9e three \n\n")},
		"2 tools (12s)": {call("all", "one"), call("some", "")},
		"make: a long name ... (12s): a long lin...": {call("a long name of a target", "a long line of the output")},
		"make: a long name of a target of ... (12s)": {call("a long name of a target of this project", "")},
	} {
		if got := StatusText(calls, nil, now, 42); got != want || terminal.Width(got) > 42 {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
