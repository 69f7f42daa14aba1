package confine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/sandbox"
	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/limits"
	"pollux/internal/sandbox/network"
)

// TestGovern checks that commands keep to the approval mode at the time of their start, with the grants of a person and of the file.
func TestGovern(t *testing.T) {
	t.Parallel()
	c, home := confinement(t)
	rules := &limits.Rules{
		File: "FILE",
		Modes: map[string]limits.Mode{
			"plan":            {IsReadOnly: true, IsFinal: true},
			"default":         {IsReadOnly: true, Approved: []string{"touch"}},
			"accepting_edits": {HasNetwork: true},
		},
		Programs: map[string]limits.Permissions{"cp": {Paths: []string{"~/other"}}},
	}
	mode := "default"
	c.Govern(rules, func() string { return mode })
	if err := c.Open(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	work := filepath.Join(home, "work")
	if err := os.Mkdir(filepath.Join(work, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	other := confine.Grant{Paths: []string{filepath.Join(home, "other")}}
	sub, all := confine.Grant{Paths: []string{filepath.Join(work, "sub")}}, confine.Grant{Paths: []string{work}}
	for _, tt := range []struct {
		mode, command string
		grant         confine.Grant
		path          string // that the command creates
		isRefused     bool
	}{
		{"default", "touch", confine.Grant{}, "work/a", false},
		{"default", ">", confine.Grant{}, "work/b", true},
		{"default", ">", sub, "work/sub/c", false},
		{"default", ">", sub, "work/d", true},
		{"default", ">", all, "work/e", false},
		{"default", "cp /dev/null", confine.Grant{}, "other/f", false},
		{"default", "touch", confine.Grant{}, "other/g", true},
		{"default", "touch", other, "other/h", false},
		{"default", "touch", confine.Grant{IsOutside: true}, "other/i", false},
		{"plan", "touch", confine.Grant{}, "work/j", true},
		{"plan", "touch", all, "work/k", true},
		{"plan", "touch", confine.Grant{IsOutside: true}, "work/l", true},
		{"plan", "cp /dev/null", confine.Grant{}, "other/m", true},
		{"autoEdit", ">", confine.Grant{}, "work/n", false},
		{"sandboxed", ">", confine.Grant{}, "work/o", false},
		{"yolo", ">", confine.Grant{}, "work/p", false},
		{"default", ">", confine.Grant{}, "work/q", true},
	} {
		if mode != tt.mode {
			mode = tt.mode
			c.Renew()
		}
		path := filepath.Join(home, tt.path)
		command := tt.command + " " + path
		run := confine.Run{Command: command, Grant: tt.grant, Log: new(network.Log)}
		c.Ask(func(context.Context) confine.Run { return run })
		out := shell(t, c, command)
		_, err := os.Stat(path)
		if isRefused := err != nil; isRefused != tt.isRefused {
			t.Errorf("%s, %s: refused %v: %s", tt.mode, command, isRefused, out)
		}
		lack := c.Lacking(out, true, run)
		switch {
		case !tt.isRefused:
		case lack.Reason == "":
			t.Errorf("%s, %s: no reason for %s", tt.mode, command, out)
		case lack.IsZero() != (tt.mode == "plan"):
			t.Errorf("%s, %s: a person can allow %+v", tt.mode, command, lack.Grant)
		case lack.IsOfMode != (tt.mode == "default" && strings.HasPrefix(tt.path, "work")):
			t.Errorf("%s, %s: of the mode %v", tt.mode, command, lack.IsOfMode)
		}
		advice := c.Advise(t.Context(), out, true)
		if isNamed := strings.Contains(advice, "see modes."+tt.mode+" of FILE"); isNamed != (tt.isRefused && strings.HasPrefix(tt.path, "work")) {
			t.Errorf("%s, %s: %s", tt.mode, command, advice)
		}
		if lack := c.Foresee([]string{home + "/other/x"}, nil, run); lack.IsZero() != (tt.mode == "plan" || tt.grant.IsOutside || len(tt.grant.Paths) > 0 && tt.grant.Paths[0] == other.Paths[0] || tt.command == "cp /dev/null") {
			t.Errorf("%s, %s: foreseen %+v", tt.mode, command, lack.Grant)
		}
	}
}

// TestGovernNetwork checks how the approval mode takes the network away.
func TestGovernNetwork(t *testing.T) {
	t.Parallel()
	if sandbox.Available() != nil || !sandbox.KnowsHosts() {
		t.Skip("NOT TESTED: this machine cannot decide about hosts")
	}
	final := &limits.Rules{File: "FILE", Modes: map[string]limits.Mode{"default": {IsFinal: true}}}
	file := &limits.Rules{File: "FILE", Modes: map[string]limits.Mode{"default": {}}}
	const opened, hosts = `{"tools": {"sandboxNetworkAccess": true}}`, `{"pollux": {"sandboxHosts": ["a.example"]}}`
	for _, tt := range []struct {
		name, settings string
		rules          *limits.Rules
		mode           string
		want           string // of O for off, N for questions, H for hosts, S for a source
	}{
		{"no rules", `{}`, nil, "default", ""},
		{"no rules, sandboxed", `{}`, nil, "sandboxed", "ON"},
		{"built in", `{}`, limits.BuiltIn(), "default", "ON"},
		{"built in, opened", opened, limits.BuiltIn(), "default", ""},
		{"built in, opened by the object", `{"tools": {"sandbox": {"enabled": true, "networkAccess": true}}}`, limits.BuiltIn(), "default", ""},
		{"built in, yolo", `{}`, limits.BuiltIn(), "yolo", ""},
		{"file", `{}`, file, "default", "ONS"},
		{"file, opened", opened, file, "default", "ONS"},
		{"file, hosts", hosts, file, "default", "ONHS"},
		{"final", `{}`, final, "default", "OS"},
		{"final, opened", opened, final, "default", "OS"},
		{"final, hosts", hosts, final, "default", "OS"},
	} {
		c := open(t, tt.settings, `{}`)
		c.Govern(tt.rules, func() string { return tt.mode })
		got, p := "", c.Profile().Network
		for _, flag := range []struct {
			name string
			is   bool
		}{{"O", p.Off}, {"N", p.NamesHosts}, {"H", len(p.Hosts) > 0}, {"S", p.Source == "modes.default of FILE"}} {
			if flag.is {
				got += flag.name
			}
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestSaved checks that the permissions in the settings of a user are for the commands of their program only, and that a project adds none.
func TestSaved(t *testing.T) {
	t.Parallel()
	const saved = `{"pollux": {"sandboxCommands": {"touch": {"paths": ["~/kept"], "hosts": ["a.example"]}, "wc": {}}}}`
	for _, tt := range []struct {
		user, project, command string
		isRefused              bool
	}{
		{saved, `{}`, "touch", false},
		{saved, `{}`, "cd / && touch", false},
		{saved, `{}`, "wc /dev/null >", true},
		{saved, `{}`, "cat /dev/null; touch", true},
		{`{}`, saved, "touch", true},
	} {
		home := t.TempDir()
		c := openIn(t, home, tt.user, tt.project)
		if err := c.Open(); err != nil {
			t.Skipf("NOT TESTED: %v", err)
		}
		path := filepath.Join(home, "kept", "a")
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		command := tt.command + " " + path
		c.Ask(func(context.Context) confine.Run { return confine.Run{Command: command, Log: new(network.Log)} })
		out := shell(t, c, command)
		if _, err := os.Stat(path); (err != nil) != tt.isRefused {
			t.Errorf("%s, with %s and %s in the project: %s", tt.command, tt.user, tt.project, out)
		}
	}
}

// TestGovernWithin checks that the workspace is kept in a directory that commands may change, except the paths that a person allows in it.
func TestGovernWithin(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := openIn(t, home, `{"tools": {"sandboxAllowedPaths": ["~"]}}`, `{}`)
	c.Govern(&limits.Rules{File: "FILE", Modes: map[string]limits.Mode{"default": {IsReadOnly: true}}}, func() string { return "default" })
	if err := c.Open(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	sub, beside := filepath.Join(home, "work", "sub"), filepath.Join(home, "beside")
	for _, dir := range []string{sub, beside} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		path      string
		grant     confine.Grant
		isRefused bool
	}{
		{filepath.Join(beside, "a"), confine.Grant{}, false},
		{filepath.Join(home, "work", "b"), confine.Grant{}, true},
		{filepath.Join(sub, "c"), confine.Grant{Paths: []string{sub}}, false},
		{filepath.Join(home, "work", "d"), confine.Grant{Paths: []string{sub}}, true},
	} {
		run := confine.Run{Command: "touch " + tt.path, Grant: tt.grant, Log: new(network.Log)}
		c.Ask(func(context.Context) confine.Run { return run })
		out := shell(t, c, run.Command)
		if isRefused := out != ""; isRefused != tt.isRefused {
			t.Errorf("%s: %q", tt.path, out)
		}
		says := "touch: cannot touch '" + tt.path + "': Permission denied"
		if lack := c.Lacking(says, true, run); lack.IsZero() == tt.isRefused {
			t.Errorf("%s: a person can allow %+v", tt.path, lack.Grant)
		}
	}
}
