package guard

import (
	"context"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/tool"
)

// The notifier is called once for each question, and again for a repeated one. The question
// does not wait for it. A call without a question does not call it.
func TestNotify(t *testing.T) {
	t.Parallel()
	type notice struct {
		call    *agent.ToolCall
		details tool.Confirmation
	}
	notices := make(chan notice)
	g := gate(policy.Default, Options{
		Interactive: true,
		Notify:      func(_ context.Context, c *agent.ToolCall, d tool.Confirmation) { notices <- notice{c, d} },
	})
	c, mine := call("write_file", "a", "theirs"), "mine"
	answers := []tool.Answer{{Outcome: tool.ModifyWithEditor, Content: &mine}, {Outcome: tool.ProceedOnce}}
	asked := 0
	a := g.Admit(t.Context(), c, writer(t.TempDir()), func(_ context.Context, details tool.Confirmation) (tool.Answer, error) {
		n := <-notices // only now: a notifier that is slow holds nothing up
		if n.call != c || n.details != details {
			t.Errorf("notified of %v, %v, asked about %v", n.call, n.details, details)
		}
		asked++
		return answers[asked-1], nil
	})
	if a.Run == nil || asked != 2 {
		t.Errorf("asked %d times: %+v", asked, a)
	}

	quiet := gate(policy.Yolo, Options{
		Interactive: true,
		Notify:      func(context.Context, *agent.ToolCall, tool.Confirmation) { t.Error("notified without a question") },
	})
	if a := quiet.Admit(t.Context(), c, writer(t.TempDir()), unasked(t)); a.Run == nil {
		t.Errorf("refused: %+v", a.Refusal)
	}

	broken := gate(policy.Default, Options{
		Interactive: true,
		Notify:      func(context.Context, *agent.ToolCall, tool.Confirmation) { panic("boom") },
	})
	once := func(context.Context, tool.Confirmation) (tool.Answer, error) {
		return tool.Answer{Outcome: tool.ProceedOnce}, nil
	}
	if a := broken.Admit(t.Context(), c, writer(t.TempDir()), once); a.Run == nil {
		t.Errorf("a broken notifier refuses: %+v", a.Refusal)
	}
}
