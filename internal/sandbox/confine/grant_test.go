package confine_test

import (
	"context"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/network"
)

// TestLacking checks which permissions a command lacks by its output, and that a grant is never asked for twice.
func TestLacking(t *testing.T) {
	t.Parallel()
	c, home := confinement(t)
	key, agent := filepath.Join(home, ".ssh", "id_rsa"), filepath.Join(home, "agent")
	if lacking := c.Lacking("cat: "+key+": Permission denied", true, confine.Run{}); !lacking.IsZero() {
		t.Errorf("while it is off, a command lacks %+v", lacking)
	}
	if err := c.Open(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	outside, account := confine.Grant{IsOutside: true}, ""
	besideSecrets, other := outside, confine.Grant{Paths: []string{home + "/other"}}
	if sandbox.ByPath {
		besideSecrets, other = confine.Grant{Paths: []string{home + "/new"}}, confine.Grant{Paths: []string{home + "/other/a/b"}}
	}
	if u, err := user.Current(); err == nil {
		account = filepath.Join(u.HomeDir, ".ssh")
	}
	for _, test := range []struct {
		output    string
		had, want confine.Grant
	}{
		{"cat: " + key + ": Permission denied", confine.Grant{}, confine.Grant{Paths: []string{key}}},
		{"cat: " + key + ": Permission denied", confine.Grant{Paths: []string{key}}, outside}, // it would change the key
		{"git@host: Permission denied (publickey).", confine.Grant{}, confine.Grant{Paths: []string{filepath.Dir(key), agent}}},
		{"git@host: Permission denied (publickey).", confine.Grant{Paths: []string{filepath.Dir(key), account, agent}}, confine.Grant{}},
		{"touch: cannot touch '" + home + "/other/a/b': Permission denied", confine.Grant{}, other},
		{"touch: cannot touch '" + home + "/new': Permission denied", confine.Grant{}, besideSecrets},
		{"touch: cannot touch '" + home + "/new': Permission denied", outside, confine.Grant{}},
		{"sudo: The \"no new privileges\" flag is set", confine.Grant{}, outside},
		{"bash: /usr/bin/sudo: Operation not permitted", confine.Grant{}, outside},
		{"0:30: execution error: Not authorized to send Apple events to Finder. (-1743)", confine.Grant{}, outside},
		{"error: 'app': sandbox-exec: sandbox_apply: Operation not permitted", confine.Grant{}, outside},
		{"curl: (6) Could not resolve host: example.org", confine.Grant{}, confine.Grant{}}, // the network is open
		{"FAIL: want 1, got 2", confine.Grant{}, confine.Grant{}},
	} {
		got := c.Lacking(test.output, true, confine.Run{Grant: test.had})
		got.Paths = slices.DeleteFunc(got.Paths, func(path string) bool { return path == account }) // which SSH uses
		if !slices.Equal(got.Paths, test.want.Paths) || got.Network != test.want.Network || got.IsOutside != test.want.IsOutside {
			t.Errorf("%q with %+v lacks %+v, not %+v", test.output, test.had, got.Grant, test.want)
		}
		if (got.Reason == "") != got.IsZero() {
			t.Errorf("%q: %q", test.output, got.Reason)
		}
	}
}

// TestPolluxServers checks the texts for a person and the model about a command that was refused a server of Pollux, whatever its output says.
func TestPolluxServers(t *testing.T) {
	t.Parallel()
	c, _ := confinement(t)
	if err := c.Open(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	run := confine.Run{Log: new(network.Log)}
	if missed := c.Missed("", run); len(missed) > 0 {
		t.Errorf("without a refusal, it missed %q", missed)
	}
	run.Log.AddServer("127.0.0.1:41242")
	run.Log.AddServer("127.0.0.1:41242")
	const reason = "The sandbox does not let it connect to Pollux at 127.0.0.1:41242, which works for other programs or waits for your browser."
	for _, output := range []string{"", "bash: /dev/tcp/127.0.0.1/41242: Permission denied", "curl: (6) Could not resolve host: example.org"} {
		lack := c.Lacking(output, true, run)
		if !lack.IsOutside || !lack.IsSensitive || lack.Reason != reason || !strings.HasPrefix(lack.Advice, "The sandbox does not let commands connect to 127.0.0.1:41242, where Pollux works for other programs") {
			t.Errorf("%q: %+v", output, lack)
		}
		if missed := c.Missed(output, run); !slices.Equal(missed, []string{reason}) {
			t.Errorf("%q: it missed %q", output, missed)
		}
	}
	c.Ask(func(context.Context) confine.Run { return run })
	advice := c.Advise(t.Context(), "", false) // the command went on after it
	wish := c.Refused()
	if !strings.Contains(advice, "127.0.0.1:41242") || len(wish) != 1 || wish[0].Text != "to connect to Pollux at 127.0.0.1:41242" {
		t.Errorf("%q, %+v", advice, wish)
	}
}

// confinement returns one that is off, and the home directory of its user with the workspace work, the directory other, an SSH key, and a
// file for the SSH agent.
func confinement(t testing.TB) (c *confine.Confinement, home string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home = dir
	work := filepath.Join(home, "work")
	for _, dir := range []string{work, filepath.Join(home, ".ssh"), filepath.Join(home, "other")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	key, agent := filepath.Join(home, ".ssh", "id_rsa"), filepath.Join(home, "agent")
	if err := os.WriteFile(agent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(key, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env := config.NewEnv("HOME="+home, "SSH_AUTH_SOCK="+agent, "TMPDIR="+filepath.Join(work, "tmp"))
	paths := config.NewPaths(env, work)
	settings, _, err := config.Load(config.Sources{Paths: paths, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	c = confine.New(confine.Options{
		Paths: paths, Settings: func() *config.Settings { return settings }, Env: env.Get, Secrets: func() []string { return nil },
	})
	return c, home
}

// TestForesee checks the permissions that the approval of a command gives it for the files outside the workspace that it names.
func TestForesee(t *testing.T) {
	t.Parallel()
	c, home := confinement(t)
	if foreseen := c.Foresee([]string{home + "/other/x"}, nil, confine.Run{}); !foreseen.IsZero() {
		t.Errorf("while it is off, a command lacks %+v", foreseen)
	}
	if err := c.Open(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	none, outside, other := confine.Grant{}, confine.Grant{IsOutside: true}, confine.Grant{Paths: []string{home + "/other"}}
	for _, test := range []struct {
		paths, writes []string
		had, want     confine.Grant
	}{
		{[]string{home + "/other/x"}, nil, none, other},
		{[]string{"~/other/x", "$HOME/other", `"${HOME}/other/y z"`}, nil, none, other},
		{[]string{"~/other/x"}, nil, other, none},
		{[]string{"~/other/$x", "~/other/*", "~/oth?r", "~/{other,more}", "~/'other'", "~root", "other", "~"}, nil, none, none},
		{[]string{home, "~/.", "/"}, nil, none, none}, // with secrets in them
		{[]string{"~/.ssh/id_rsa", "~/.ssh"}, []string{"~/.ssh/id_rsa"}, none, none},
		{[]string{"~/new"}, nil, none, none}, // it may only be read
		{[]string{"~/new"}, []string{"~/new"}, none, outside},
		{[]string{home + "/new"}, []string{home + "/new"}, none, outside},
		{[]string{"~/agent"}, []string{"~/agent"}, none, confine.Grant{Paths: []string{home + "/agent"}}},
		{[]string{"~/other/x", "~/new"}, []string{"~/new"}, outside, none},
	} {
		got := c.Foresee(test.paths, test.writes, confine.Run{Grant: test.had})
		if !slices.Equal(got.Paths, test.want.Paths) || got.IsOutside != test.want.IsOutside {
			t.Errorf("%q, %q with %+v: %+v, not %+v", test.paths, test.writes, test.had, got.Grant, test.want)
		}
		if (got.Reason != "") != got.IsOutside {
			t.Errorf("%q: %q", test.paths, got.Reason)
		}
	}
}
