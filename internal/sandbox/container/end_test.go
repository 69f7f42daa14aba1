//go:build linux

package container

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/creack/pty"

	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/internal/process/processtest"
)

// withClient returns options with a container program that runs these commands of a shell for a session.
func withClient(t *testing.T, name, run string) (o *Options, program string) {
	t.Helper()
	o = options(t, name, nil)
	program = filepath.Join(o.Home, "program")
	script := "#!/bin/sh\ncase $1 in\nrun | exec) " + run + " ;;\nquery) echo '{\"status\": \"Running\", \"type\": \"container\"}' ;;\nimages) echo id ;;\nesac\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	o.Launcher, o.Find = process.NewLauncher(), func(string) string { return program }
	o.Out, o.Err, o.Program, o.UID = io.Discard, io.Discard, program, os.Getuid()
	return o, program
}

// TestBrokenPipe checks that a session whose output nothing reads any more ends as one without a container does.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	o, _ := withClient(t, "docker", "kill -PIPE $$")
	if err := Run(t.Context(), o); err != nil {
		t.Error(err)
	}
}

// TestCancelled checks that a session in a container, which has said that it was cancelled, is the only one to say so.
func TestCancelled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		doc, name, run string
		isShown        bool
	}{
		{"Docker", "docker", "trap 'exit 143' TERM; echo >$0.runs; while :; do sleep 0.01; done", true},
		{"LXD", lxc, "trap 'exit 143' TERM; echo >$0.runs; while :; do sleep 0.01; done", true},
		{"a container that has not begun", "docker", "echo >$0.runs; exec sleep 100", false},
		{"a container that ends without a word", "docker", "trap 'exit 0' TERM; echo >$0.runs; while :; do sleep 0.01; done", false},
	} {
		t.Run(c.doc, func(t *testing.T) {
			t.Parallel()
			o, program := withClient(t, c.name, c.run)
			o.HasKeyboard = true
			cancelled := exit.Errorf(exit.Terminated, "cancelled")
			ctx, cancel := context.WithCancelCause(t.Context())
			processtest.WhenWritten(t, program+".runs", func() { cancel(cancelled) })
			if err := Run(ctx, o); !errors.Is(err, cancelled) || exit.WasShown(err) != c.isShown {
				t.Errorf("%v, shown %v", err, exit.WasShown(err))
			}
		})
	}
}

// TestHangup checks that a session ends with its terminal, although the container program does not.
func TestHangup(t *testing.T) {
	t.Parallel()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Skip("NOT TESTED: no terminals: ", err)
	}
	defer tty.Close()
	o, program := withClient(t, "docker", "trap '' HUP; echo >$0.runs; while :; do sleep 0.01; done")
	o.In, o.HasKeyboard, o.HasScreen = tty, true, true
	processtest.WhenWritten(t, program+".runs", func() { _ = keyboard.Close() })
	if err := Run(t.Context(), o); exit.CodeOf(err) != exit.HungUp {
		t.Error(err)
	}
}
