package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/tool"
)

// shellLike is a tool with the confirmation of the shell tool that does nothing.
type shellLike struct{ spec tool.Spec }

type shellCall struct{ command string }

func newShell() *shellLike {
	return &shellLike{tool.Spec{Name: "run_shell_command", Kind: tool.KindExecute, Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}}}`)}}
}

func (s *shellLike) Spec() *tool.Spec { return &s.spec }

func (s *shellLike) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args struct{ Command string }
	err := json.Unmarshal(raw, &args)
	return &shellCall{args.Command}, err
}

func (c *shellCall) Summary() string            { return c.command }
func (c *shellCall) Locations() []tool.Location { return nil }

func (c *shellCall) Confirmation(context.Context) (tool.Confirmation, error) {
	return &tool.ExecConfirmation{Command: c.command}, nil
}

func (c *shellCall) Run(context.Context, tool.Host) *tool.Result { return tool.Text("ran") }

// told holds words that come from tool output.
type told struct{ words []string }

func (o *told) Untrusted(command string) []string {
	var list []string
	for _, w := range strings.Fields(command) {
		if slices.Contains(o.words, w) {
			list = append(list, w)
		}
	}
	return list
}

func (o *told) Accept(words []string) {
	o.words = slices.DeleteFunc(o.words, func(w string) bool { return slices.Contains(words, w) })
}

// scene is a session that records its confirmations.
type scene struct {
	t     *testing.T
	gate  *Gate
	says  tool.Outcome
	asked string
}

func newScene(t *testing.T, o policy.Options, words ...string) *scene {
	o.Trust, o.Dir, o.Inside = trust.NewLive(trust.Trusted), "/project", func(string) bool { return true }
	o.Git = o.Inside
	return &scene{t: t, says: tool.ProceedOnce, gate: New(Options{Policy: policy.New(o), Interactive: o.Interactive, Origins: &told{words}})}
}

func (s *scene) command(command string) agent.Admission {
	s.asked = "-"
	args, _ := json.Marshal(map[string]string{"command": command})
	return s.gate.Admit(s.t.Context(), &agent.ToolCall{ID: "1", Name: "run_shell_command", Args: args}, newShell(),
		func(_ context.Context, q *agent.Question) (tool.Answer, error) {
			c := q.Details()
			e := c.(*tool.ExecConfirmation)
			s.asked = fmt.Sprint(e.UntrustedFlags, e.ModifiedBuildFiles, e.Once())
			return tool.Answer{Outcome: s.says}, nil
		})
}

// expect runs a command and checks its confirmation; "-" means that there is none.
func (s *scene) expect(command, want string) agent.Admission {
	s.t.Helper()
	a := s.command(command)
	if s.asked != want {
		s.t.Errorf("%s: asked %s, want %s", command, s.asked, want)
	}
	return a
}

// edit has the model change a file.
func (s *scene) edit(name string, fails bool) {
	s.t.Helper()
	w := writer(s.t.TempDir())
	if fails {
		w.run = func(context.Context, map[string]any, tool.Host) *tool.Result {
			return tool.Fail(tool.ErrFileWrite, "no")
		}
	}
	a := s.gate.Admit(s.t.Context(), call("write_file", name, "x"), w, func(context.Context, *agent.Question) (tool.Answer, error) {
		return tool.Answer{Outcome: tool.ProceedOnce}, nil
	})
	if r := run(s.t, a); (r.Error != nil) != fails {
		s.t.Error(r.Error)
	}
}

func allowing(prefixes ...string) []policy.Rule {
	return []policy.Rule{{Tools: []string{"run_shell_command"}, Decision: policy.Allow, Priority: 4.1, Prefixes: prefixes}}
}

// An approval of git does not cover flags that come from a web page.
func TestUntrustedFlags(t *testing.T) {
	t.Parallel()
	s := newScene(t, policy.Options{Mode: policy.Default, Interactive: true, Rules: allowing("git")}, "--evil", "--worse", "--stat")
	s.expect("git fetch", "-")
	s.says = tool.Cancel
	if a := s.expect("git fetch --evil", "[--evil] [] true"); !a.Cancelled {
		t.Errorf("%+v", a)
	}
	s.says = tool.ProceedAlways
	if a := s.expect("git fetch --evil", "[--evil] [] true"); a.Record.Decision.Outcome != tool.ProceedOnce {
		t.Errorf("the answer counts as %s", a.Record.Decision.Outcome)
	}
	s.expect("git fetch --evil", "-") // it was agreed to
	s.expect("git fetch --evil --worse", "[--worse] [] true")
	s.expect("git diff --stat", "-") // it only looks

	s.expect("make --evil", "[] [] false")
	if got := len(s.gate.opts.Policy.Grants()); got != 1 {
		t.Errorf("%d answers are remembered", got)
	}
	s = newScene(t, policy.Options{Mode: policy.Default, Interactive: true}, "--evil")
	s.says = tool.ProceedAlways
	s.expect("make --evil", "[--evil] [] true")
	if got := s.gate.opts.Policy.Grants(); got != nil {
		t.Errorf("remembered: %v", got)
	}
	newScene(t, policy.Options{Mode: policy.Yolo, Interactive: true}, "--evil").expect("make --evil", "-")
	s = newScene(t, policy.Options{Mode: policy.Default, Rules: allowing("make")}, "--evil")
	if a := s.expect("make --evil", "-"); a.Run == nil { // without a user, rules decide
		t.Errorf("%+v", a.Record.Result)
	}
	s = newScene(t, policy.Options{Mode: policy.Default, Interactive: true, Rules: []policy.Rule{{Tools: []string{"*"}, Decision: policy.Deny, Priority: 4}}}, "--evil")
	if a := s.expect("make --evil", "-"); a.Record.Result == nil {
		t.Error("what is denied is asked about")
	}
}

// A person who has approved builds is asked again after a build file has changed.
func TestModifiedBuildFiles(t *testing.T) {
	t.Parallel()
	rules := allowing("npm", "git", "bash")
	s := newScene(t, policy.Options{Mode: policy.Default, Interactive: true, Rules: rules})
	s.edit("notes.txt", false)
	s.edit("package.json", true)
	s.expect("npm test", "-")
	s.edit("package.json", false)
	s.expect("git push", "-")
	s.expect("npm test", "[] [package.json] true")
	s.expect("npm test", "-")
	s.edit("package.json", false)
	s.edit("Makefile", false)
	s.says = tool.Cancel
	s.expect("bash -c 'npm test'", "[] [package.json Makefile] true")
	s.expect("./gradlew x", "[] [package.json Makefile] true")
	s.says = tool.ProceedAlways
	s.expect("sudo -E python3 setup.py", "[] [package.json Makefile] true")
	s.expect("npm test", "-")

	s = newScene(t, policy.Options{Mode: policy.Yolo, Interactive: true})
	s.edit("package.json", false)
	s.expect("npm test", "-")
	s = newScene(t, policy.Options{Mode: policy.Yolo, Interactive: true, BuildFiles: policy.Protected})
	s.edit("package.json", false)
	s.expect("npm test", "[] [package.json] true")
	s = newScene(t, policy.Options{Mode: policy.Default, Interactive: true, Rules: rules, BuildFiles: policy.Unprotected})
	s.edit("package.json", false)
	s.expect("npm test", "-")
}
