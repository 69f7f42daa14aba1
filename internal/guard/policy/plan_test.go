package policy

import (
	"encoding/json"
	"testing"

	"pollux/internal/guard/trust"
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
