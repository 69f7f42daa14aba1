package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"pollux/tool"
)

// serveVariable names the variable that makes the test binary a server.
const serveVariable = "POLLUX_TEST_SERVER"

func TestMain(m *testing.M) {
	if kind := os.Getenv(serveVariable); kind != "" {
		serve(kind)
		return
	}
	goleak.VerifyTestMain(m)
}

// serve is a server on standard input and output.
func serve(kind string) {
	switch kind {
	case "silent":
		time.Sleep(time.Hour)
	case "gone":
		fmt.Fprintln(os.Stderr, "cannot open the database")
		os.Exit(3)
	case "flood":
		for {
			fmt.Println(strings.Repeat("x", 1<<20))
		}
	case "huge":
		fmt.Print(`{"jsonrpc":"2.0","id":1,"result":"`)
		for {
			if _, err := fmt.Print(strings.Repeat("x", 1<<20)); err != nil {
				return
			}
		}
	case "chatty":
		fmt.Println("Welcome to the server!\n\n{}")
	}
	s := newToyServer(kind)
	_ = s.Run(context.Background(), &sdk.StdioTransport{})
}

type echoArgs struct {
	Text string `json:"text"`
}

// newToyServer returns a server with a few tools.
func newToyServer(kind string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "toy", Version: "1"}, &sdk.ServerOptions{Instructions: "Be " + kind + "."})
	if kind == "empty" {
		return s
	}
	add := func(name, schema string, f func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, Description: "Tool " + name, InputSchema: json.RawMessage(schema)}, f)
	}
	add("echo", `{"type":"object","properties":{"z":{"type":"string"},"text":{"type":"string"}},"required":["text"]}`,
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var a echoArgs
			_ = json.Unmarshal(r.Params.Arguments, &a)
			return text(a.Text), nil
		})
	add("env", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(strings.Join(os.Environ(), "\n")), nil
	})
	add("die", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		os.Exit(1)
		return nil, nil
	})
	add("wait", `{"type":"object"}`, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add("fail", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r := text("no such table")
		r.IsError = true
		return r, nil
	})
	add("progress", `{"type":"object"}`, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"})
		time.Sleep(50 * time.Millisecond)
		return text("done"), nil
	})
	add("grow", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add("grown", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("new"), nil })
		return text("grown"), nil
	})
	return s
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// toy is the entry of a server of one of the kinds of serve.
func toy(t *testing.T, name, kind string) Config {
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
	o.Registry, o.Warn, o.Dir = tool.NewRegistry(), warnings.add, t.TempDir()
	s := New(o)
	t.Cleanup(s.Close)
	s.Start()
	if pending := s.Settle(t.Context()); pending != nil {
		t.Fatalf("pending: %v", pending)
	}
	return s, o.Registry, warnings.all
}

func names(r *tool.Registry) string {
	var list []string
	for _, t := range r.Snapshot().Tools() {
		list = append(list, t.Spec().Name)
	}
	return strings.Join(list, " ")
}

// call calls a tool and returns what the model gets.
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
