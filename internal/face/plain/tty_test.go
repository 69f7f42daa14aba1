package plain

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"

	"pollux/agent"
	"pollux/internal/editor"
	"pollux/internal/exit"
	"pollux/internal/outcome"
	"pollux/internal/slash"
	"pollux/internal/terminal"
	"pollux/tool"
)

// desk is a session at a pseudo-terminal.
type desk struct {
	t      *testing.T
	master *os.File
	face   *Face
	done   chan error

	mu   sync.Mutex
	more sync.Cond
	all  string // that was on the screen
	at   int    // how far it was looked at
	over bool
}

func atTerminal(t *testing.T, o backend) *desk {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	d := &desk{t: t, master: master, done: make(chan error, 1)}
	d.more.L = &d.mu
	o.Terminal = terminal.New(tty, tty, tty, func(string) string { return "" })
	if o.Run == nil {
		o.Run = echo
	}
	if e, ok := o.Editor.(*borrower); ok {
		e.terminal = o.Terminal
	}
	d.face = newTestFace(o)
	d.face.answerDelay = 0 // tests know when a question is there
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		p := make([]byte, 4096)
		for {
			n, err := master.Read(p)
			d.mu.Lock()
			d.all += string(p[:n])
			d.over = err != nil
			d.more.Broadcast()
			d.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() { d.done <- d.face.Run(t.Context()) }()
	t.Cleanup(func() {
		_ = tty.Close()
		<-watched // the other end is closed
		_ = master.Close()
		if strings.Contains(d.all, "\x1b") { // all writers have ended
			t.Errorf("there are escapes on the screen: %q", d.all)
		}
	})
	return d
}

func (d *desk) types(s string) {
	d.t.Helper()
	if _, err := io.WriteString(d.master, s); err != nil {
		d.t.Fatal(err)
	}
}

// sees waits until a text is on the screen, and returns the output before it.
func (d *desk) sees(text string) string {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		if before, _, ok := strings.Cut(d.all[d.at:], text); ok {
			d.at += len(before) + len(text)
			return before
		}
		if d.over {
			d.t.Fatalf("there is no %q in %q", text, d.all)
		}
		d.more.Wait()
	}
}

func (d *desk) leaves() {
	d.t.Helper()
	if err := <-d.done; err != nil {
		d.t.Errorf("the session ends with %v", err)
	}
}

// lineLimit returns the length at which the terminal cuts lines. It skips the test on systems
// whose limit is not known.
func (d *desk) lineLimit() int {
	d.t.Helper()
	if runtime.GOOS != "linux" {
		d.t.Skip("only Linux has a known limit of a line")
	}
	limit := d.face.terminal.LineLimit()
	if limit == 0 {
		d.t.Fatal("the terminal cuts no lines")
	}
	return limit
}

// A long line arrives whole or is refused, with all of its paste.
func TestLongLine(t *testing.T) {
	t.Parallel()
	d := atTerminal(t, backend{Welcome: "Pollux"})
	d.sees("twice to exit.\r\n> ")
	limit := d.lineLimit()
	whole := strings.Repeat("x", limit-1)
	d.types(whole + "\n")
	d.sees("Model: You said: " + whole + "\r\n> ")
	for _, n := range []int{limit, limit + 1, 10_000, 100_000} {
		d.types(strings.Repeat("x", n) + "\n")
		d.sees("Not sent: the terminal cuts lines at ") // the terminal may not echo the end of the line
		d.sees("paste it into your editor.\r\n> ")
	}
	whole = strings.Repeat(strings.Repeat("y", 1000)+"\n", 100)
	d.types(whole)
	d.sees("100 lines pasted. Press Enter to send them, or type /cancel.\r\nmore> ")
	d.types("\n")
	d.sees("Model: You said: " + strings.ReplaceAll(strings.TrimSpace(whole), "\n", "|") + "\r\n> ")
	d.types("\x04")
	d.sees("Press Ctrl+D again to exit.\r\n> ")
	d.types("\x04")
	d.leaves()
}

// A paste includes its last line, which has no line end.
func TestUnfinishedPaste(t *testing.T) {
	t.Parallel()
	d := atTerminal(t, backend{Welcome: "Pollux"})
	d.sees("twice to exit.\r\n> ")
	d.types("one\ntwo")
	d.sees("2 lines pasted. Press Enter to send them, or type /cancel.\r\nmore> ")
	d.types(" three\n")
	d.sees("Model: You said: one|two three\r\n> ")
	d.types("\x04\x04")
	d.leaves()
}

// With a line that was cut, all lines of its paste are refused.
func TestCutPaste(t *testing.T) {
	t.Parallel()
	d := atTerminal(t, backend{Welcome: "Pollux"})
	d.sees("twice to exit.\r\n> ")
	limit := d.lineLimit()
	d.types("before\n" + strings.Repeat("x", limit+1) + "\nafter\nmore\n")
	d.sees("Not sent: the terminal cuts lines at ")
	d.sees("paste it into your editor.\r\n> ")
	d.types("typed\n")
	d.sees("typed\r\nModel: You said: typed\r\n> ")
	d.types("\x04\x04")
	d.leaves()
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	d := atTerminal(t, backend{Welcome: "Pollux"})
	d.sees("twice to exit.\r\n> ")
	d.types("hello\n")
	if echoed := d.sees("\r\nModel: You said: hello\r\n> "); echoed != "hello" {
		t.Errorf("the line is on the screen as %q", echoed)
	}
	d.types(`go on\` + "\n")
	d.sees("more> ")
	d.types("here\n")
	d.sees("Model: You said: go on|here\r\n> ")
	d.types("\x04")
	d.sees("Press Ctrl+D again to exit.\r\n> ")
	d.types("again\n") // it counts from the beginning after that
	d.sees("You said: again\r\n> ")
	d.types("\x04")
	d.sees("Press Ctrl+D again to exit.\r\n> ")
	d.types("\x04")
	d.sees("Agent powering down. Goodbye!\r\n")
	d.leaves()
}

// The end of the terminal ends the session.
func TestTerminalGone(t *testing.T) {
	t.Parallel()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer tty.Close()
	stopped := make(chan struct{})
	f := newTestFace(backend{Terminal: terminal.New(tty, tty, tty, func(string) string { return "" }), First: "hi", Run: runs(
		func(ctx context.Context, _ string, emit func(agent.Event)) error {
			emit(agent.Text{Text: "Hello.\n"})
			<-ctx.Done()
			close(stopped)
			return nil
		},
	)})
	done := make(chan error, 1)
	go func() { done <- f.Run(t.Context()) }()
	for screen := ""; !strings.Contains(screen, "Hello."); {
		p := make([]byte, 100)
		n, err := master.Read(p)
		if err != nil {
			t.Fatal(err)
		}
		screen += string(p[:n])
	}
	_ = master.Close()
	<-done // the error does not matter here
	<-stopped
}

// A secret is not echoed, and the echo returns afterwards.
func TestSecret(t *testing.T) {
	t.Parallel()
	var d *desk
	d = atTerminal(t, backend{
		LookupCommand: func(line string) (bool, bool) { return line == "/auth", false },
		RunCommand: func(ctx context.Context, _ string) (slash.Result, error) {
			a, err := d.face.driver.Ask(ctx, &tool.QuestionConfirmation{Title: "Sign in", Questions: []tool.Question{{Text: "Key", Kind: tool.SecretQuestion}}})
			if err != nil {
				return slash.Result{}, err
			}
			return slash.Result{Outcome: outcome.Textf("%s", strings.Repeat("*", len(a.Reply.Answers["0"])))}, nil
		},
	})
	d.sees("> ")
	d.types("/auth\n")
	d.sees("Answer (not shown), or ? for help: ")
	d.types("hunter2\n")
	if between := d.sees("*******\r\n> "); between != "\r\n" {
		t.Errorf("on the screen is %q", between)
	}
	d.types("shown\n")
	d.sees("shown\r\nModel: You said: shown\r\n> ")
	d.types("\x04\x04")
	d.leaves()
	d.sees("Goodbye!")
	d.mu.Lock()
	defer d.mu.Unlock()
	if strings.Contains(d.all, "hunter2") {
		t.Errorf("the secret is on the screen: %q", d.all)
	}
}

// Only the editor receives input while it runs.
func TestTerminalLent(t *testing.T) {
	t.Parallel()
	command, err := filepath.Abs("testdata/editor.sh")
	if err != nil {
		t.Fatal(err)
	}
	e := &borrower{temp: t.TempDir(), command: command}
	var got []tool.Answer
	d := atTerminal(t, backend{Editor: e, Run: asks(&got, edit())})
	d.sees("> ")
	d.types("go\n")
	d.sees("? for help: ")
	d.types("e\n")
	d.sees("write what? ")
	d.types("mine\n")
	d.sees("Model: modify_with_editor\r\n> ")
	d.types("shown\n") // the editor has switched that off
	d.sees("shown\r\n")
	d.sees("? for help: ")
	d.types("\x04\x04")
	d.leaves()
	if len(got) == 0 || got[0].Content == nil || *got[0].Content != "mine\n" {
		t.Errorf("answered %+v", got)
	}
}

// borrower is the external editor, with a terminal that is set later.
type borrower struct {
	terminal      *terminal.Terminal
	temp, command string
}

func (b *borrower) editor() *editor.Editor {
	return editor.New(editor.Options{Visual: b.command, Environ: []string{"PATH=/usr/bin:/bin"}, Terminal: b.terminal, Temp: b.temp})
}

func (b *borrower) Open(ctx context.Context, path string) error { return b.editor().Open(ctx, path) }

func (b *borrower) Leaving() string { return b.editor().Leaving() }

func (b *borrower) Compose(ctx context.Context, text string) (string, error) {
	return b.editor().Compose(ctx, text)
}

func (b *borrower) Change(ctx context.Context, name, before, after string) (string, error) {
	return b.editor().Change(ctx, name, before, after)
}

// TestRunTaskLeft checks that a task that the user leaves is not taken for done, unless it is done by then.
func TestRunTaskLeft(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		code exit.Code
		want string
	}{
		{context.Canceled, exit.Interrupted, ""},
		{nil, exit.OK, "Stored."},
	} {
		master, tty, err := pty.Open()
		if err != nil {
			t.Skipf("NOT TESTED: no pseudo-terminal here: %v", err)
		}
		shown := make(chan string, 1)
		go func() {
			all, _ := io.ReadAll(master) // fails at the end of a terminal
			shown <- string(all)
		}()
		err = RunTask(t.Context(), terminal.New(tty, tty, tty, func(string) string { return "" }), func(ctx context.Context, _ tool.Ask, _ func(string)) (string, error) {
			if _, err := master.WriteString("\x04\x04"); err != nil {
				return "", err
			}
			<-ctx.Done()
			return "Stored.", tt.err
		})
		_ = tty.Close()
		if got := <-shown; exit.CodeOf(err) != tt.code || !strings.Contains(got, tt.want) {
			t.Errorf("%v: ends with %v, shows %q", tt.err, err, got)
		}
		_ = master.Close()
	}
}
