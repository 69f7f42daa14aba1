package acceptance

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
)

var chaosFaults = flag.Int("chaos", 0, "faults of each kind that TestChaos causes on each protocol; by default 4 of mixed kinds, 8 if POLLUX_LONG is 1")

// TestChaos runs a job of 20 turns with tool calls over connections that break, fall silent or
// contain foreign bytes, at random bytes of the responses. Each job must end with the right
// answer, and each of its calls must run exactly once.
//
// 500 faults of each kind: go test ./acceptance -run Chaos -v -timeout 1h -chaos 100
func TestChaos(t *testing.T) {
	t.Parallel()
	kinds := map[string][]fault{"mixed": {cut, stall, garbage}}
	n := faultsPerJob
	if processtest.IsLong() {
		n *= 2
	}
	if *chaosFaults > 0 {
		kinds, n = map[string][]fault{"cut": {cut}, "stall": {stall}, "garbage": {garbage}}, *chaosFaults
	}
	for seed, wire := range []string{"gemini", "openai", "responses", "anthropic", "ollama", "text"} {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			size := work(t, wire, nil)
			for kind, of := range kinds {
				t.Run(kind, func(t *testing.T) {
					random := rand.New(rand.NewPCG(uint64(seed), uint64(n)))
					for first := 0; first < n; first += faultsPerJob {
						plan := newPlan(random, size, min(faultsPerJob, n-first), of)
						t.Run(fmt.Sprintf("job %d", first/faultsPerJob+1), func(t *testing.T) {
							t.Parallel()
							work(t, wire, plan)
						})
					}
				})
			}
		})
	}
}

// faultsPerJob is less than the number of attempts at a response.
const faultsPerJob = 4

// fault is a fault of a connection.
type fault int

const (
	cut     fault = iota // it is closed or reset
	stall                // it stays open, and nothing more arrives
	garbage              // foreign bytes are inserted
)

// trigger is a fault before a byte of the responses of a job, counted over all connections.
type trigger struct {
	at    int
	fault fault
	reset bool // cut resets the connection
	bytes []byte
}

// newPlan returns n faults of the given kinds at random bytes, one in each nth of size bytes.
func newPlan(random *rand.Rand, size, n int, kinds []fault) []trigger {
	plan := make([]trigger, n)
	for i := range plan {
		plan[i] = trigger{
			at:    i*size/n + random.IntN(size/n),
			fault: kinds[random.IntN(len(kinds))],
			reset: random.IntN(2) == 0,
			bytes: foreignBytes(random),
		}
	}
	return plan
}

// foreignBytes returns bytes that do not belong into a response: a page of a proxy, half a JSON
// value, compressed or random bytes.
func foreignBytes(random *rand.Rand) []byte {
	noise := make([]byte, 1+random.IntN(200))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	return [][]byte{
		[]byte("<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n</html>\r\n"),
		[]byte(`{"error": {"message": "upst`),
		append([]byte("\x1f\x8b\x08\x00"), noise...),
		noise,
		[]byte("\r\n\r\n"),
	}[random.IntN(5)]
}

// steps is the number of turns of the job with calls.
const steps = 20

// work runs the job over connections with these faults, and returns the number of bytes of its
// responses.
func work(t *testing.T, wire string, plan []trigger) int {
	t.Helper()
	server := conduct(t, wire, func(_ string, body []byte) []scriptmodel.Step { return nextStep(body) })
	net := startNetwork(t, server.Listener.Addr().String(), plan)
	p := newPerson(t)
	p.environ = append(p.environ, pointing(wire, "http://"+net.Addr().String())...)
	profile := ""
	if wire == "responses" {
		profile = `"modelProviders": {"openai": {"protocol": "responses"}}, `
	}
	p.settings(`{` + profile + `"pollux": {"retryDelay": 0.01, "invalidAnswer": {"delay": 0.01}, "response": {"startTimeout": 2, "idleTimeout": 2}}}`)
	cmd := p.command("pollux", "--yolo", "-o", "json", "-p", "Work through all steps.")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var got struct{ Response string }
	if err != nil || json.Unmarshal(out.Bytes(), &got) != nil || got.Response != theEnd {
		t.Errorf("faults %v\n%v, response %q\n%s\n%s", plan, err, got.Response, tail(out.String()), tail(errs.String()))
	}
	if strings.Contains(errs.String(), "goroutine") || strings.Contains(errs.String(), "Unsolicited") {
		t.Errorf("faults %v\n%s", plan, errs.String())
	}
	log, err := os.ReadFile(filepath.Join(p.work, "log"))
	if err != nil {
		t.Error(err)
	}
	ran, want := strings.Fields(string(log)), []string{}
	for step := 1; step <= steps; step++ {
		for call := range callsOf(step) {
			want = append(want, fmt.Sprintf("%d.%d", step, call))
		}
	}
	slices.Sort(ran)
	slices.Sort(want)
	if !slices.Equal(ran, want) {
		t.Errorf("faults %v\ncalls that ran: %q", plan, ran)
	}
	return net.finish(t)
}

// callsOf returns the number of calls of a step.
func callsOf(step int) int { return 1 + step%5/4 }

const theEnd = "All 20 steps are done, \"each\" once:\n\n- Grüße, and an end."

// nextStep returns the answer to a request: the calls of the step after the last one whose
// results it contains.
func nextStep(body []byte) []scriptmodel.Step {
	step := 1
	for step <= steps && bytes.Contains(body, []byte(result(step))) {
		step++
	}
	if step > steps {
		var all []scriptmodel.Step
		for piece := range strings.SplitAfterSeq(theEnd, " ") {
			all = append(all, scriptmodel.Text{Text: piece})
		}
		return all
	}
	all := says(fmt.Sprintf("Step %d ", step))
	all = append(all, scriptmodel.Text{Text: "comes next."})
	for call := range callsOf(step) {
		command := fmt.Sprintf("echo %d.%d >>log; printf '%%s-%%s\n' result %d", step, call, step)
		quoted, _ := json.Marshal(command) // a string
		all = calling(all, "run_shell_command", "command", string(quoted), "description", `"Do a step"`)
	}
	return all
}

// result returns the output of a step's calls, which is not in their arguments.
func result(step int) string { return fmt.Sprintf("result-%d\\n", step) }

// network is a proxy between the program and a server, with faults.
type network struct {
	net.Listener
	server string

	mu       sync.Mutex
	plan     []trigger
	count    int // bytes of responses that were forwarded
	conns    []net.Conn
	isClosed bool
	wg       sync.WaitGroup
}

func startNetwork(t *testing.T, server string, plan []trigger) *network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &network{Listener: l, server: server, plan: plan}
	t.Cleanup(n.stop)
	n.wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			n.wg.Go(func() { n.serve(conn) })
		}
	})
	return n
}

// stop closes all connections.
func (n *network) stop() {
	n.mu.Lock()
	n.isClosed = true
	_ = n.Close()
	for _, c := range n.conns {
		_ = c.Close()
	}
	n.mu.Unlock()
	n.wg.Wait()
}

// finish returns the number of forwarded bytes, and fails the test if a fault has not occurred.
func (n *network) finish(t *testing.T) int {
	t.Helper()
	n.stop()
	if len(n.plan) > 0 {
		t.Errorf("%d faults have not occurred after %d bytes", len(n.plan), n.count)
	}
	return n.count
}

// serve forwards a connection until one side closes it.
func (n *network) serve(client net.Conn) {
	server, err := net.Dial("tcp", n.server)
	if err != nil {
		_ = client.Close()
		return
	}
	n.mu.Lock()
	n.conns = append(n.conns, client, server)
	isClosed := n.isClosed
	n.mu.Unlock()
	if isClosed {
		_, _ = client.Close(), server.Close()
		return
	}
	n.wg.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	n.respond(client, server)
	_, _ = client.Close(), server.Close()
}

var errCut = errors.New("the connection is cut")

// respond forwards responses with their faults.
func (n *network) respond(client, server net.Conn) {
	buf := make([]byte, 4<<10)
	for {
		size, err := server.Read(buf)
		if n.forward(client, buf[:size]) != nil || err != nil {
			return
		}
	}
}

// forward writes data to the client with the faults that are due.
func (n *network) forward(client net.Conn, data []byte) error {
	for len(data) > 0 {
		part, due := n.take(data)
		data = data[len(part):]
		if _, err := client.Write(part); err != nil {
			return err
		}
		if due == nil {
			continue
		}
		switch due.fault {
		case cut:
			if due.reset {
				_ = client.(*net.TCPConn).SetLinger(0)
			}
			return errCut
		case stall:
			_, _ = io.Copy(io.Discard, client) // until the client gives up
			return errCut
		case garbage:
			if _, err := client.Write(due.bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// take counts the part of data before the next fault, and returns it with that fault.
func (n *network) take(data []byte) ([]byte, *trigger) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.plan) == 0 || n.count+len(data) <= n.plan[0].at {
		n.count += len(data)
		return data, nil
	}
	due := n.plan[0]
	part := data[:max(0, due.at-n.count)]
	n.count += len(part)
	n.plan = n.plan[1:]
	return part, &due
}
