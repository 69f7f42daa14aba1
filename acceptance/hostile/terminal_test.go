//go:build linux

package hostile

import (
	"bytes"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// converse runs a program at a terminal, for a user who refuses all questions. It returns the
// output on the terminal.
func converse(cmd *exec.Cmd) (string, error) {
	terminal, err := pty.StartWithAttrs(cmd, &pty.Winsize{Rows: 50, Cols: 400}, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	if err != nil {
		return "", err
	}
	defer terminal.Close()
	answers := []struct{ question, answer string }{
		{"? for help:", "n"},
		{"What should the model do instead?", refusal},
		{done, "/quit"},
	}
	var all bytes.Buffer
	seen := 0
	chunk := make([]byte, 32<<10)
	for {
		n, err := terminal.Read(chunk)
		all.Write(chunk[:n])
		for again := true; again; {
			again = false
			rest := all.String()[seen:]
			for _, a := range answers {
				if i := strings.Index(rest, a.question); i >= 0 {
					seen += i + len(a.question)
					if a.answer == "n" {
						time.Sleep(260 * time.Millisecond) // a question ignores earlier input
					}
					if _, err := io.WriteString(terminal, a.answer+"\r"); err != nil {
						return all.String(), cmd.Wait()
					}
					again = true
					break
				}
			}
		}
		if err != nil { // EIO at the end of the program
			return all.String(), cmd.Wait()
		}
	}
}

// runWithErrTerminal runs a program whose standard error is a terminal. It returns standard output and
// standard error, without the carriage returns that a terminal adds.
func runWithErrTerminal(cmd *exec.Cmd) (string, error) {
	terminal, tty, err := pty.Open()
	if err != nil {
		return "", err
	}
	defer terminal.Close()
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: 50, Cols: 400}); err != nil {
		return "", err
	}
	var out, shown bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, tty
	if err := cmd.Start(); err != nil {
		return "", err
	}
	_ = tty.Close() // the program has its own
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&shown, terminal) // EIO at the end of the program
	}()
	err = cmd.Wait()
	<-read
	return out.String() + strings.ReplaceAll(shown.String(), "\r\n", "\n"), err
}
