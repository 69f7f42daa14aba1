//go:build amd64 || arm64

package sandbox_test

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/network"
)

// person answers questions about hosts.
type person struct {
	allows []string
	after  time.Duration

	mu    sync.Mutex
	asked []string
}

func (p *person) answer(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock() // one question after the other
	p.asked = append(p.asked, host)
	time.Sleep(p.after)
	return slices.Contains(p.allows, host)
}

// TestHold runs programs as they are whose connections wait for a person: to a name that is in no list, to an address, and to a private address of a name
// that is in the list.
func TestHold(t *testing.T) {
	t.Parallel()
	own := ownAddress(t, netip.Addr.Is4)
	port := serve(t, own, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	prefix := ""
	if !(network.Hosts{{}}).AllowResolved(own) {
		prefix = "private:"
	}
	const python = `python3 -c 'import urllib.request as u; print(u.urlopen("http://allowed.example:PORT/page").read())'`
	const node = `node -e 'fetch("http://allowed.example:PORT/page").then(r => r.text()).then(console.log)'`
	all := []string{"allowed.example", prefix + "allowed.example"}
	var private []string
	if prefix != "" {
		private = all[1:]
	}
	for _, test := range []struct {
		command  string
		hosts    []string // in the list
		allows   []string
		want     string
		asked    []string // hosts that the person is asked about, each once at least
		refused  []string
		missing  string
		isGiving bool // the command does not wait
	}{
		{command: "curl -sS -m 20 http://allowed.example:PORT/", allows: all, want: "hello", asked: all},
		{command: "curl -6 -sS -m 20 http://allowed.example:PORT/ || echo failed", allows: all, want: "failed", asked: all},
		{command: "wget -q -T 20 -O - http://allowed.example:PORT/", allows: all, want: "hello", asked: all},
		{command: python, allows: all, want: "hello", asked: all},
		{command: node, allows: all, want: "hello", asked: all},
		{command: "bash -c 'exec 3<>/dev/tcp/allowed.example/PORT && echo reached'", allows: all, want: "reached", asked: all},
		{command: "curl -sS -m 20 http://" + own.String() + ":PORT/", allows: []string{own.String()}, want: "hello", asked: []string{own.String()}},
		{command: "curl -sS -m 20 http://allowed.example:PORT/", want: "curl: (7)", asked: all[:1], refused: all[:1]},
		{command: python, want: "unreachable", asked: all[:1], refused: all[:1]},
		{command: node, want: "ENETUNREACH", asked: all[:1], refused: all[:1]},
		{command: "curl -sS -m 20 http://gone.example:PORT/", allows: []string{"gone.example"}, want: "curl: (7)", asked: []string{"gone.example"}, missing: "gone.example"},
		{command: "curl -sS -m 20 http://rebound.example:PORT/", allows: []string{"rebound.example"}, want: "curl: (7)", asked: []string{"rebound.example", "private:rebound.example"}, refused: []string{"private:rebound.example"}},
		{command: "curl -sS -m 5 http://169.254.169.254:PORT/", want: "curl: (7)", refused: []string{"169.254.169.254"}},
		{command: "getent hosts allowed.example", want: "fd70:6f6c:6c75:7800", refused: all[:1]},
		{command: "curl -sS -m 20 http://allowed.example:PORT/", isGiving: true, want: "curl: (6)", refused: all[:1]},
		{command: "curl -sS -m 20 http://allowed.example:PORT/", hosts: []string{"allowed.example"}, allows: all, want: "hello", asked: private},
	} {
		t.Run(test.command, func(t *testing.T) {
			program, _, _ := strings.Cut(test.command, " ")
			if _, err := exec.LookPath(program); err != nil {
				t.Skip("NOT TESTED: " + err.Error())
			}
			work := t.TempDir()
			l := limited(t, &zone{own: own}, work, port, append(test.hosts, "other.example")...)
			p := &person{allows: test.allows, after: 50 * time.Millisecond}
			log := new(network.Log)
			var out strings.Builder
			c := &process.Command{
				For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/sh",
				Args: []string{"-c", strings.ReplaceAll(test.command, "PORT", port)},
				Env:  []string{"PATH=" + os.Getenv("PATH"), "HOME=" + work, "GIT_CONFIG_NOSYSTEM=1"}, Dir: work, Stdout: &out, Stderr: &out,
			}
			if !test.isGiving {
				c.Pause = &process.Pause{}
			}
			_, err := l.Run(sandbox.WithAsk(sandbox.WithLog(t.Context(), log), p.answer), c)
			if err != nil || !strings.Contains(out.String(), test.want) {
				t.Errorf("%v: %s", err, out.String())
			}
			p.mu.Lock()
			defer p.mu.Unlock()
			for _, host := range test.asked {
				if !slices.Contains(p.asked, host) {
					t.Errorf("not asked about %s, but about %v", host, p.asked)
				}
			}
			if len(test.asked) == 0 && len(p.asked) > 0 {
				t.Errorf("asked about %v", p.asked)
			}
			if !slices.Equal(log.Refused(), test.refused) || strings.Join(log.Missing(), " ") != test.missing {
				t.Errorf("refused are %v, and missing %v", log.Refused(), log.Missing())
			}
			if waited := c.Pause.Total(); (waited >= p.after) != (len(p.asked) > 0) {
				t.Errorf("it has waited for %v", waited)
			}
		})
	}
}

// TestHoldEnds checks that a program which does not wait for the answer ends by itself, and that the answer then changes nothing.
func TestHoldEnds(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("timeout"); err != nil {
		t.Skip("NOT TESTED: " + err.Error())
	}
	l := limited(t, &zone{own: netip.MustParseAddr("192.0.2.1")}, t.TempDir(), "1", "other.example")
	asked, answered := make(chan string), make(chan bool)
	ask := func(host string) bool {
		asked <- host
		<-answered
		return true
	}
	ended := make(chan error)
	go func() {
		_, err := l.Run(sandbox.WithAsk(t.Context(), ask), &process.Command{
			For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/bash", Pause: &process.Pause{},
			Args: []string{"-c", "timeout 1 bash -c ': < /dev/tcp/" + net.IPv4(10, 255, 255, 1).String() + "/80'"}, Env: []string{"PATH=" + os.Getenv("PATH")},
		})
		ended <- err
	}()
	if host := <-asked; host != "10.255.255.1" {
		t.Errorf("asked about %s", host)
	}
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the program waits on")
	}
	close(answered)
}
