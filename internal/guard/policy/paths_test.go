package policy

import (
	"testing"

	"pollux/internal/guard/trust"
)

// A file stays the same under another name: a restricting rule checks its real name, a
// permitting one its written name.
func TestRealPaths(t *testing.T) {
	t.Parallel()
	workflows, err := NewPattern(`"file_path":"[^"]*\.github/workflows/`)
	if err != nil {
		t.Fatal(err)
	}
	tools := []string{"write_file"}
	rules := []Rule{
		{Tools: tools, Decision: Deny, Priority: 4.9, Args: workflows},
		{Tools: tools, Decision: Deny, Priority: 4.8, Args: exactArg("file_path", "notes.txt")},
		{Tools: tools, Decision: Deny, Priority: 4.7, Args: exactArg("file_path", "/project/abs.txt")},
		{Tools: tools, Decision: Allow, Priority: 4.6, Args: exactArg("file_path", "mine.txt")},
	}
	e := engine(t, Options{Rules: rules, Mode: AutoEdit, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
	asking := engine(t, Options{Rules: rules, Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
	for _, tt := range []struct {
		name, path string
		want       [2]Decision // in autoEdit and default mode
	}{
		{"%2egithub/workflows/ci.yml", "/project/.github/workflows/ci.yml", [2]Decision{Deny, Deny}},
		{"link/ci.yml", "/project/.github/workflows/ci.yml", [2]Decision{Deny, Deny}},
		{"ci.yml", "/project/ci.yml", [2]Decision{Allow, Ask}},
		{"notes.txt", "/project/notes.txt", [2]Decision{Deny, Deny}},
		{"/project/notes.txt", "/project/notes.txt", [2]Decision{Deny, Deny}},
		{"./notes.txt", "/project/notes.txt", [2]Decision{Deny, Deny}},
		{"abs.txt", "/project/abs.txt", [2]Decision{Deny, Deny}},
		{"mine.txt", "/project/mine.txt", [2]Decision{Allow, Allow}},
		{"@mine.txt", "/project/mine.txt", [2]Decision{Allow, Ask}},
		{"@Makefile", "/project/Makefile", [2]Decision{Ask, Ask}},
		{"link", "/project/.git/config", [2]Decision{Deny, Ask}}, // by the checker of autoEdit
		{"notes.txt", "/elsewhere/x", [2]Decision{Deny, Deny}},
	} {
		c := call("write_file", "content", "x", "file_path", tt.name)
		c.Paths = []string{tt.path}
		if got := [2]Decision{e.Check(c).Decision, asking.Check(c).Decision}; got != tt.want {
			t.Errorf("%s, which is %s: %v, want %v", tt.name, tt.path, got, tt.want)
		}
	}
}
