package sandbox_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/network"
)

// TestSeatbeltHolds runs programs in the sandbox of macOS.
func TestSeatbeltHolds(t *testing.T) {
	t.Parallel()
	if err := sandbox.Available(); err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "Home", "work")
	for path, text := range map[string]string{
		"Home/.ssh/id_rsa": "secret", "Home/.ssh/id_rsa.pub": "public", "Home/notes": "notes", "Home/work/main.go": "package main", "Home/work/keep/tool": "tool", "Home/work/hide/id": "secret",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	other := func(path string) string { return path }
	if _, err := os.Stat(filepath.Join(dir, "HOME")); err == nil { // the file system takes it for the same
		other = func(path string) string { return strings.Replace(path, "/Home/", "/HOME/", 1) }
	}
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	_, port, _ := net.SplitHostPort(server.Addr().String())
	for name, policy := range map[string]network.Policy{"open": {}, "off": {Off: true}} {
		s, err := sandbox.New(sandbox.Options{Dirs: func() []string { return []string{work} }, Profile: func([]string) sandbox.Profile {
			return sandbox.Profile{
				Write: []string{other(work)}, Keep: []string{work + "/keep"}, Devices: []string{"/dev/null", "/dev/tty"}, Network: policy,
				Hide: []string{filepath.Join(dir, "Home/.ssh/id_*"), filepath.Join(dir, "Home/.ssh/id_rsa"), work + "/hide/id"},
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		for command, want := range map[string]string{
			"cat ../notes":                            "notes",
			"cat ../.ssh/id_rsa":                      "not permitted",
			"cat " + other(dir+"/Home/.ssh/id_rsa"):   "not permitted",
			"cat ../.ssh/id_rsa.pub":                  "public",
			"ls ../.ssh":                              "id_rsa",
			"ln ../.ssh/id_rsa x && cat x":            "not permitted",
			"cp -c ../.ssh/id_rsa y && cat y":         "not permitted",
			"cat hide/id":                             "not permitted",
			"mv hide shown && cat shown/id":           "not permitted",
			"echo y > hide/new && cat hide/new":       "y",
			"echo z > ../notes":                       "not permitted",
			"rm ../notes":                             "not permitted",
			"echo z > keep/tool":                      "not permitted",
			"mkdir a && echo y > a/f && mv a b":       "",
			"echo y > /dev/null && echo ok":           "ok",
			"chmod +x main.go && ls -l main.go":       "-rwxr-xr-x",
			"/bin/launchctl list":                     "not permitted",
			"exec 3<>/dev/tcp/127.0.0.1/" + port:      "",
			"exec 3<>/dev/tcp/127.0.0.1/53 || echo n": map[string]string{"open": "refused", "off": "not permitted"}[name],
		} {
			var out strings.Builder
			_, err := process.NewLauncher(s.Confine).Run(context.Background(), &process.Command{
				For:  process.Purpose{Kind: process.KindShell, Origin: process.OriginModel},
				Path: "/bin/bash", Args: []string{"-c", command}, Env: os.Environ(), Dir: work, Stdout: &out, Stderr: &out,
			})
			if err != nil || !strings.Contains(out.String(), want) || want == "" && out.Len() > 0 {
				t.Errorf("%s: %s: %v %q, want %q", name, command, err, out.String(), want)
			}
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "Home/notes")); string(text) != "notes" {
		t.Errorf("the file outside is %q, %v", text, err)
	}
}

// TestSeatbeltTerminal checks that a program can use the terminal that it has.
func TestSeatbeltTerminal(t *testing.T) {
	t.Parallel()
	s, err := sandbox.New(sandbox.Options{Dirs: func() []string { return []string{"/private/tmp"} }, Profile: func([]string) sandbox.Profile {
		return sandbox.Profile{Write: []string{"/private/tmp"}, Devices: []string{"/dev/null", "/dev/tty"}}
	}})
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	t.Cleanup(s.Close)
	var out strings.Builder
	p, err := process.NewLauncher(s.Confine).Start(context.Background(), &process.Command{
		For:  process.Purpose{Kind: process.KindShell, Origin: process.OriginModel},
		Path: "/bin/bash", Args: []string{"-c", "echo typed > $(tty) && echo typed > /dev/tty"}, Env: os.Environ(), Dir: "/private/tmp",
		Stdout: &out, Terminal: &process.TerminalSize{Columns: 80, Rows: 24},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil || strings.Count(out.String(), "typed") != 2 {
		t.Errorf("%v %q", err, out.String())
	}
}
