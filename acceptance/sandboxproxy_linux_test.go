package acceptance

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/internal/sandbox"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// proxyProgram is a proxy in Perl, which answers for all hosts.
const proxyProgram = `use IO::Socket::INET;
$server = IO::Socket::INET->new(LocalAddr => "127.0.0.1:$ENV{PROXY_PORT}", Listen => 9, ReuseAddr => 1) or die "cannot listen: $!";
while ($client = $server->accept) {
	$line = <$client>;
	$line =~ m{http://(\S+)};
	$host = $1;
	while ($line = <$client>) { last if $line =~ /^\r?\n$/ }
	print $client "HTTP/1.0 200 OK\r\n\r\nthe proxy got $host\n";
	close $client;
}
`

// TestSandboxProxy checks that commands reach other machines only by the proxy of the user's command, which runs as long as the session.
func TestSandboxProxy(t *testing.T) {
	t.Parallel()
	if sandbox.Available() != nil || sandbox.Gap() != "" {
		t.Skip("NOT TESTED: this machine cannot confine commands")
	}
	for _, name := range []string{"curl", "perl"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("NOT TESTED: no " + name)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	_, port, _ := net.SplitHostPort(address)
	answers := func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}

	p := newPerson(t)
	p.settings(`{}`)
	if err := os.WriteFile(filepath.Join(p.work, "proxy.pl"), []byte(proxyProgram), 0o600); err != nil {
		t.Fatal(err)
	}
	p.environ = append(p.environ, "HTTPS_PROXY=http://localhost:"+port, "PROXY_PORT="+port, "GEMINI_API_KEY=k")
	model := scripttest.Serve(t, `key none
turn
  call run_shell_command {"command": "curl -sS http://elsewhere.example/page"}
turn
  expect result run_shell_command_1 the proxy got elsewhere.example/page
  call run_shell_command {"command": "bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'"}
turn
  expect result run_shell_command_2 only by the proxy http://localhost:`+port+`, which is in HTTPS_PROXY
  call run_shell_command {"command": "kill $(pgrep -f proxy.p[l]); curl -sS http://again.example/"}
turn
  expect result run_shell_command_3 Operation not permitted
  expect result run_shell_command_3 the proxy got again.example
  text done
turn
  call run_shell_command {"command": "echo unreached"}
turn
  expect error run_shell_command_4 "the proxy of GEMINI_SANDBOX_PROXY_COMMAND does not run: it ended with exit code 3: no luck"
  text sorry
turn
  text unconfined
`, scriptmodel.Options{Wires: everyWire()})
	p.environ = append(p.environ, "GOOGLE_GEMINI_BASE_URL="+model.URL())
	run := func(proxy string, args ...string) (string, error) {
		t.Helper()
		c := p.command("pollux", args...)
		c.Env = append(c.Env, "GEMINI_SANDBOX_PROXY_COMMAND="+proxy)
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := run("exec perl proxy.pl", "-y", "-p", "go"); err != nil || !strings.Contains(out, "done") {
		t.Errorf("%v\n%s", err, out)
	}
	if answers() {
		t.Error("the proxy runs after the session")
	}
	if out, err := run("echo no luck >&2; exit 3", "-y", "-p", "go"); err != nil || !strings.Contains(out, "sorry") {
		t.Errorf("%v\n%s", err, out)
	}
	for words, want := range map[string]string{
		"sandbox":                     "reach other machines only by the proxy http://localhost:" + port + " (GEMINI_SANDBOX_PROXY_COMMAND)",
		"sandbox explain example.org": "reach example.org only by the proxy",
		"sandbox run -- curl -sS http://some.example": "the proxy got some.example",
		"--no-sandbox -p hi":                          "GEMINI_SANDBOX_PROXY_COMMAND has no effect",
	} {
		if out, err := run("exec perl proxy.pl", strings.Fields(words)...); err != nil || !strings.Contains(out, want) {
			t.Errorf("%s: %v\n%s", words, err, out)
		}
	}

	// A command in the sandbox cannot take the place of the proxy.
	await := func(what string, reached func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !reached(); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	fake := p.command("pollux", "sandbox", "run", "--", "perl", "proxy.pl")
	if err := fake.Start(); err != nil {
		t.Fatal(err)
	}
	await("the false proxy does not start", answers)
	if out, err := run("exec perl proxy.pl", "sandbox", "run", "--", "curl", "-sS", "http://some.example"); err == nil ||
		!strings.Contains(out, "the proxy of GEMINI_SANDBOX_PROXY_COMMAND does not run") || !strings.Contains(out, "Address already in use") {
		t.Errorf("%v\n%s", err, out)
	}
	_ = fake.Process.Kill()
	_ = fake.Wait()
	await("the false proxy stays", func() bool { return !answers() })

	// The proxy ends with a session that is killed.
	c := p.command("pollux", "sandbox", "run", "--", "sleep", "1000")
	c.Env = append(c.Env, "GEMINI_SANDBOX_PROXY_COMMAND=exec perl proxy.pl")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await("the proxy does not start", answers)
	_ = c.Process.Kill()
	_ = c.Wait()
	await("the proxy runs after its session was killed", func() bool { return !answers() })
}
