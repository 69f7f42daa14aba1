package plain

import (
	"io"
	"strings"
	"sync"
	"time"
)

// screen writes text from top to bottom, for the loop and for dialogs. What it
// is given has been cleaned.
type screen struct {
	mu     sync.Mutex
	w      io.Writer
	buf    []byte
	mid    bool   // what was written last did not end a line
	prompt string // the last line, behind which the person types
	aside  string // the prompt, while something is written in its place
	away   bool   // another program has the terminal
	last   time.Time
	err    error
}

func newScreen(w io.Writer) *screen { return &screen{w: w} }

// text writes a piece of a text that may go on.
func (s *screen) text(t string) {
	if t == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeWay()
	s.write(t)
}

// line writes whole lines.
func (s *screen) line(t string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeWay()
	s.freshLine()
	s.write(strings.TrimRight(t, "\n") + "\n")
}

// endLine ends a text.
func (s *screen) endLine() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prompt == "" {
		s.freshLine()
	}
}

// ask writes a prompt and leaves it to the person to end the line.
func (s *screen) ask(prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.freshLine()
	s.prompt, s.aside = prompt, ""
	s.write(prompt)
}

// asking reports whether a prompt waits.
func (s *screen) asking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompt != "" || s.aside != ""
}

// entered says that the person has ended a line, which a terminal shows by
// itself; echo is what another input shows of it.
func (s *screen) entered(echo string, tty bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newLine(echo, tty)
	s.prompt, s.aside = "", ""
}

// strayed says that the person has ended a line which is not for the prompt that
// waits.
func (s *screen) strayed(echo string, tty bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newLine(echo, tty)
	s.prompt, s.aside = "", s.prompt+s.aside // one of them
}

func (s *screen) newLine(echo string, tty bool) {
	switch {
	case tty:
		s.mid = false
	case s.prompt != "":
		s.write(echo + "\n")
	}
}

// again writes a prompt again that something was written in the place of.
func (s *screen) again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.aside != "" {
		s.freshLine()
		s.prompt, s.aside = s.aside, ""
		s.write(s.prompt)
	}
}

// dismiss takes a prompt back that waits for nothing any more.
func (s *screen) dismiss() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prompt != "" {
		s.freshLine()
	}
	s.prompt, s.aside = "", ""
}

// broken says that the terminal has shown something by itself, ^C for instance,
// and that no line comes any more: what follows begins a new one.
func (s *screen) broken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write("\n")
	s.prompt, s.aside = "", ""
}

// lend keeps the screen still while another program writes on it.
func (s *screen) lend() (back func()) {
	s.flush()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.away = false
	}
}

func (s *screen) lent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.away
}

// quiet is for how long nothing was written.
func (s *screen) quiet(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return now.Sub(s.last)
}

// lost returns why nothing can be written any more.
func (s *screen) lost() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *screen) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.empty()
}

func (s *screen) makeWay() {
	if s.prompt != "" {
		s.freshLine()
		s.prompt, s.aside = "", s.prompt
	}
}

func (s *screen) freshLine() {
	if s.mid {
		s.write("\n")
	}
}

func (s *screen) write(t string) {
	if t == "" {
		return
	}
	s.buf = append(s.buf, t...)
	s.mid = t[len(t)-1] != '\n'
	s.last = time.Now()
	if len(s.buf) >= full {
		s.empty()
	}
}

// full is how much is written at once at most.
const full = 32 << 10

func (s *screen) empty() {
	if s.away || len(s.buf) == 0 {
		return
	}
	if s.err == nil {
		_, s.err = s.w.Write(s.buf)
	}
	if s.buf = s.buf[:0]; cap(s.buf) > 2*full {
		s.buf = nil
	}
}
