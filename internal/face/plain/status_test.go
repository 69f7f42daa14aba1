package plain

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/creack/pty"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/terminal"
	"pollux/tool"
)

// A running command has a status line on a terminal, which other text replaces.
func TestStatusLine(t *testing.T) {
	t.Parallel()
	out := &paper{}
	s := newScreen(&terminal.Terminal{Out: terminal.NewWriter(out), OutTTY: true, Width: 80})
	s.setStatus("one (1s)")
	s.setStatus("two")
	s.line("text")
	s.showPrompt("> ")
	s.setStatus("not beside a prompt")
	s.flush()
	if got, want := out.String(), "one (1s)\r        \rtwo\r   \rtext\n> "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The screen shows the output of a cancelled command.
func TestCancelledOutput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := callOf("make", "1")
		f := agenttest.Finished(c, agent.CallCancelled, &tool.Result{Display: tool.TerminalDisplay("Cancelled.\n\nOutput before cancellation:\nhalf")})
		got := tells(t, backend{}, f)
		if !strings.Contains(got, "Output before cancellation:\n  half\n") || !strings.Contains(got, "Cancelled: ") {
			t.Errorf("got %q", got)
		}
	})
}

// A terminal shows a sign of life of a command after a second, and its last line.
func TestSignOfLife(t *testing.T) {
	t.Parallel()
	shown := make(chan struct{})
	d := atTerminal(t, backend{Run: func(context.Context, agent.Prompt) iter.Seq2[agent.Event, error] {
		return func(yield func(agent.Event, error) bool) {
			c := callOf("make", "1")
			yield(agent.ToolUpdated{Call: c, Status: agent.Executing, Summary: "all"}, nil)
			yield(agent.ToolUpdated{Call: c, Status: agent.Executing, Output: tool.TerminalDisplay("one\ntwo\n")}, nil)
			<-shown
			yield(agenttest.Finished(c, agent.Success, &tool.Result{Display: tool.TerminalDisplay("three")}), nil)
		}
	}})
	d.sees("> ")
	if err := pty.Setsize(d.master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	d.types("go\n")
	d.sees("make: all (1s): two")
	close(shown)
	d.sees("Done: make: three\r\n> ")
	d.types("\x04\x04")
	d.leaves()
}
