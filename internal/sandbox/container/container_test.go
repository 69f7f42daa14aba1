package container

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/internal/sandbox/proxy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// options returns those of a session for a user with these variables.
func options(t *testing.T, name string, env map[string]string) *Options {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, "project")
	if err := os.MkdirAll(filepath.Join(dir, ".gemini"), 0o755); err != nil {
		t.Fatal(err)
	}
	return &Options{
		Needed: Needed{Name: name, From: "tools.sandbox"}, Args: []string{"-p", "two words"}, Dir: dir, Home: home, Own: filepath.Join(home, ".gemini"),
		Temp: home, User: "someone", UID: 1000, GID: 1000, Host: "machine", Env: func(name string) string { return env[name] }, Program: "/opt/pollux", IsLinux: true,
	}
}

func commandOf(t *testing.T, o *Options) (line string, e *entry) {
	t.Helper()
	e, err := o.entry("name")
	if err != nil {
		t.Fatal(err)
	}
	c, err := o.command("name", "example/image:2", "/tmp/link", e.Leads.In)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(strings.Join(c, " "), o.Home, "~"), e
}

// TestCommand checks the command lines of the container programs.
func TestCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		doc, name string
		env       map[string]string
		change    func(*Options)
		has, not  string
	}{
		{"Docker", "docker", nil, nil, "--add-host host.docker.internal:host-gateway --hostname machine --volume ~/project:~/project:rw --volume ~/.gemini:~/.gemini:rw --volume /opt/pollux:/usr/local/bin/pollux:ro", "--runtime"},
		{"the program in it", "docker", nil, nil, "--user 0 example/image:2 /usr/local/bin/pollux -p two words", "two words "},
		{"Podman, which does not know all of it", "podman", nil, nil, "--hostname machine", "--add-host"},
		{"gVisor", "runsc", nil, nil, "run --rm --init --workdir ~/project --entrypoint  --runtime=runsc", ""},
		{"a terminal", "docker", nil, func(o *Options) { o.HasKeyboard, o.HasScreen = true, true }, "--interactive --tty", ""},
		{"a script at a terminal", "docker", nil, func(o *Options) { o.HasKeyboard = true }, "--rm", "--interactive"},
		{"a script", "docker", nil, nil, "--interactive", "--tty"},
		{"another system", "docker", nil, func(o *Options) { o.IsLinux = false }, "example/image:2 pollux -p", ":/usr/local/bin"},
		{"the user of the image", "docker", map[string]string{"SANDBOX_SET_UID_GID": "false"}, nil, "example/image:2", "--user"},
		{"ports", "docker", map[string]string{"SANDBOX_PORTS": "80, 3000"}, nil, "--publish 80:80 --publish 3000:3000", ""},
		{"a proxy", "docker", map[string]string{proxy.Variable: "squid"}, nil, "--network none --hostname machine", "--add-host"},
		{"flags beside it", "podman", map[string]string{proxy.Variable: "squid", "SANDBOX_FLAGS": "--network-alias=x --env -q"}, nil, "--network none", "squid"},
		{"flags", "docker", map[string]string{"SANDBOX_FLAGS": `--cap-drop ALL --label "a  b"`}, nil, "--cap-drop ALL --label a  b", ""},
		{"rules of the system", "docker", nil, func(o *Options) { o.Rules = []string{"/etc/passwd", "/no/such"} }, "--volume /etc/passwd:/etc/passwd:ro", "/no/such"},
		{"a file of a variable", "docker", map[string]string{"SSL_CERT_FILE": "/etc/passwd"}, nil, "--volume /etc/passwd:/etc/passwd:ro", ""},
		{"mounts", "docker", map[string]string{"SANDBOX_MOUNTS": "/etc,/usr:/opt/usr:rw,"}, nil, "--volume /etc:/etc:ro --volume /usr:/opt/usr:rw", ""},
		{"the same twice", "docker", nil, func(o *Options) { o.Dirs, o.Read = []string{o.Dir}, []string{o.Dir} }, "", "project:ro"},
		{"variables", "docker", map[string]string{"A": "1", "SANDBOX_ENV": "B=x=y,C="}, func(o *Options) { o.Forward = []string{"A=1", "K=secret"} }, "--volume /tmp/link:/run/pollux:rw --env POLLUX_CONTAINER=/run/pollux/entry", "secret"},
	} {
		o := options(t, c.name, c.env)
		if c.change != nil {
			c.change(o)
		}
		line, e := commandOf(t, o)
		if !strings.Contains(line, c.has) || c.not != "" && strings.Contains(line, c.not) {
			t.Errorf("%s: %s\nwant %q, not %q", c.doc, line, c.has, c.not)
		}
		if c.doc == "variables" {
			if want := []string{"A=1", "K=secret", "B=x=y", "C=", "SANDBOX=name"}; !slices.Equal(e.Env, want) {
				t.Errorf("%s: %q, want %q", c.doc, e.Env, want)
			}
		}
	}
}

// TestVirtualEnv checks that a virtual environment in the project is another one inside.
func TestVirtualEnv(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	o := options(t, "docker", env)
	env["VIRTUAL_ENV"], env["PATH"] = o.Dir+"/.venv", "/usr/bin:"+o.Dir+"/.venv/bin"
	line, e := commandOf(t, o)
	if want := "--volume ~/project/.gemini/sandbox.venv:~/project/.venv:rw"; !strings.Contains(line, want) {
		t.Errorf("%s\nlacks %s", line, want)
	}
	if !slices.Equal(e.Paths, []string{o.Dir + "/.venv/bin"}) {
		t.Errorf("paths %q", e.Paths)
	}
	own := filepath.Join(o.Dir, ".gemini", "sandbox.venv")
	for _, dir := range []string{own, filepath.Dir(own)} { // a project could lead anywhere
		if err := errors.Join(os.Remove(dir), os.Symlink(o.Home, dir)); err != nil {
			t.Fatal(err)
		}
		if _, err := o.mounts(); exit.CodeOf(err) != exit.Sandbox || !strings.Contains(err.Error(), dir+" is no directory.") {
			t.Errorf("with a link at %s: %v", dir, err)
		}
		_ = os.Remove(dir)
	}
}

// TestLinked checks that the container gets the files that links in ~/.gemini lead to.
func TestLinked(t *testing.T) {
	t.Parallel()
	o := options(t, "docker", nil)
	dot := filepath.Join(o.Home, "dotfiles")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(o.Own, "policies", "node_modules"), 0o755), os.MkdirAll(filepath.Join(o.Own, "tmp"), 0o755), os.MkdirAll(filepath.Join(dot, "real"), 0o755),
		os.Symlink("real", filepath.Join(dot, "link")), os.WriteFile(filepath.Join(dot, "real", "settings.json"), nil, 0o644),
		os.Symlink("../dotfiles/link/settings.json", filepath.Join(o.Own, "settings.json")),
		os.Symlink(filepath.Join(dot, "real"), filepath.Join(o.Own, "policies", "mine")),
		os.Symlink("/etc", filepath.Join(o.Own, "tmp", "etc")), os.Symlink("/etc", filepath.Join(o.Own, "policies", "node_modules", "etc")),
		os.Symlink("settings.json", filepath.Join(o.Own, "again.json")), os.Symlink("/no/such", filepath.Join(o.Own, "nothing")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	line, _ := commandOf(t, o)
	for _, want := range []string{"~/dotfiles/real/settings.json:~/dotfiles/link/settings.json:ro", "~/dotfiles/real:~/dotfiles/real:ro"} {
		if !strings.Contains(line, want) {
			t.Errorf("%s\nlacks %s", line, want)
		}
	}
	if strings.Contains(line, "/etc") || strings.Contains(line, "again") || strings.Contains(line, "such") {
		t.Error(line)
	}
}

// TestRefused checks the errors about variables.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, value, want string }{
		{"SANDBOX_PORTS", "0", `SANDBOX_PORTS must be a comma-separated list of ports, but it has "0".`},
		{"SANDBOX_MOUNTS", "here", "Path 'here' listed in SANDBOX_MOUNTS must be absolute"},
		{"SANDBOX_MOUNTS", "/no/such", "Missing mount path '/no/such' listed in SANDBOX_MOUNTS"},
		{"SANDBOX_ENV", "=x", "SANDBOX_ENV must be a comma-separated list of key=value pairs"},
		{"SANDBOX_FLAGS", "'open", "SANDBOX_FLAGS is not valid: "},
	} {
		o := options(t, "docker", map[string]string{c.name: c.value})
		_, err := o.entry("name")
		if err == nil {
			_, err = o.command("name", "image", "/tmp/link", nil)
		}
		if exit.CodeOf(err) != exit.Sandbox || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v", c.name, c.value, err)
		}
	}
	for image, isValid := range map[string]bool{"a/b:c": true, "docker.io/x@sha256:0af": true, "a b": false, "--privileged": false, "$(x)": false} {
		o := options(t, "docker", map[string]string{"GEMINI_SANDBOX_IMAGE": image})
		if _, err := o.image(); (err == nil) != isValid {
			t.Errorf("image %s: %v", image, err)
		}
	}
}

// TestNoWayAround checks that nothing but a proxy leads out of a container, if there is one.
func TestNoWayAround(t *testing.T) {
	t.Parallel()
	env := map[string]string{proxy.Variable: "squid"}
	o := options(t, "docker", env)
	o.Find = func(string) string { return "/usr/bin/docker" }
	for _, flags := range []string{"--network host", "--net=host", "--label x --network=other", "-p 80:80", "-p80:80", "--publish 80:80", "--dns 192.0.2.1", "--pod x"} {
		env["SANDBOX_FLAGS"] = flags
		_, err := o.command("name", "image", "/tmp/link", nil)
		if exit.CodeOf(err) != exit.Sandbox || !strings.Contains(err.Error(), "but only a proxy leads out of the container. Remove it, or unset GEMINI_SANDBOX_PROXY_COMMAND.") {
			t.Errorf("%s: %v", flags, err)
		}
	}
	env["SANDBOX_FLAGS"], env["SANDBOX_PORTS"] = "", "80"
	if _, err := o.entry("name"); exit.CodeOf(err) != exit.Sandbox {
		t.Error(err)
	}
	o.IsLinux = false
	if _, err := o.containerProgram(); exit.CodeOf(err) != exit.Sandbox || !strings.Contains(err.Error(), "is only available on Linux.") {
		t.Error(err)
	}
}

// TestGateway checks the command line of a proxy, which has a project's files only if the folder is trusted, and its variables.
func TestGateway(t *testing.T) {
	t.Parallel()
	o := options(t, "docker", map[string]string{proxy.Variable: "squid -N", "HTTPS_PROXY": "http://me:word@127.0.0.1:3128"})
	g := &gateway{options: o, name: "x", port: o.proxyURL().Port()}
	for trusted, want := range map[bool]string{true: "--volume ~/project:~/project:rw --workdir ~/project", false: "--workdir /"} {
		o.Script = trusted
		line := strings.ReplaceAll(strings.Join(g.command("example/image:2"), " "), o.Home, "~")
		want = "run --rm --init --interactive --name x --publish 127.0.0.1::3128 " + want + " --entrypoint  example/image:2 sh -c " + asLongAsRead + " sh squid -N"
		if line != want {
			t.Errorf("%s\nwant %s", line, want)
		}
	}
	if e, err := o.entry("name"); err != nil || !slices.Contains(e.Env, "https_proxy=http://me:word@localhost:3128") {
		t.Errorf("%q, %v", e.Env, err)
	}
}

// TestAnswers checks when a proxy counts as one that takes connections: not if a program that holds its port ends them.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for doc, c := range map[string]struct {
		take func(net.Conn) // what happens with a connection
		want bool
	}{
		"waits":  {func(c net.Conn) { _, _ = io.ReadAll(c) }, true},
		"greets": {func(c net.Conn) { _, _ = c.Write([]byte("hello")) }, true},
		"ends":   {func(net.Conn) {}, false},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
				c.take(conn)
				_ = conn.Close()
			}
		}()
		g := &gateway{address: l.Addr().String()}
		if got := g.answers(t.Context()); got != c.want {
			t.Errorf("%s: %v", doc, got)
		}
		_ = l.Close()
		<-ended
		if g.answers(t.Context()) {
			t.Errorf("%s: nothing listens", doc)
		}
	}
}

// TestEnded checks the meaning of exit codes of container programs.
func TestEnded(t *testing.T) {
	t.Parallel()
	o := options(t, "docker", nil)
	for code, want := range map[int]exit.Code{0: exit.OK, 1: exit.General, 41: exit.Auth, 125: exit.Sandbox, 126: exit.Sandbox, 127: exit.Sandbox, 130: exit.Interrupted} {
		err := o.ended(process.Status{Code: code})
		if exit.CodeOf(err) != want || err != nil && !exit.WasShown(err) {
			t.Errorf("%d: %v", code, err)
		}
	}
}

// TestRelay checks that a relay passes on both directions, and the ends of each.
func TestRelay(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				return
			}
			text, _ := io.ReadAll(c) // until the other side has ended
			_, _ = c.Write([]byte("got " + string(text)))
			_ = c.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(server.Addr().String())
	o := options(t, "docker", nil)
	o.Loopback = []string{server.Addr().String(), "localhost:" + port, "no address"}
	o.Staging = filepath.Join(t.TempDir(), "staging")
	parent, err := o.linkParent()
	if err != nil || parent != o.Staging && len(o.Staging) <= maxParent {
		t.Fatal(parent, err)
	}
	o.Staging = filepath.Join("/", strings.Repeat("x", maxParent))
	if long, err := o.linkParent(); long != "" || err != nil {
		t.Error(long, err)
	}
	r, err := o.link(parent, "link-")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.ports) != 1 {
		t.Errorf("ports %v", r.ports)
	}
	c, err := net.Dial("unix", filepath.Join(r.dir, port))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.Write([]byte("words"))
	if half, ok := c.(*net.UnixConn); !ok || half.CloseWrite() != nil {
		t.Error("the connection has no halves")
	}
	if text, err := io.ReadAll(c); string(text) != "got words" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	_ = c.Close()
	if err := r.lead("8877", server.Addr().String()); err != nil || r.ports[1] != 8877 {
		t.Errorf("ports %v: %v", r.ports, err)
	}
	r.close()
	if _, err := os.Stat(r.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", r.dir, err)
	}
	o.Env = func(name string) string {
		return process.Getenv([]string{proxy.Variable + "=x", "http_proxy=http://localhost:" + port}, name)
	}
	if r, err = o.link("", "pollux-"); err != nil || len(r.ports) != 0 {
		t.Errorf("ports %v beside a proxy: %v", r.ports, err)
	}
	r.close()
}
