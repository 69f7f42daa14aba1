package policy

import (
	"testing"

	"pollux/internal/guard/trust"
)

// Question returns the rule, setting or mode that requires approval.
func TestQuestion(t *testing.T) {
	t.Parallel()
	rules := []Rule{
		{Tools: []string{"web_fetch"}, Decision: Ask, Priority: TierUser.priority(100), file: "/home/me/a.toml", line: 3},
		{Tools: []string{"glob"}, Decision: Ask, Priority: TierUser.priority(100), Source: "Settings (tools.confirmationRequired)"},
		{Tools: []string{"read_file"}, Decision: Ask, Priority: TierUser.priority(100), Source: "library"},
		{Tools: []string{shellTool}, Decision: Allow, Priority: TierUser.priority(100), Prefixes: []string{"find", "test"}},
	}
	e := engine(t, Options{Rules: rules, Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Display: func(string) string { return "~/a.toml" }})
	for _, tt := range []struct {
		call    Call
		want    string
		isUsual bool
	}{
		{call("web_fetch"), "The policy rule in ~/a.toml, line 3, requires approval.", false},
		{call("glob"), "The setting tools.confirmationRequired requires approval.", false},
		{call("read_file"), "A policy rule requires approval.", false},
		{call("write_file", "file_path", "a.go"), `Approval mode "default" requires approval.`, true},
		{command("npm test"), `Approval mode "default" requires approval.`, true},
		{command("find . -name x >y"), "Approval is needed because the command redirects, and the rule does not allow redirection.", false},
		{command(`test -v 'a[$(x)]'`), "bash evaluates a text in test -v 'a[$(x) a second time, so a rule for the command does not allow it.", false},
		{command("ls"), "", false},
		{call("list_directory"), "", false},
	} {
		if got, isUsual := e.Question(tt.call); got != tt.want || isUsual != tt.isUsual {
			t.Errorf("%s %s: %q, %v", tt.call.Name, tt.call.Args, got, isUsual)
		}
	}
}
