package plain

import (
	"io"
	"strings"
	"sync"
	"time"
)

// screen writes text from top to bottom, for the loop and for dialogs. Its methods take
// clean text.
type screen struct {
	mu        sync.Mutex
	w         io.Writer
	buf       []byte
	midLine   bool   // the last write did not end a line
	prompt    string // the visible prompt, in the last line
	suspended string // the prompt that other text has interrupted
	isLentOut bool   // another program owns the terminal
	last      time.Time
	err       error
}

func newScreen(w io.Writer) *screen { return &screen{w: w} }

// text writes a piece of text, which may end within a line.
func (s *screen) text(t string) {
	if t == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspendForText()
	s.write(t)
}

// line writes one or several whole lines.
func (s *screen) line(t string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspendForText()
	s.freshLine()
	s.write(strings.TrimRight(t, "\n") + "\n")
}

// endLine ends the current line of text.
func (s *screen) endLine() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prompt == "" {
		s.freshLine()
	}
}

// showPrompt writes a prompt and leaves the cursor after it.
func (s *screen) showPrompt(prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.freshLine()
	s.prompt, s.suspended = prompt, ""
	s.write(prompt)
}

// hasPrompt reports whether a prompt is visible or interrupted.
func (s *screen) hasPrompt() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompt != "" || s.suspended != ""
}

// endPrompt records that the user has ended the line of the prompt. A terminal has
// shown that line; for other inputs endPrompt writes echo.
func (s *screen) endPrompt(echo string, tty bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newLine(echo, tty)
	s.prompt, s.suspended = "", ""
}

// suspendPrompt records that the user has typed a line that does not answer the prompt.
// The prompt is shown again by restorePrompt.
func (s *screen) suspendPrompt(echo string, tty bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newLine(echo, tty)
	s.prompt, s.suspended = "", s.prompt+s.suspended // one of the two is empty
}

func (s *screen) newLine(echo string, tty bool) {
	switch {
	case tty:
		s.midLine = false
	case s.prompt != "":
		s.write(echo + "\n")
	}
}

// restorePrompt shows an interrupted prompt again.
func (s *screen) restorePrompt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.suspended != "" {
		s.freshLine()
		s.prompt, s.suspended = s.suspended, ""
		s.write(s.prompt)
	}
}

// dropPrompt removes a prompt that is no longer needed.
func (s *screen) dropPrompt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prompt != "" {
		s.freshLine()
	}
	s.prompt, s.suspended = "", ""
}

// breakLine starts a new line after the terminal has shown a key such as ^C by itself,
// and drops the prompt.
func (s *screen) breakLine() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write("\n")
	s.prompt, s.suspended = "", ""
}

// lend stops writing while another program uses the terminal, until back is called.
func (s *screen) lend() (back func()) {
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isLentOut = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.isLentOut = false
	}
}

func (s *screen) isLent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isLentOut
}

// idleTime returns the time since the last write.
func (s *screen) idleTime(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(s.last)
}

// writeError returns the error of the first failed write.
func (s *screen) writeError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *screen) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeOut()
}

func (s *screen) suspendForText() {
	if s.prompt != "" {
		s.freshLine()
		s.prompt, s.suspended = "", s.prompt
	}
}

func (s *screen) freshLine() {
	if s.midLine {
		s.write("\n")
	}
}

func (s *screen) write(t string) {
	if t == "" {
		return
	}
	s.buf = append(s.buf, t...)
	s.midLine = t[len(t)-1] != '\n'
	s.last = time.Now()
	if len(s.buf) >= maxBuffer {
		s.writeOut()
	}
}

// maxBuffer is the size at which the buffer is written, in bytes.
const maxBuffer = 32 << 10

func (s *screen) writeOut() {
	if s.isLentOut || len(s.buf) == 0 {
		return
	}
	if s.err == nil {
		_, s.err = s.w.Write(s.buf)
	}
	if s.buf = s.buf[:0]; cap(s.buf) > 2*maxBuffer {
		s.buf = nil
	}
}
