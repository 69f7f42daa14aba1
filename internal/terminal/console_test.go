//go:build linux || darwin

package terminal

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestConsole(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"Close", "Restore"} {
		master, term := openPTY(t)
		modes := func() unix.Termios {
			m, err := unix.IoctlGetTermios(int(term.In.(*os.File).Fd()), getTermios)
			if err != nil {
				t.Fatal(err)
			}
			return *m
		}
		before := modes()
		c, err := term.OpenConsole()
		if err != nil {
			t.Fatal(err)
		}
		if m := modes(); m.Lflag&(unix.ICANON|unix.ECHO|unix.ISIG) != 0 {
			t.Error("the terminal is not in raw mode")
		}
		for _, m := range []Mode{ShownCursor, BusyProgress, BracketedPaste, Mouse, KittyKeys, BracketedPaste} {
			if err := c.Enter(m); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range []Mode{Mouse, BracketedPaste} {
			if err := c.Exit(m); err != nil {
				t.Fatal(err)
			}
		}
		c.SetParting("lost\r\n")
		c.SetParting("below\r\n")
		if end == "Close" {
			c.Close()
		} else {
			term.Restore()
		}
		c.Close() // does nothing
		if modes() != before {
			t.Errorf("%s does not restore the modes", end)
		}
		want := BusyProgress.Enter + BracketedPaste.Enter + Mouse.Enter + KittyKeys.Enter + BracketedPaste.Enter + Mouse.Leave + BracketedPaste.Leave + KittyKeys.Leave + BracketedPaste.Leave + BusyProgress.Leave + ShownCursor.Leave + "below\r\n"
		got := make([]byte, len(want))
		if _, err := io.ReadFull(master, got); err != nil || string(got) != want {
			t.Errorf("%s: %q, not %q: %v", end, got, want, err)
		}
	}
}

// TestConsoleStopped checks that a terminal that takes no output does not keep Close from restoring its modes.
func TestConsoleStopped(t *testing.T) {
	t.Parallel()
	master, term := openPTY(t)
	fd := int(term.In.(*os.File).Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		t.Fatal(err)
	}
	c, err := term.OpenConsole()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Enter(BracketedPaste); err != nil {
		t.Fatal(err)
	}
	full := make(chan struct{})
	go func() {
		defer close(full)
		_, _ = c.Write(bytes.Repeat([]byte("x"), 1<<20))
	}()
	c.Close()
	if after, err := unix.IoctlGetTermios(fd, getTermios); err != nil || *after != *before {
		t.Error("the modes are not restored")
	}
	go func() { _, _ = io.Copy(io.Discard, master) }()
	select {
	case <-full:
	case <-time.After(20 * time.Second):
		t.Error("the output does not go on")
	}
}

func TestNoConsole(t *testing.T) {
	t.Parallel()
	term, _, _ := Test("")
	if _, err := term.OpenConsole(); err != ErrNoConsole {
		t.Error(err)
	}
	if strings.Count(Queries, "\x1b") != 9 {
		t.Errorf("%q", Queries)
	}
}
