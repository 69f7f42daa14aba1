//go:build amd64 || arm64

package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"pollux/internal/process"
	"pollux/internal/sandbox"
)

func TestConfine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home, work := filepath.Join(dir, "home"), filepath.Join(dir, "home", "work")
	for path, text := range map[string]string{
		"home/.ssh/id": "secret", "home/notes": "notes", "home/work/main.go": "package main", "home/.config/gh/hosts": "token", "home/.config/git/config": "x",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := newSandbox(sandbox.Profile{
		Write: []string{work}, Hide: []string{filepath.Join(home, ".ssh"), filepath.Join(home, ".config/gh")}, Devices: []string{"/dev/null"},
	})
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	t.Cleanup(s.Close)
	launcher := process.NewLauncher(s.Confine)
	for command, want := range map[string]string{
		"cat ../notes":                          "notes",
		"cat ../.ssh/id":                        "Permission denied",
		"cat ../.config/gh/hosts":               "Permission denied",
		"cat ../.config/git/config":             "x",
		"ls -a ..":                              ".config .ssh notes work",
		"echo y > ../notes":                     "Permission denied",
		"rm ../notes":                           "Permission denied",
		"echo y > new && mv new d && cat d":     "y",
		"mkdir a b && echo y > a/f && mv a/f b": "",
		"echo y > /dev/null && echo ok":         "ok",
		"mount -t tmpfs x .":                    "mount: ",
		"unshare -U true":                       "Operation not permitted",
		"mknod n b 1 1":                         "ermi",
		"truncate -s 0 ../notes":                "Permission denied",
		"chmod +x main.go && ls -l main.go":     "-rwxr-xr-x",
		"kill -0 1":                             "ermi",
		"perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) or die $!; send(A, \"pair\", 0); recv(B, $x, 9, 0); print $x'": "pair",
	} {
		t.Run(command, func(t *testing.T) {
			var out strings.Builder
			_, err := launcher.Run(context.Background(), &process.Command{
				For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/sh", Args: []string{"-c", command},
				Env: []string{"PATH=/usr/bin:/bin"}, Dir: work, Stdout: &out, Stderr: &out,
			})
			got := strings.Join(strings.Fields(out.String()), " ")
			if err != nil || !strings.Contains(got, want) {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
}

func newSandbox(p sandbox.Profile) (*sandbox.Sandbox, error) {
	return sandbox.New(sandbox.Options{Dirs: func() []string { return nil }, Profile: func([]string) sandbox.Profile { return p }})
}

// TestOwnSockets checks that programs may connect to local sockets that confined programs have made, also by another command, at places where
// they may not connect to those of others.
func TestOwnSockets(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("NOT TESTED: no perl")
	}
	dir := t.TempDir()
	s, err := newSandbox(sandbox.Profile{Write: []string{dir}, HideSockets: []string{filepath.Join(dir, "agent*")}, Devices: []string{"/dev/null"}})
	if err != nil || sandbox.Gap() != "" {
		t.Skip("NOT TESTED:", err, sandbox.Gap())
	}
	t.Cleanup(s.Close)
	run := func(origin process.Origin, script string, args ...string) string {
		var out strings.Builder
		_, err := process.NewLauncher(s.Confine).Run(context.Background(), &process.Command{
			For: process.Purpose{Kind: process.KindShell, Origin: origin}, Path: "/bin/sh", Args: append([]string{"-c", script, "sh"}, args...),
			Env: []string{"PATH=/usr/bin:/bin"}, Dir: dir, Stdout: &out, Stderr: &out,
		})
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(out.String())
	}
	const serve = `perl -MSocket -e '$a = shift; $a =~ s/^@/\0/; socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, pack_sockaddr_un($a)) && listen(S, 9) or die $!;
		open(F, ">", "ready"); close F; while (accept(C, S)) { print C "served"; close C }' "$1" >/dev/null 2>&1 & n=0; until test -e ready; do sleep 0.1; n=$((n+1)); test $n -lt 300 || exit; done; echo $!`
	const call = `perl -MSocket -e '$a = shift; $a =~ s/^@/\0/; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un($a)) or die $!; print <S>' "$1"`
	for _, address := range []string{"@pollux-" + filepath.Base(filepath.Dir(dir)), filepath.Join(dir, "agent")} {
		for origin, want := range map[process.Origin]string{process.OriginModel: "served", process.OriginUser: "Permission denied"} {
			_ = os.Remove(filepath.Join(dir, "ready"))
			_ = os.Remove(address)
			server := run(origin, serve, address)
			if got := run(process.OriginModel, call, address); !strings.Contains(got, want) {
				t.Errorf("%s, which %v has made: %q, want %q", address, origin, got, want)
			}
			run(process.OriginUser, "kill $1", server)
		}
	}
}

// TestTerminals checks that a program opens the terminal that it has, and those that it makes, and no others.
func TestTerminals(t *testing.T) {
	t.Parallel()
	if gap := sandbox.Gap(); gap != "" {
		t.Skip("NOT TESTED: " + gap)
	}
	other, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	t.Cleanup(func() { _ = other.Close() })
	number, err := unix.IoctlGetInt(int(other.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(other.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSandbox(sandbox.Profile{Write: []string{t.TempDir()}, Hide: []string{"/dev/pts"}, Devices: []string{"/dev/null", "/dev/tty", "/dev/ptmx"}})
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	t.Cleanup(s.Close)
	var out strings.Builder
	script := fmt.Sprintf(`echo a >/dev/stderr; echo b >/dev/tty; (exec 9</dev/pts/%d) || echo c; ! command -v script >/dev/null || script -qc 'tty; echo d' /dev/null`, number)
	_, err = process.NewLauncher(s.Confine).Run(context.Background(), &process.Command{
		For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/sh", Args: []string{"-c", script},
		Env: []string{"PATH=/usr/bin:/bin"}, Terminal: &process.TerminalSize{Rows: 24, Columns: 80}, Stdout: &out,
	})
	for _, want := range []string{"a\r\n", "b\r\n", "c\r\n", "/dev/pts/", "d\r\n"} {
		if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("the output lacks %q: %v, %q", want, err, out.String())
		}
	}
}

// TestLateFiles checks that the next command reads files that were made beside secrets after the first one, and no secret that was.
func TestLateFiles(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	ssh := filepath.Join(home, ".ssh")
	if err := os.Mkdir(ssh, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := newSandbox(sandbox.Profile{Hide: []string{filepath.Join(ssh, "id_*"), filepath.Join(home, ".netrc")}, Devices: []string{"/dev/null"}})
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	t.Cleanup(s.Close)
	cat := func(file string) string {
		var out strings.Builder
		_, err := process.NewLauncher(s.Confine).Run(t.Context(), &process.Command{
			For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/cat", Args: []string{filepath.Join(home, file)},
			Env: []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}, Dir: "/", Stdout: &out, Stderr: &out,
		})
		if err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := cat("notes"); !strings.Contains(got, "No such file") {
		t.Errorf("before: %q", got)
	}
	for _, file := range []string{"notes", ".ssh/config", ".ssh/id_late", ".netrc"} {
		if err := os.WriteFile(filepath.Join(home, file), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]string{"notes": "text", ".ssh/config": "text", ".ssh/id_late": "Permission denied", ".netrc": "Permission denied"} {
		if got := cat(file); !strings.Contains(got, want) {
			t.Errorf("%s, made after the first command: %q, want %q", file, got, want)
		}
	}
}

// TestMemory checks that a program cannot use more memory than it may, and others can.
func TestMemory(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("NOT TESTED: perl is not installed")
	}
	const limit = 100 << 20
	s, err := newSandbox(sandbox.Profile{Devices: []string{"/dev/null"}, Memory: limit})
	if err != nil {
		t.Skipf("NOT TESTED: %v", err)
	}
	t.Cleanup(s.Close)
	for size, want := range map[int]string{limit / 4: "used", 2 * limit: "emory"} {
		var out strings.Builder
		_, err := process.NewLauncher(s.Confine).Run(t.Context(), &process.Command{
			For:  process.Purpose{Kind: process.KindShell, Origin: process.OriginModel},
			Path: "/bin/bash", Args: []string{"-c", fmt.Sprintf(`until [ "$(ulimit -d)" = %d ]; do :; done; exec perl -e '$x = "x" x %d; print "used"'`, limit>>10, size)},
			Env: os.Environ(), Stdout: &out, Stderr: &out,
		})
		if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%d bytes: %v %q", size, err, out.String())
		}
	}
}
