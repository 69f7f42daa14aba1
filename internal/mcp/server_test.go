package mcp

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"pollux/internal/mcp/mcptest"
	"pollux/tool"
)

// serveVariable names the variable that makes the test binary a server.
const serveVariable = "POLLUX_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serveVariable); kind != "" {
		mcptest.Serve(kind, mcptest.Process{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Environ: os.Environ(), Exit: os.Exit, Fork: fork})
		return
	}
	goleak.VerifyTestMain(m)
}

// fork starts a server that never answers, on the same output.
func fork() (pid int, err error) {
	child := exec.Command(os.Args[0])
	child.Stdout, child.Env = os.Stdout, []string{serveVariable + "=silent"}
	if err := child.Start(); err != nil {
		return 0, err
	}
	return child.Process.Pid, nil
}

// toy is the entry of a server of one of the kinds of serve.
func toy(t testing.TB, name, kind string) Config {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Config{Name: name, Command: exe, Env: map[string]string{serveVariable: kind}}
}

// run connects to servers, and closes them at the end of the test. It returns a registry with their tools
// and the warnings.
func run(t *testing.T, o Options) (*Servers, *tool.Registry, func() []string) {
	t.Helper()
	var warnings warnings
	o.Registry, o.Warn = tool.NewRegistry(), warnings.add
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	s := New(o)
	t.Cleanup(s.Close)
	s.Start()
	if pending := s.Settle(t.Context()); pending != nil {
		t.Fatalf("pending: %v", pending)
	}
	return s, o.Registry, warnings.all
}

// names returns the names of the tools; toolNames leaves out those for resources.
func names(r *tool.Registry) string {
	var list []string
	for _, t := range r.Snapshot().Tools() {
		list = append(list, t.Spec().Name)
	}
	return strings.Join(list, " ")
}

func toolNames(r *tool.Registry) string {
	return strings.TrimSuffix(names(r), " list_mcp_resources read_mcp_resource")
}

// callTool calls a tool and returns the result for the model.
func callTool(ctx context.Context, t *testing.T, r *tool.Registry, name, args string, host tool.Host) *tool.Result {
	t.Helper()
	one, ok := r.Lookup(name)
	if !ok {
		t.Fatalf("there is no tool %s among %s", name, names(r))
	}
	inv, err := tool.Build(one, json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	return inv.Run(ctx, host)
}
