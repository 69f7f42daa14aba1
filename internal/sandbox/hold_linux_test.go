//go:build amd64 || arm64

package sandbox_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	ports []uint16
}

func (p *person) answer(_ context.Context, h network.Host) sandbox.Answer {
	p.mu.Lock()
	defer p.mu.Unlock() // one question after the other
	host := h.AllPorts().String()
	p.asked = append(p.asked, host)
	p.ports = append(p.ports, h.Port)
	time.Sleep(p.after)
	if slices.Contains(p.allows, host) {
		return sandbox.Allowed
	}
	return sandbox.Refused
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
		{command: "curl -sS -m 20 http://port.example:PORT/", hosts: []string{prefix + "port.example:1"}, allows: []string{"port.example"}, want: "hello", asked: []string{"port.example"}},
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
			if slices.ContainsFunc(p.ports, func(n uint16) bool { return strconv.Itoa(int(n)) != port }) {
				t.Errorf("asked about the ports %v", p.ports)
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

// TestHoldEnds checks that a question is withdrawn when nothing waits for it any more.
func TestHoldEnds(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"/bin/bash", "timeout"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("NOT TESTED: " + err.Error())
		}
	}
	l := limited(t, &zone{own: netip.MustParseAddr("192.0.2.1")}, t.TempDir(), "1", "other.example")
	var asked atomic.Int32
	withdrawn := make(chan struct{}, 10)
	ask := func(ctx context.Context, h network.Host) sandbox.Answer {
		asked.Add(1)
		if h.String() != "10.255.255.1:80" {
			t.Errorf("asked about %s", h)
		}
		<-ctx.Done()
		withdrawn <- struct{}{}
		return sandbox.Unanswered
	}
	c := &process.Command{
		For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/bash", Pause: &process.Pause{},
		Args: []string{"-c", "timeout 1 bash -c ': < /dev/tcp/10.255.255.1/80'"}, Env: []string{"PATH=" + os.Getenv("PATH")},
	}
	if _, err := l.Run(sandbox.WithAsk(t.Context(), ask), c); err != nil {
		t.Error(err)
	}
	select {
	case <-withdrawn:
	case <-time.After(30 * time.Second):
		t.Error("the question stays open")
	}
	if n := asked.Load(); n != 1 || c.Pause.Total() == 0 {
		t.Errorf("asked %d times, waited %v", n, c.Pause.Total())
	}
}

// TestHoldCancelled checks that a program does not go on as if a person had refused its connection when its call ends instead of an answer, however soon, and that it
// does if there is no question.
func TestHoldCancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := limited(t, &zone{own: netip.MustParseAddr("192.0.2.1")}, dir, "1", "other.example")
	for answer, goesOn := range map[sandbox.Answer]bool{sandbox.Unanswered: false, sandbox.Unasked: true} {
		ctx, cancel := context.WithCancel(t.Context())
		ask := func(context.Context, network.Host) sandbox.Answer {
			time.AfterFunc(300*time.Millisecond, cancel) // the end comes after the answer
			return answer
		}
		file := filepath.Join(dir, strconv.FormatBool(goesOn))
		c := &process.Command{
			For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: "/bin/bash", Pause: &process.Pause{},
			Args: []string{"-c", ": < /dev/tcp/10.255.255.1/80; : >" + file + "; sleep 1000"}, Env: []string{"PATH=" + os.Getenv("PATH")},
		}
		_, _ = l.Run(sandbox.WithAsk(ctx, ask), c)
		if _, err := os.Stat(file); (err == nil) != goesOn {
			t.Errorf("answer %v: it goes on: %v", answer, err == nil)
		}
		cancel()
	}
}

// TestHoldFlood checks that a call which signals end all the time, and which begins again, waits for one question, and that Pollux keeps none of its beginnings.
func TestHoldFlood(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT TESTED: no python3")
	}
	const program = `
import os, signal, socket, threading
signal.signal(signal.SIGALRM, lambda *a: None)
signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
threading.Timer(2, lambda: os._exit(0)).start()
s = socket.socket()
s.connect(("10.255.255.1", 80))
`
	l := limited(t, &zone{own: netip.MustParseAddr("192.0.2.1")}, t.TempDir(), "1", "other.example")
	var most, asked atomic.Int32
	ask := func(ctx context.Context, _ network.Host) sandbox.Answer {
		asked.Add(1)
		for ctx.Err() == nil {
			most.Store(max(most.Load(), int32(runtime.NumGoroutine())))
			time.Sleep(10 * time.Millisecond)
		}
		return sandbox.Unanswered
	}
	before := int32(runtime.NumGoroutine())
	_, _ = l.Run(sandbox.WithAsk(t.Context(), ask), &process.Command{
		For: process.Purpose{Kind: process.KindShell, Origin: process.OriginModel}, Path: python, Pause: &process.Pause{},
		Args: []string{"-c", program}, Env: []string{"PATH=" + os.Getenv("PATH")},
	})
	if asked.Load() != 1 || most.Load() > before+1000 {
		t.Errorf("asked %d times, with %d goroutines more", asked.Load(), most.Load()-before)
	}
}
