//go:build linux

package killed

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestKilledAtTerminal ends runs at a terminal, in which a person also compresses and clears the
// conversation and cancels prompts.
func TestKilledAtTerminal(t *testing.T) {
	t.Parallel()
	n, seed := numbers(t)
	for first := 0; first < n/5; first += 2 {
		t.Run(fmt.Sprint("session ", seed+uint64(first)), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed+uint64(first), 1))
			s := newSession(t)
			s.atTerminal = true
			for i := range 2 {
				signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP}[random.IntN(4)]
				s.step(i, instant{signal: signal, after: time.Duration(1+random.IntN(3000)) * time.Millisecond})
			}
			s.end(2)
			t.Log(strings.Join(s.ends, "; "))
		})
	}
}

// converse runs a program for a person at a terminal who works on a prompt, compresses the
// conversation, works on it again, cancels a prompt, clears the conversation and starts another one.
func (s *session) converse(cmd *exec.Cmd, prompt string) (started func() error, wait func() (string, error)) {
	var terminal *os.File
	started = func() (err error) {
		terminal, err = pty.StartWithAttrs(cmd, &pty.Winsize{Rows: 50, Cols: 400}, &syscall.SysProcAttr{Setsid: true, Setctty: true})
		return err
	}
	type action struct {
		after, keys string
		is          *atomic.Bool // events that the model cannot see
	}
	actions := []action{
		{"[yolo] > ", prompt + "\r", nil},
		{"[yolo] > ", "/compress\r", nil},
		{"[yolo] > ", "Prompt again: " + prompt + "\r", nil},
		{"[yolo] > ", "Prompt to cancel.\r", nil},
		{"Answer", "\x03", &s.model.isCancelled},
		{"[yolo] > ", "/clear\r", &s.model.isCleared},
		{"[yolo] > ", "Last prompt.\r", nil},
		{"[yolo] > ", "/quit\r", nil},
	}
	wait = func() (string, error) {
		defer terminal.Close()
		var all bytes.Buffer
		seen := 0
		chunk := make([]byte, 32<<10)
		for {
			n, err := terminal.Read(chunk)
			all.Write(bytes.ReplaceAll(chunk[:n], []byte("\r"), nil))
			for len(actions) > 0 {
				i := strings.Index(all.String()[seen:], actions[0].after)
				if i < 0 {
					break
				}
				seen += i + len(actions[0].after)
				if is := actions[0].is; is != nil {
					is.Store(true)
				}
				_, _ = io.WriteString(terminal, actions[0].keys) // it may have ended
				actions = actions[1:]
			}
			if err != nil { // EIO at the end of the program
				return all.String(), cmd.Wait()
			}
		}
	}
	return started, wait
}
