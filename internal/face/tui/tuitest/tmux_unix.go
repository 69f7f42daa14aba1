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
	m := newTmux(t)
	pipe := filepath.Join(filepath.Dir(m.socket), "in")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	m.start(width, height, "stty raw -echo; exec cat '"+pipe+"'")
	m.Resize(width, height)
	var err error
	if m.in, err = os.OpenFile(pipe, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.in.Close() })
	return m
}

// RunTmux starts a terminal of this size in which sh runs a command. It skips the test if tmux is not installed.
func RunTmux(t testing.TB, width, height int, command string) *Tmux {
	t.Helper()
	m := newTmux(t)
	m.start(width, height, command)
	return m
}

func newTmux(t testing.TB) *Tmux {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("NOT TESTED: tmux is not installed: ", err)
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
	return m
}

// start starts the server, and then the command in a new session, which the options of the server are for.
func (m *Tmux) start(width, height int, command string) {
	m.t.Helper()
	m.run("-f", "/dev/null", "-u", "start-server", ";", "set-option", "-g", "exit-empty", "off",
		";", "set-option", "-g", "status", "off", ";", "set-option", "-g", "history-limit", "100000", ";", "set-option", "-s", "escape-time", "10",
		";", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), command)
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

// Type types a text.
func (m *Tmux) Type(text string) {
	m.t.Helper()
	m.run("send-keys", "-l", text)
}

// Press presses keys by their names in tmux, such as Enter and C-r.
func (m *Tmux) Press(keys ...string) {
	m.t.Helper()
	m.run(append([]string{"send-keys"}, keys...)...)
}

// Paste pastes a text, as a terminal with bracketed paste does.
func (m *Tmux) Paste(text string) {
	m.t.Helper()
	m.run("set-buffer", text)
	m.run("paste-buffer", "-p", "-r")
}

// Screen returns the rows of the screen.
func (m *Tmux) Screen() string {
	m.t.Helper()
	return m.run("capture-pane", "-p")
}

// See waits until is returns true for the rows of the screen.
func (m *Tmux) See(what string, is func(screen string) bool) {
	m.t.Helper()
	for end := time.Now().Add(patience()); !is(m.Screen()); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			m.t.Fatalf("%s: it does not come\n%s", what, strings.Join(m.Whole(), "\n"))
		}
	}
}

// Attach shows the session on a terminal, whose size becomes that of the session, until Detach.
func (m *Tmux) Attach(width, height int) (detach func()) {
	m.t.Helper()
	m.run("set-option", "-w", "window-size", "latest")
	p, err := Start([]string{"env", "TERM=xterm-256color", "LANG=C.UTF-8", "tmux", "-u", "-S", m.socket, "attach"}, width, height)
	if err != nil {
		m.t.Fatal(err)
	}
	m.See("the size of the new client", func(string) bool {
		return strings.TrimSpace(m.run("display-message", "-p", "#{window_width}x#{window_height}")) == fmt.Sprintf("%dx%d", width, height)
	})
	return func() {
		m.t.Helper()
		m.run("detach-client")
		if code, _ := p.End(); code != 0 { // tmux has its own way to leave the terminal
			m.t.Error("tmux attach ended with ", code)
		}
		p.Close()
	}
}
