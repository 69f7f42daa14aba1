package policy

import (
	"testing"

	"pollux/internal/guard/trust"
	"pollux/tool"
)

// What is decided about the folder counts at once, and what was allowed because it was
// trusted counts no longer when it is not.
func TestTrustChanges(t *testing.T) {
	t.Parallel()
	project := Rule{Tools: []string{"web_fetch"}, Decision: Allow, Priority: TierWorkspace.priority(100)}
	own := Rule{Tools: []string{"write_todos"}, Decision: Allow, Priority: TierUser.priority(0)}
	folder := trust.NewLive(trust.Trusted)
	e := engine(t, Options{Rules: []Rule{project, own}, Mode: Default, Interactive: true, Trust: folder})
	if !e.Remember(command("make all"), tool.ProceedAlways) || e.SetMode(AutoEdit) != nil {
		t.Fatal("nothing is remembered")
	}
	if got := e.Check(command("git push")).Decision; got != Ask {
		t.Errorf("git push: %v", got)
	}
	folder.Set(trust.Untrusted)
	for c, want := range map[string]Decision{"make all": Ask, "git status": Ask, "ls": Ask} {
		if got := e.Check(command(c)).Decision; got != want {
			t.Errorf("%s: %v, want %v", c, got, want)
		}
	}
	if got := e.Check(call("web_fetch")).Decision; got != Ask {
		t.Errorf("the project's rules still count: %v", got)
	}
	if got := e.Check(call("write_todos")).Decision; got != Allow {
		t.Errorf("the user's rules do not count: %v", got)
	}
	if e.Mode() != Default || e.IsTrusted() || len(e.Grants()) > 0 || e.SetMode(AutoEdit) == nil || e.Remember(command("make"), tool.ProceedAlways) {
		t.Errorf("mode %v, trusted %v, %v", e.Mode(), e.IsTrusted(), e.Grants())
	}
	folder.Set(trust.Trusted)
	if got := e.Check(command("git status")).Decision; got != Allow {
		t.Errorf("git status: %v", got)
	}
	if !e.Remember(command("make"), tool.ProceedAlways) || e.SetMode(Yolo) != nil {
		t.Error("a folder that is trusted again is not")
	}
}
