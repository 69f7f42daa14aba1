//go:build unix

package tuitest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Tmux is a terminal in tmux, which rewraps rows when its width changes. A program shows there the bytes that are
// written to the Tmux.
type Tmux struct {
	t      testing.TB
	socket string
	in     *os.File
}

// NewTmux starts a terminal of this size. It skips the test if tmux is not installed.
func NewTmux(t testing.TB, width, height int) *Tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("SKIPPED: tmux is not installed: ", err)
	}
	dir, err := os.MkdirTemp("", "tmux") // the path of a socket is at most 108 bytes long
	if err != nil {
		t.Fatal(err)
	}
	m := &Tmux{t: t, socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", m.socket, "kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	pipe := filepath.Join(dir, "in")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	m.run("-f", "/dev/null", "-u", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height),
		"stty raw -echo; exec cat '"+pipe+"'")
	m.run("set-option", "-g", "status", "off")
	m.run("set-option", "-g", "history-limit", "100000")
	m.Resize(width, height)
	if m.in, err = os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.in.Close() })
	return m
}

func (m *Tmux) run(args ...string) string {
	m.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", m.socket}, args...)...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %s: %v: %s", args[0], err, out)
	}
	return string(out)
}

// Write shows bytes, and returns when the terminal has done so.
func (m *Tmux) Write(b []byte) (int, error) {
	m.t.Helper()
	// A title marks the end of the bytes.
	title := fmt.Sprintf("end-%d", time.Now().UnixNano())
	if _, err := m.in.Write(append(bytes.Clone(b), "\x1b]2;"+title+"\x1b\\"...)); err != nil {
		return 0, err
	}
	for end := time.Now().Add(20 * time.Second); strings.TrimSpace(m.run("display-message", "-p", "#{pane_title}")) != title; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			m.t.Fatal("tmux does not show the bytes")
		}
	}
	return len(b), nil
}

// Resize changes the size, and returns when the terminal has it.
func (m *Tmux) Resize(width, height int) {
	m.t.Helper()
	m.run("resize-window", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height))
}

// Whole returns the text of the scrollback and the screen, a line that the terminal has wrapped as one, without the
// empty lines at the end.
func (m *Tmux) Whole() []string {
	m.t.Helper()
	text := strings.TrimRight(m.run("capture-pane", "-p", "-J", "-S", "-"), " \n")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}
