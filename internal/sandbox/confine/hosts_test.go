package confine_test

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/config"
	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/network"
)

// open returns a confinement with settings of the user and of the project, which is off.
func open(t *testing.T, user, project string) *confine.Confinement {
	t.Helper()
	return openIn(t, t.TempDir(), user, project)
}

// openIn is [open] with a home directory and more variables of the user.
func openIn(t *testing.T, home, user, project string, variables ...string) *confine.Confinement {
	t.Helper()
	work := filepath.Join(home, "work")
	for path, text := range map[string]string{filepath.Join(home, ".gemini"): user, filepath.Join(work, ".gemini"): project} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(path, "settings.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := config.NewEnv(append([]string{"HOME=" + home, "PATH=/usr/bin:/bin"}, variables...)...)
	paths := config.NewPaths(env, work)
	settings, _, err := config.Load(config.Sources{Paths: paths, Env: env, Trusted: func(*config.Settings) (bool, error) { return true, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return confine.New(confine.Options{
		Paths: paths, Settings: func() *config.Settings { return settings }, Env: env.Get, Secrets: func() []string { return nil },
		Host: confine.Host{
			Launcher: &process.Launcher{}, Environ: env.List, Transport: func() (http.RoundTripper, error) { return &http.Transport{}, nil },
		},
	})
}

// TestHosts checks when the network is off, and for which hosts it is not.
func TestHosts(t *testing.T) {
	t.Parallel()
	const list = `{"pollux": {"sandboxHosts": ["a.example", "*.b.example", "no host"]}}`
	for _, test := range []struct {
		user, project string
		isOff         bool
		hosts         string
	}{
		{"", "", false, ""},
		{`{"pollux": {"sandboxHosts": []}}`, "", false, ""},
		{list, "", true, "a.example *.b.example"},
		{`{"pollux": {"sandboxHosts": ["no host"]}}`, "", true, ""},
		{`{"tools": {"sandbox": {"networkAccess": false}}, "pollux": {"sandboxHosts": ["a.example"]}}`, "", true, "a.example"},
		{`{"tools": {"sandboxNetworkAccess": true}, "pollux": {"sandboxHosts": ["a.example"]}}`, "", false, ""},
		// A project can only shorten the list, which does not bring the network back.
		{"", list, false, ""},
		{list, `{"pollux": {"sandboxHosts": ["a.example", "c.example"]}}`, true, "a.example *.b.example"},
		{list, `{"pollux": {"sandboxHosts": ["a.example"]}}`, true, "a.example"},
		{list, `{"pollux": {"sandboxHosts": []}}`, true, ""},
		{"", `{"tools": {"sandbox": {"networkAccess": false}}, "pollux": {"sandboxHosts": ["a.example"]}}`, true, ""},
	} {
		c := open(t, test.user, test.project)
		policy := c.Profile().Network
		var hosts []string
		for _, h := range policy.Hosts {
			hosts = append(hosts, h.String())
		}
		if policy.Off != test.isOff || strings.Join(hosts, " ") != test.hosts {
			t.Errorf("%s with %s of the project: off is %v with %v", test.user, test.project, policy.Off, hosts)
		}
		isShorter := test.hosts == "a.example" || test.hosts == "" && test.project != ""
		if got := strings.Contains(c.Warning(), `"no host": it is no name`); got != (strings.Contains(test.user, "no host") && !isShorter) {
			t.Errorf("%s: the warning is %q", test.user, c.Warning())
		}
	}
}

// TestGrantOfHosts checks that a command which was refused a host lacks that one, and reaches it with the grant.
func TestGrantOfHosts(t *testing.T) {
	t.Parallel()
	own := ""
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Is4() && !p.Addr().IsLoopback() {
			own = p.Addr().String()
		}
	}
	if _, err := os.Stat("/bin/bash"); own == "" || err != nil {
		t.Skip("NOT TESTED: this machine has no address but those of loopback, or no bash")
	}
	l, err := net.Listen("tcp", own+":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, port, _ := net.SplitHostPort(l.Addr().String())
	c := open(t, `{"pollux": {"sandboxHosts": ["a.example"]}}`, "")
	if err := c.Open(); err != nil || !sandbox.KnowsHosts() {
		t.Skipf("NOT TESTED: %v %s", err, sandbox.Gap())
	}
	launcher := process.NewLauncher(c.Middleware)
	run := func(command string, had confine.Grant) (string, *network.Log) {
		log := new(network.Log)
		c.Ask(func(context.Context) confine.Run { return confine.Run{Grant: had, Log: log} })
		var out strings.Builder
		_, _ = launcher.Run(t.Context(), &process.Command{
			For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/bash", Args: []string{"-c", command},
			Env: []string{"PATH=/usr/bin:/bin"}, Stdout: &out, Stderr: &out,
		})
		return out.String(), log
	}
	byAddress, byName := "echo > /dev/tcp/"+own+"/"+port+" && echo reached", "echo > /dev/tcp/b.example/"+port
	out, log := run(byAddress, confine.Grant{})
	lack := c.Lacking(out, true, confine.Run{Log: log})
	if !slices.Equal(lack.Hosts, []string{own}) || lack.Network || !lack.IsSensitive || lack.Text() != "The sandbox does not let it reach "+own+". This run could." {
		t.Fatalf("%s lacks %+v", out, lack)
	}
	if advice := c.Advise(t.Context(), out, true); !strings.Contains(advice, "and not "+own) || !strings.Contains(advice, "pollux.sandboxHosts") {
		t.Errorf("the advice is %q", advice)
	}
	out, log = run(byAddress, lack.Grant)
	if out != "reached\n" || !c.Lacking(out, true, confine.Run{Log: log, Grant: lack.Grant}).IsZero() {
		t.Errorf("with the grant: %s", out)
	}
	out, log = run(byName, confine.Grant{})
	if lack = c.Lacking(out, true, confine.Run{Log: log}); !slices.Equal(lack.Hosts, []string{"b.example"}) {
		t.Errorf("%s lacks %+v", out, lack)
	}
	if lack = c.Lacking("FAIL: want 1, got 2", true, confine.Run{Log: log}); !lack.IsZero() {
		t.Errorf("another failure lacks %+v", lack)
	}
	if lack = c.Lacking("curl: (6) Could not resolve host: a.example", true, confine.Run{}); !lack.IsZero() {
		t.Errorf("a name in the list that does not exist lacks %+v", lack)
	}
}

// TestAdviceOnHosts checks that a command which was refused hosts gets advice about them, whatever it says, and one that has not failed once.
func TestAdviceOnHosts(t *testing.T) {
	t.Parallel()
	const lists, off = `{"pollux": {"sandboxHosts": ["a.example"]}}`, `{"tools": {"sandbox": {"enabled": true, "networkAccess": false}}}`
	const advised, also = "and not b.example. ", "also refused the command to reach b.example."
	for _, test := range []struct {
		name, settings, command, output string
		hasFailed                       bool
		refused                         string // a host
		want, again                     string // parts of the advice, for one command and the next; "" for none
	}{
		{"its words are cut away", lists, "pip install x 2>&1 | tail -n 1", "no distribution", true, "b.example", advised, advised},
		{"it says nothing", lists, "curl -s b.example", "", true, "b.example", advised, advised},
		{"a file was refused, too", lists, "touch /usr/x; curl b.example", "touch: cannot touch '/usr/x': Permission denied", true, "b.example", also, also},
		{"it has not failed", lists, "wget -q b.example || true", "", false, "b.example", advised, ""},
		{"another program", lists, "make", "FAIL", true, "b.example", advised, advised},
		{"nothing was refused", lists, "curl -s a.example", "", true, "", "", ""},
		{"it says nothing without a network", off, "curl -s b.example", "\n", true, "", "no network", "no network"},
		{"it says something else without a network", off, "curl b.example", "404", true, "", "", ""},
		{"an address without a network", off, "make", "FAIL", true, "192.0.2.1", "no network", "no network"},
		{"a program that is no download", off, "git diff --quiet", "", true, "", "", ""},
	} {
		c := open(t, test.settings, "")
		if err := c.Open(); err != nil || !sandbox.KnowsHosts() {
			t.Skipf("NOT TESTED: %v %s", err, sandbox.Gap())
		}
		log := new(network.Log)
		if test.refused != "" {
			log.Add(test.refused)
		}
		c.Ask(func(context.Context) confine.Run { return confine.Run{Command: test.command, Log: log} })
		if lack := c.Lacking(test.output, test.hasFailed, confine.Run{Command: test.command, Log: log}); !test.hasFailed && !lack.IsZero() {
			t.Errorf("%s: a question about a command that has worked: %+v", test.name, lack)
		}
		c.Note(t.Context(), test.output, test.hasFailed) // the model has not read it
		for _, want := range []string{test.want, test.again} {
			if got := c.Advise(t.Context(), test.output, test.hasFailed); (got == "") != (want == "") || !strings.Contains(got, want) || strings.Count(got, "b.example") > 1 {
				t.Errorf("%s: %q, want %q", test.name, got, want)
			}
		}
	}
}
