//go:build linux

package container

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/creack/pty"

	"pollux/internal/exit"
	"pollux/internal/process"
)

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
			o := options(t, c.name, nil)
			program := filepath.Join(o.Home, "program")
			script := "#!/bin/sh\ncase $1 in\nrun | exec) " + c.run + " ;;\nquery) echo '{\"status\": \"Running\", \"type\": \"container\"}' ;;\nimages) echo id ;;\nesac\n"
			if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			o.Launcher, o.Find = process.NewLauncher(), func(string) string { return program }
			o.Out, o.Err, o.Program, o.In = io.Discard, io.Discard, program, nil
			o.HasKeyboard, o.UID = true, os.Getuid()
			cancelled := exit.Errorf(exit.Terminated, "cancelled")
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
					if _, err := os.Stat(program + ".runs"); err == nil {
						break
					}
				}
				cancel(cancelled)
			}()
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
	o := options(t, "docker", nil)
	program := filepath.Join(o.Home, "program")
	script := "#!/bin/sh\ncase $1 in\nrun) trap '' HUP; echo >$0.runs; while :; do sleep 0.01; done ;;\nimages) echo id ;;\nesac\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	o.Launcher, o.Find = process.NewLauncher(), func(string) string { return program }
	o.Out, o.Err, o.Program, o.In = io.Discard, io.Discard, program, tty
	o.HasKeyboard, o.HasScreen = true, true
	go func() {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Stat(program + ".runs"); err == nil {
				break
			}
		}
		_ = keyboard.Close()
	}()
	if err := Run(t.Context(), o); exit.CodeOf(err) != exit.HungUp {
		t.Error(err)
	}
}
