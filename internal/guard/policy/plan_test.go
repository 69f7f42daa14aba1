package policy

import (
	"encoding/json"
	"testing"

	"pollux/internal/guard/trust"
	"pollux/tool"
)

// Plans may be written where the user wants them, and nothing else.
func TestPlanRule(t *testing.T) {
	t.Parallel()
	const dir = `/project/a "b" (c)+/plans`
	for path, want := range map[string]Decision{
		dir + "/my-plan.md":       Allow,
		dir + "/my plan.md":       Deny,
		dir + "/plan.go":          Deny,
		dir + "/sub/plan.md":      Deny,
		dir + "/../code.md":       Deny,
		dir + "/a.md\x00.go":      Deny,
		"/x" + dir + "/a.md":      Deny,
		"/project/a b c/plans.md": Deny,
	} {
		e := New(Options{Rules: []Rule{PlanRule(dir)}, Mode: Plan, Interactive: true, Trust: trust.NewLive(trust.Trusted), Dir: "/project"})
		args, err := json.Marshal(map[string]string{"file_path": path, "content": `"file_path":"` + dir + `/a.md"`})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"write_file", "replace"} {
			if got := e.Check(Call{Name: name, Args: args}).Decision; got != want {
				t.Errorf("%s %q: %s, want %s", name, path, got, want)
			}
		}
	}
	for _, mode := range []Mode{Default, AutoEdit} {
		e := New(Options{Rules: []Rule{PlanRule(dir)}, Mode: mode, Trust: trust.NewLive(trust.Trusted)})
		if got := e.Check(Call{Name: "write_file", Args: json.RawMessage(`{"file_path":"/project/plans/a.md"}`)}).Rule; got != nil && got.Source == PlanRule(dir).Source {
			t.Errorf("the rule counts in mode %v", mode)
		}
	}
}

// TestPlanAnswer checks that "always" for a command in plan mode allows no command that does more than read.
func TestPlanAnswer(t *testing.T) {
	t.Parallel()
	e := engine(t, Options{Mode: Plan, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
	asked := command("git -C sub log")
	if got := e.Check(asked).Decision; got != Ask {
		t.Fatalf("git -C sub log: %v", got)
	}
	if !e.Remember(asked, tool.ProceedAlways) || e.Preview(asked, tool.ProceedAlwaysAndSave) != "" {
		t.Error("the answer is not remembered, or could be saved")
	}
	for _, mode := range []Mode{Plan, Default} {
		if err := e.SetMode(mode); err != nil {
			t.Fatal(err)
		}
		if got := e.Check(asked).Decision; got != Allow {
			t.Errorf("the command in %v: %v", mode, got)
		}
		if got := e.Check(command("git push")).Decision; got == Allow {
			t.Errorf("git push in %v: %v", mode, got)
		}
	}
}

// TestPlanRestricted checks that the user's rules count for commands that only read.
func TestPlanRestricted(t *testing.T) {
	t.Parallel()
	rules := []Rule{{Tools: []string{shellTool}, Decision: Deny, Priority: 4.1, Prefixes: []string{"cat"}}, {Tools: []string{shellTool}, Decision: Ask, Priority: 4.1, Prefixes: []string{"head"}}}
	e := engine(t, Options{Mode: Plan, Interactive: true, Rules: rules, Trust: trust.NewLive(trust.Trusted)})
	for c, want := range map[string]Decision{"ls; cat a": Deny, "ls | head": Ask, "ls | wc": Allow, "cat a": Deny} {
		if got := e.Check(command(c)).Decision; got != want {
			t.Errorf("%s: %v, want %v", c, got, want)
		}
	}
	untrusted := engine(t, Options{Mode: Plan, Interactive: true, Trust: trust.NewLive(trust.Untrusted)})
	if got := untrusted.Check(command("ls")).Decision; got != Ask {
		t.Errorf("ls in a folder that is not trusted: %v", got)
	}
}
