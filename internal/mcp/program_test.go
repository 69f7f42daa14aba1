package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
)

// TestCutOff checks that a call which is cancelled while its message is being sent spoils no other message, and that a message which waits
// behind it can be cancelled, too.
func TestCutOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const script = `dd bs=1 count=1 of=out 2>dd.log; : >begun; while [ ! -e go ]; do sleep 0.02; done; cat >>out; : >over`
	c := Config{Command: "/bin/sh", Args: []string{"-c", script}}
	p, err := newProgram(&c, &Options{Launcher: process.NewLauncher(), Dir: dir, Log: slog.New(slog.DiscardHandler), Path: os.Getenv("PATH")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	message := func(name, text string) jsonrpc.Message {
		id, err := jsonrpc.MakeID(name)
		if err != nil {
			t.Fatal(err)
		}
		return &jsonrpc.Request{ID: id, Method: "tools/call", Params: fmt.Appendf(nil, `{"text":%q}`, text)}
	}
	isThere := func(name string) func() bool {
		return func() bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	}
	large := strings.Repeat("0123456789", 1<<20)
	sent := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { sent <- p.Write(ctx, message("large", large)) }()
	processtest.WaitUntil(t, "the message has begun", isThere("begun"))

	waiting, giveUp := context.WithCancel(t.Context())
	behind := make(chan error, 1)
	go func() { behind <- p.Write(waiting, message("behind", "")) }()
	giveUp()
	if err := <-behind; !errors.Is(err, context.Canceled) {
		t.Errorf("a message behind it: %v", err)
	}
	cancel()
	if err := <-sent; err == nil {
		t.Error("a message that is cut off has no error")
	}

	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := p.Write(t.Context(), message("next", "")); err != nil {
		t.Error(err)
	}
	if err := p.input.Close(); err != nil {
		t.Fatal(err)
	}
	processtest.WaitUntil(t, "the program has read all", isThere("over"))
	out, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], large+`"`) || !strings.Contains(lines[1], `"next"`) {
		t.Fatalf("%d lines with %d bytes, the last one %.200q", len(lines), len(out), lines[len(lines)-1])
	}
	for _, line := range lines {
		if _, err := jsonrpc.DecodeMessage([]byte(line)); err != nil {
			t.Error(err)
		}
	}
}
