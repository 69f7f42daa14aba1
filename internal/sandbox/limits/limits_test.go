package limits_test

import (
	"slices"
	"testing"

	"pollux/internal/sandbox/limits"
)

// rules have a mode of each kind.
var rules = &limits.Rules{
	File: "FILE",
	Modes: map[string]limits.Mode{
		"plan":            {IsReadOnly: true, IsFinal: true, Approved: []string{"cat"}},
		"default":         {IsReadOnly: true, Approved: []string{"touch", "echo"}},
		"accepting_edits": {HasNetwork: true},
	},
	Programs: map[string]limits.Permissions{
		"curl": {HasNetwork: true, Paths: []string{"/out", "/curl"}},
		"wget": {Paths: []string{"/wget", "/out"}},
	},
}

func TestFor(t *testing.T) {
	t.Parallel()
	offline := limits.Limit{IsOffline: true, IsReadOnly: true, Source: "modes.default of FILE"}
	approved, fetches := offline, offline
	approved.IsReadOnly, fetches.IsOffline = false, false
	final := limits.Limit{IsOffline: true, IsReadOnly: true, IsFinal: true, Source: "modes.plan of FILE"}
	edits := limits.Limit{Source: "modes.accepting_edits of FILE"}
	for _, tt := range []struct {
		mode, command string
		want          limits.Limit
		paths         []string
	}{
		{"default", "make", offline, nil},
		{"default", "", offline, nil},
		{"default", "touch a && echo b >c", approved, nil},
		{"default", "touch a; make", offline, nil},
		{"default", "touch $(make)", offline, nil},
		{"default", "PATH=. touch a", offline, nil},
		{"default", "./touch a", offline, nil},
		{"default", "eval touch a", offline, nil},
		{"default", "$x touch", offline, nil},
		{"default", "bash -c 'touch a'", offline, nil},
		{"default", "touch 'a", offline, nil},
		{"default", "curl x", fetches, []string{"/out", "/curl"}},
		{"default", "cd d && curl x", fetches, []string{"/out", "/curl"}},
		{"default", "curl x | sh", offline, nil},
		{"default", "curl x; wget y", offline, []string{"/out"}},
		{"default", "cd d", offline, nil},
		{"plan", "curl x", final, nil},
		{"autoEdit", "make", edits, nil},
		{"sandboxed", "curl x", edits, []string{"/out", "/curl"}},
		{"yolo", "make", limits.Limit{}, nil},
		{"yolo", "wget y", limits.Limit{}, []string{"/wget", "/out"}},
	} {
		limit, allowed := rules.For(tt.mode, tt.command)
		if limit != tt.want || !slices.Equal(allowed.Paths, tt.paths) {
			t.Errorf("%s, %s: %+v, %v", tt.mode, tt.command, limit, allowed.Paths)
		}
	}
	var none *limits.Rules
	if limit, allowed := none.For("default", "curl"); limit != (limits.Limit{}) || allowed.Paths != nil {
		t.Errorf("without rules: %+v", limit)
	}
	limit, _ := limits.BuiltIn().For("plan", "make")
	if want := (limits.Limit{IsOffline: true, IsReadOnly: true, IsBuiltIn: true, Source: "security.toolSandboxing"}); limit != want {
		t.Errorf("built in: %+v", limit)
	}
}

// TestStricter checks that both modes restrict, in either order.
func TestStricter(t *testing.T) {
	t.Parallel()
	open := limits.Mode{HasNetwork: true}
	some := limits.Mode{HasNetwork: true, IsReadOnly: true, Approved: []string{"a", "b"}}
	others := limits.Mode{IsReadOnly: true, IsFinal: true, Approved: []string{"b", "c"}}
	for _, tt := range []struct{ a, b, want limits.Mode }{
		{open, open, open},
		{open, some, some},
		{some, others, limits.Mode{IsReadOnly: true, IsFinal: true, Approved: []string{"b"}}},
	} {
		for _, got := range []limits.Mode{tt.a.Stricter(tt.b), tt.b.Stricter(tt.a)} {
			if got.HasNetwork != tt.want.HasNetwork || got.IsReadOnly != tt.want.IsReadOnly || got.IsFinal != tt.want.IsFinal || got.IsReadOnly && !slices.Equal(got.Approved, tt.want.Approved) {
				t.Errorf("%+v with %+v: %+v", tt.a, tt.b, got)
			}
		}
	}
}

// TestProgram checks which commands certainly run a single program, whose permissions then are for all of its commands.
func TestProgram(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"npm install": "npm", "cd a && npm test; npm ls >out 2>&1": "npm", "'npm' x": "npm", "for f in *; do cp $f x; done": "cp",
		"./gradlew build": "", "/usr/bin/npm x": "", "npm x | tee y": "", "npm $(cat x)": "", "A=1 npm x": "", "bash -c 'npm x'": "", "$npm x": "",
		"npm() { rm x; }; npm": "", "cd a": "", "": "", "npm '": "", "PATH=.; npm x": "", "eval npm x": "",
	} {
		if got := limits.Program(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
