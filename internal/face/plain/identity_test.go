package plain

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/agent/agenttest"
	"pollux/internal/face/kit"
	"pollux/internal/face/kit/kittest"
	"pollux/tool"
)

// A person at a terminal reads every warning before they decide.
func TestQuestionHasEveryLine(t *testing.T) {
	for kind, details := range kittest.Approvals() {
		t.Run(kind, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var got []tool.Answer
				p := sit(t, backend{Run: asks(&got, details)})
				p.types("go")
				p.leaves()
				for _, line := range kit.NewQuestion(details, true, nil).Warnings {
					if !strings.Contains(p.paper.String(), "\n"+line+"\n") {
						t.Errorf("the question lacks %q:\n%s", line, p.paper.String())
					}
				}
			})
		})
	}
}

// The rules that allow a call of the model do not answer the question about the call with which a hook
// continues it, and the screen shows that call when it runs and when it has ended.
func TestContinuedCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := titled
		o.IsAllowed = func(p *agent.PreparedCall) bool { return p.Tool().Spec().Name == "read_file" }
		outer := callOf("read_file", "1")
		inner := &agent.ToolCall{ID: outer.ID, Name: "run_shell_command", Requested: "read_file"}
		question := agenttest.Question(inner, shellQuestion())
		var got tool.Answer
		o.Run = runs(func(ctx context.Context, _ string, emit func(agent.Event)) error {
			answers := make(chan tool.Answer, 1)
			emit(agent.ToolRequested{Call: outer})
			emit(agent.ToolUpdated{Call: outer, Status: agent.Executing, Summary: "notes.txt"})
			emit(agent.ToolAsked{Call: outer, Question: question, Answer: func(a tool.Answer) { answers <- a }})
			select {
			case got = <-answers:
			case <-ctx.Done():
				return nil
			}
			if got.Outcome != tool.ProceedOnce {
				return fmt.Errorf("the answer is %s", got.Outcome)
			}
			emit(agent.ToolUpdated{Call: outer, Status: agent.Executing, Running: question.About()[0]})
			f := agenttest.Finished(outer, agent.Success, tool.Text("notes"))
			last := agent.Refused(inner, tool.Fail(tool.ErrShell, "no such file"))
			last.Summary = "rm victim.txt"
			f.Executions = append(f.Executions, last)
			f.Status, f.Result = agent.Failed, last.Result
			emit(f)
			return nil
		})
		p := sit(t, o)
		p.types("go")
		if s := p.skips(); !strings.Contains(s, "Question: Confirm Shell Command") || strings.Contains(s, "Allowed without asking") {
			t.Errorf("sees %q", s)
		}
		p.answers("y")
		p.leaves()
		for _, line := range []string{"A hook continues with Shell", "Done: read_file", "Failed: Shell: rm victim.txt: no such file"} {
			if !strings.Contains(p.paper.String(), "\n"+line+"\n") {
				t.Errorf("lacks %q:\n%s", line, p.paper.String())
			}
		}
	})
}
