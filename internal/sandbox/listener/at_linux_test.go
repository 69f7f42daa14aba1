//go:build amd64 || arm64

package listener_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/listener"
)

// The test program is also the one that listens.
func TestMain(m *testing.M) {
	if address := os.Getenv("LISTEN_AT"); address != "" {
		l, err := net.Listen("tcp", address)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(l.Addr().(*net.TCPAddr).Port)
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// startAt starts a program that listens at an address, and returns its port.
func startAt(t *testing.T, l process.Launcher, address string) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, hold := io.Pipe()
	said, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := l.Run(ctx, &process.Command{
			For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: self, Env: []string{"LISTEN_AT=" + address}, Dir: t.TempDir(), Stdin: in, Stdout: out, Stderr: out,
		})
		ended <- err
		_ = out.CloseWithError(err)
	}()
	t.Cleanup(func() {
		_ = hold.Close()
		cancel()
		<-ended
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	port, notNumber := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || notNumber != nil {
		t.Fatal(line, err)
	}
	return port
}

func confined(t *testing.T) process.Launcher {
	t.Helper()
	s, err := sandbox.New(sandbox.Options{
		Dirs: func() []string { return nil }, Profile: func([]string) sandbox.Profile { return sandbox.Profile{Devices: []string{os.DevNull}} },
	})
	if err != nil {
		t.Skip("NOT TESTED:", err)
	}
	t.Cleanup(s.Close)
	return process.NewLauncher(s.Confine)
}

// TestAt tells programs in the sandbox from others, at each address that a connection to 127.0.0.1 can reach.
func TestAt(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", "0.0.0.0:0", "[::]:0"} {
		if kind := listener.At(startAt(t, process.NewLauncher(), address)); kind != listener.Free {
			t.Errorf("%s: a free program is %v", address, kind)
		}
		if kind := listener.At(startAt(t, confined(t), address)); kind != listener.Confined {
			t.Errorf("%s: a program in the sandbox is %v", address, kind)
		}
	}
	own, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := own.Addr().(*net.TCPAddr).Port
	if kind := listener.At(port); kind != listener.Free {
		t.Errorf("this program is %v", kind)
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	if kind := listener.At(port); kind != listener.Unknown {
		t.Errorf("no program is %v", kind)
	}
	six, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("NOT TESTED: this machine has no IPv6:", err)
	}
	defer six.Close()
	if kind := listener.At(six.Addr().(*net.TCPAddr).Port); kind != listener.Unknown {
		t.Errorf("a program at ::1 is %v", kind)
	}
}

// TestParseListening checks which lines of the kernel's list count.
func TestParseListening(t *testing.T) {
	t.Parallel()
	line := func(address, state string) string {
		return "   0: " + address + " 00000000:0000 " + state + " 00000000:00000000 00:00000000 00000000  1000        0 77 1 0 100 0 0 10 0\n"
	}
	for text, want := range map[string]int{
		line("0100007F:1F90", "0A"): 1, line("00000000:1F90", "0A"): 1, line("00000000000000000000000000000000:1F90", "0A"): 1,
		line("0000000000000000FFFF00000100007F:1F90", "0A"): 1, line("0100007F:1F90", "0A") + line("00000000:1F90", "0A"): 2,
		line("0100007F:1F90", "01"): 0, line("0100007F:1F91", "0A"): 0, line("0200007F:1F90", "0A"): 0, line("00000000000000000000000001000000:1F90", "0A"): 0,
		"": 0, "x\n": 0, line("", "0A"): 0,
	} {
		if got := listener.ParseListening(text, 8080); len(got) != want || want > 0 && got[0] != "socket:[77]" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestRestrictions checks which restrictions are those of the sandbox.
func TestRestrictions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                                   string
		isUnraised                             bool
		filters, nested, ownFilters, ownNested int
		want                                   bool
	}{
		{"a program without restrictions", false, 0, 1, 0, 1, false},
		{"a program in the sandbox", true, 1, 1, 0, 1, true},
		{"a program of an editor, which gets no new privileges", true, 0, 1, 0, 1, false},
		{"a container's program", false, 1, 1, 0, 1, false},
		{"a program of an editor from Flatpak, which has namespaces of its own", true, 3, 2, 0, 1, false},
		{"all in a container without new privileges", true, 1, 1, 1, 1, false},
		{"a program in the sandbox in such a container", true, 2, 1, 1, 1, true},
	} {
		if got := listener.IsBelow(tt.isUnraised, tt.filters, tt.nested, tt.ownFilters, tt.ownNested); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
