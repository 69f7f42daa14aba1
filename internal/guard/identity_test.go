package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/tool"
)

// TestIdentity checks, for each way in which a call can change after the model has made it, that the person is
// asked about the call that then runs, that nothing else runs, that the tool gets the arguments in the
// question, and that the record has them, with the origin of the change.
func TestIdentity(t *testing.T) {
	t.Parallel()
	for _, tt := range identityCases() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newIdentity(tt)
			a := s.gate.Admit(t.Context(), s.call(), s.tools[tt.tool], s.ask)
			var records []agent.Execution
			if a.Run != nil {
				records = a.Run(t.Context(), agent.Host{Ask: s.ask})
			} else {
				records = []agent.Execution{a.Record}
			}
			var got []string
			for _, x := range records {
				got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %v %s", x.Name, x.Args, x.ChangedBy, x.Requested)))
			}
			if diff := cmp.Diff(tt.records, got); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.asked, s.asked); diff != "" {
				t.Errorf("questions (-want +got):\n%s", diff)
			}
			for _, x := range records {
				one := x.Name + " " + string(x.Args)
				if x.HasRun != slices.Contains(s.ran, one) {
					t.Errorf("the record of %s says that it has run: %v; ran: %q", one, x.HasRun, s.ran)
				}
			}
			if len(s.ran) != tt.runs {
				t.Errorf("%d calls ran: %q", len(s.ran), s.ran)
			}
		})
	}
}

// identityCase is a way in which a call changes. Arguments are those of the tool "look", which needs
// no approval, or "change", which does.
type identityCase struct {
	name, tool string
	hook       func(HookedCall) BeforeTool
	tail       func(HookedCall) *Tail
	answers    []tool.Answer
	call       func(*agent.ToolCall)
	subagent   string
	asked      []string // "tool arguments" of each question, with a mark for approvals
	records    []string
	runs       int
}

func identityCases() []identityCase {
	const look, change = `{"file_path":"a"}`, `{"content":"x","file_path":"b"}`
	yes, no := tool.Answer{Outcome: tool.ProceedOnce}, tool.Answer{Outcome: tool.Cancel}
	mine := "mine"
	edited := tool.Answer{Outcome: tool.ModifyWithEditor, Content: &mine}
	continueWith := func(name, args string) func(HookedCall) *Tail {
		return func(c HookedCall) *Tail {
			if c.Requested != "" {
				return nil
			}
			return &Tail{Name: name, Args: json.RawMessage(args)}
		}
	}
	rewrite := func(name, args string) func(HookedCall) BeforeTool {
		return func(c HookedCall) BeforeTool {
			if c.Tool.Spec().Name != name {
				return BeforeTool{}
			}
			return BeforeTool{Args: json.RawMessage(args)}
		}
	}
	return []identityCase{
		{name: "unchanged", tool: "look", records: []string{"look " + look + " []"}, runs: 1},
		{name: "asked", tool: "change", answers: []tool.Answer{yes}, asked: []string{"? change " + change}, records: []string{"change " + change + " []"}, runs: 1},
		{name: "refused", tool: "change", answers: []tool.Answer{no}, asked: []string{"? change " + change}, records: []string{"change " + change + " []"}},
		{
			name: "rewritten by a hook", tool: "change", hook: rewrite("change", `{"file_path":"h"}`), answers: []tool.Answer{yes},
			asked: []string{`? change {"file_path":"h"}`}, records: []string{`change {"file_path":"h"} [hook]`}, runs: 1,
		},
		{
			name: "edited by the person", tool: "change", answers: []tool.Answer{edited, yes},
			asked: []string{"? change " + change, `? change {"content":"mine","file_path":"b"}`}, records: []string{`change {"content":"mine","file_path":"b"} [user]`}, runs: 1,
		},
		{
			name: "edited and allowed at once", tool: "change", answers: []tool.Answer{{Outcome: tool.ProceedOnce, Content: &mine}},
			asked: []string{"? change " + change}, records: []string{`change {"content":"mine","file_path":"b"} [user]`}, runs: 1,
		},
		{
			name: "rewritten, then edited", tool: "change", hook: rewrite("change", `{"file_path":"h"}`), answers: []tool.Answer{edited, yes},
			asked:   []string{`? change {"file_path":"h"}`, `? change {"content":"mine","file_path":"h"}`},
			records: []string{`change {"content":"mine","file_path":"h"} [hook user]`}, runs: 1,
		},
		{
			name: "continued", tool: "look", tail: continueWith("change", change), answers: []tool.Answer{yes},
			asked: []string{"? change " + change}, records: []string{"look " + look + " []", "change " + change + " [] look"}, runs: 2,
		},
		{
			name: "continued and refused", tool: "look", tail: continueWith("change", change), answers: []tool.Answer{no},
			asked: []string{"? change " + change}, records: []string{"look " + look + " []", "change " + change + " [] look"}, runs: 1,
		},
		{
			name: "continued, rewritten and edited", tool: "look", tail: continueWith("change", change), hook: rewrite("change", `{"file_path":"h"}`),
			answers: []tool.Answer{edited, yes}, asked: []string{`? change {"file_path":"h"}`, `? change {"content":"mine","file_path":"h"}`},
			records: []string{"look " + look + " []", `change {"content":"mine","file_path":"h"} [hook user] look`}, runs: 2,
		},
		{
			name: "continued after a person's own call", tool: "look", tail: continueWith("change", change), answers: []tool.Answer{yes},
			call:  func(c *agent.ToolCall) { c.FromClient = true },
			asked: []string{"? change " + change}, records: []string{"look " + look + " []", "change " + change + " [] look"}, runs: 2,
		},
		{
			name: "proposed again", tool: "look", answers: []tool.Answer{yes}, call: func(c *agent.ToolCall) { c.MustAsk = true },
			asked: []string{"? look " + look}, records: []string{"look " + look + " []"}, runs: 1,
		},
		{
			name: "of a subagent, continued", tool: "look", subagent: "helper", tail: continueWith("change", change), answers: []tool.Answer{yes},
			asked: []string{"? change " + change}, records: []string{"look " + look + " []", "change " + change + " [] look"}, runs: 2,
		},
		{
			name: "that asks while it runs", tool: "elicit", answers: []tool.Answer{yes},
			asked: []string{`elicit {"file_path":"e"}`}, records: []string{`elicit {"file_path":"e"} []`}, runs: 1,
		},
		{
			name: "continued by one that asks while it runs", tool: "look", tail: continueWith("elicit", `{"file_path":"e"}`), answers: []tool.Answer{yes},
			asked: []string{`elicit {"file_path":"e"}`}, records: []string{"look " + look + " []", `elicit {"file_path":"e"} [] look`}, runs: 2,
		},
		{
			name: "continued with invalid arguments", tool: "look", tail: continueWith("change", `{"file_path":[7]}`),
			records: []string{"look " + look + " []", `change {"file_path":[7]} [] look`}, runs: 1,
		},
		{
			name: "continued with an unknown tool", tool: "look", tail: continueWith("none", `{}`),
			records: []string{"look " + look + " []", `none {} [] look`}, runs: 1,
		},
	}
}

// identity is a gate whose person notes which call each question is about.
type identity struct {
	identityCase
	gate  *Gate
	tools map[string]tool.Tool
	asked []string
	ran   []string
}

func newIdentity(c identityCase) *identity {
	s := &identity{identityCase: c}
	note := func(name string, run func(context.Context, tool.Host)) *realTool {
		made := printer(name, tool.KindOther)
		made.run = func(ctx context.Context, args map[string]any, host tool.Host) *tool.Result {
			text, _ := json.Marshal(args)
			s.ran = append(s.ran, name+" "+string(text))
			if run != nil {
				run(ctx, host)
			}
			return tool.Text("ok")
		}
		return made
	}
	s.tools = map[string]tool.Tool{"look": note("look", nil), "change": note("change", nil), "elicit": note("elicit", func(ctx context.Context, host tool.Host) {
		_, _ = host.Ask(ctx, &tool.QuestionConfirmation{Title: "Which?"}) // the answer does not matter
	})}
	o := Options{Interactive: true, Subagent: c.subagent, Tool: func(name string) (tool.Tool, bool) { found, ok := s.tools[name]; return found, ok }}
	o.Hooks = gateHooks{before: c.hook, after: func(c HookedCall, _ *tool.Result) AfterTool {
		if s.tail == nil {
			return AfterTool{}
		}
		return AfterTool{Tail: s.tail(c)}
	}}
	s.gate = gate(policy.Default, o,
		policy.Rule{Tools: []string{"look", "elicit"}, Decision: policy.Allow, Priority: 4},
		policy.Rule{Tools: []string{"change"}, Decision: policy.Ask, Priority: 4})
	return s
}

func (s *identity) call() *agent.ToolCall {
	args := map[string]string{"look": `{"file_path":"a"}`, "change": `{"content":"x","file_path":"b"}`, "elicit": `{"file_path":"e"}`}[s.tool]
	c := &agent.ToolCall{ID: s.tool + "__1", Name: s.tool, Args: json.RawMessage(args)}
	if s.identityCase.call != nil {
		s.identityCase.call(c)
	}
	return c
}

func (s *identity) ask(_ context.Context, q *agent.Question) (tool.Answer, error) {
	p := q.About()[0]
	text := p.Tool().Spec().Name + " " + string(p.Args())
	if q.IsApproval() {
		text = "? " + text
	}
	s.asked = append(s.asked, text)
	if edit, ok := q.Details().(*tool.EditConfirmation); ok && !strings.Contains(string(p.Args()), edit.FilePath) {
		s.asked = append(s.asked, "which shows "+edit.FilePath)
	}
	// Rules decide the same about the call in the question and the call that runs.
	if c := PreparedPolicyCall(p); c.Name != p.Tool().Spec().Name || string(c.Args) != string(p.Args()) {
		s.asked = append(s.asked, "for which rules see "+c.Name+" "+string(c.Args))
	}
	if edit, ok := q.Details().(*tool.EditConfirmation); ok && (edit.Continues != p.Call().Requested || edit.IsChanged != slices.Contains(p.ChangedBy(), agent.AuthorHook)) {
		s.asked = append(s.asked, fmt.Sprintf("which says %+v", edit.Hooked))
	}
	if len(s.answers) == 0 {
		return tool.Answer{Outcome: tool.Cancel, Unattended: true}, nil
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	return a, nil
}
