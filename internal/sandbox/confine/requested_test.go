package confine_test

import (
	"path/filepath"
	"slices"
	"testing"

	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/limits"
)

// TestRequested checks that a command gets those of the permissions it asks for that the sandbox refuses, and that the text names each of them.
func TestRequested(t *testing.T) {
	t.Parallel()
	c, home := confinement(t)
	c.Govern(&limits.Rules{File: "FILE", Modes: map[string]limits.Mode{"default": {}}}, func() string { return "default" })
	asked := confine.Wanted{Network: true, Reads: []string{"~/.ssh/id_rsa", "a", "/etc/hosts"}, Writes: []string{"~/other/x", "../other/y", "a", "~/new", "~/.ssh/id_rsa", home}}
	if lack := c.Requested(asked, confine.Run{}); !lack.IsZero() {
		t.Errorf("without the sandbox: %+v", lack)
	}
	if err := c.Open(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	key, other := filepath.Join(home, ".ssh", "id_rsa"), filepath.Join(home, "other")
	for _, tt := range []struct {
		wanted confine.Wanted
		run    confine.Run
		want   confine.Grant
		text   string
	}{
		{asked, confine.Run{}, confine.Grant{Network: true, Paths: []string{key, other}}, "This run would have the whole network, could read ~/.ssh/id_rsa, could change ~/other."},
		{confine.Wanted{Writes: []string{"x"}}, confine.Run{Dir: other}, confine.Grant{Paths: []string{other}}, "This run could change ~/other."},
		{confine.Wanted{Writes: []string{"x"}}, confine.Run{}, confine.Grant{}, ""},
		{asked, confine.Run{Grant: confine.Grant{Network: true, Paths: []string{key, other}}}, confine.Grant{}, ""},
		{asked, confine.Run{Grant: confine.Grant{IsOutside: true}}, confine.Grant{}, ""},
		{confine.Wanted{}, confine.Run{}, confine.Grant{}, ""},
	} {
		lack := c.Requested(tt.wanted, tt.run)
		if !slices.Equal(lack.Paths, tt.want.Paths) || lack.Network != tt.want.Network || lack.IsOutside || lack.Gain != tt.text {
			t.Errorf("%+v: %+v", tt.wanted, lack)
		}
		if isSensitive := tt.want.Network; lack.IsSensitive != isSensitive {
			t.Errorf("%+v: sensitive %v", tt.wanted, lack.IsSensitive)
		}
	}
}

// TestRequestedFinal checks that a mode which forbids to ask gives a command nothing that it asks for.
func TestRequestedFinal(t *testing.T) {
	t.Parallel()
	c, _ := confinement(t)
	c.Govern(&limits.Rules{File: "FILE", Modes: map[string]limits.Mode{"plan": {IsFinal: true}}}, func() string { return "plan" })
	if err := c.Open(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	if lack := c.Requested(confine.Wanted{Network: true, Writes: []string{"~/other"}}, confine.Run{}); !lack.IsZero() {
		t.Errorf("%+v", lack)
	}
}
