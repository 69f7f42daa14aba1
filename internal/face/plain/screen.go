package plain

import (
	"io"
	"strings"
	"sync"
	"time"

	"pollux/internal/terminal"
)

// printer breaks lines at words where they are wider than the terminal. Its methods take clean text.
type printer struct {
	width  func() int // columns of the terminal, 0 to break no lines
	margin int        // columns before the lines of others, which cannot pass for lines of Pollux then
	// verbatim prints lines that must not be broken: code and the output of programs. The terminal breaks them where
	// they are too wide.
	verbatim func(lines string)
}

// message prints a line of Pollux that contains text of others. The rest of the text is indented.
func (p *printer) message(t string) {
	p.verbatim(terminal.WrapBelow(strings.TrimRight(t, "\n"), p.width(), p.margin))
}

func (p *printer) line(t string) {
	p.verbatim(terminal.Wrap(strings.TrimRight(t, "\n"), p.width()))
}

// hang prints text behind a prefix, with continuation lines below the text.
func (p *printer) hang(prefix, text string) { p.verbatim(terminal.Hang(prefix, text, p.width())) }

// screen writes text from top to bottom, for the loop and for dialogs. Its methods take clean text.
type screen struct {
	printer
	mu        sync.Mutex
	w         io.Writer
	isEchoed  bool // the terminal shows the input itself
	wrapper   terminal.Wrapper
	buf       []byte
	midLine   bool   // the last write did not end a line
	prompt    string // the visible prompt, in the last line
	suspended string // the prompt that other text has interrupted
	isLentOut bool   // another program owns the terminal
	last      time.Time
	err       error

	showStatus func(string) error // as [terminal.Writer.SetStatus]; nil where no terminal shows it
}

func newScreen(t *terminal.Terminal) *screen {
	s := &screen{w: t.Out, isEchoed: t.InTTY}
	s.printer = printer{width: t.OutWidth, verbatim: s.writeLines}
	if t.OutTTY { // other readers get the text as it is
		s.margin, s.showStatus = 2, t.Out.SetStatus
	}
	return s
}

// label writes the label of a text, at the beginning of a line.
func (s *screen) label(t string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspendForText()
	s.freshLine()
	s.wrapper = terminal.Wrapper{Margin: s.margin}
	s.wrapper.Label(t)
	s.write(t)
}

// text writes a piece of the text after a label, which may end within a line. It holds an incomplete word
// back, because a screen reader reads text as it arrives, and reports whether it does.
func (s *screen) text(t string) (isHolding bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeText(s.wrapper.Add(t, s.width()))
	return s.wrapper.IsHolding()
}

// flushWord writes the incomplete word that was held back.
func (s *screen) flushWord() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeText(s.wrapper.Flush(s.width()))
}

// endText ends a text and its line.
func (s *screen) endText() {
	s.flushWord()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrapper = terminal.Wrapper{Margin: s.margin}
	if s.prompt == "" {
		s.freshLine()
	}
}

func (s *screen) writeLines(lines string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addLines(lines)
}

func (s *screen) addLines(lines string) {
	s.suspendForText()
	s.freshLine()
	s.write(strings.TrimRight(lines, "\n") + "\n")
	s.wrapper.Restart()
}

// ask writes the lines of a question, "" for none, and its prompt.
func (s *screen) ask(lines, prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lines != "" {
		s.addLines(lines)
	}
	s.addPrompt(prompt)
}

// showPrompt writes a prompt and leaves the cursor after it.
func (s *screen) showPrompt(prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addPrompt(prompt)
}

func (s *screen) addPrompt(prompt string) {
	s.freshLine()
	s.prompt, s.suspended = prompt, ""
	s.write(terminal.Wrap(prompt, s.width()))
}

func (s *screen) hasPrompt() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.prompt != "" || s.suspended != ""
}

// endPrompt records that the user has ended the line of the prompt. A terminal has
// shown that line; for other inputs endPrompt writes echo.
func (s *screen) endPrompt(echo string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newLine(echo)
	s.prompt, s.suspended = "", ""
}

// suspendPrompt records that the user has typed a line that does not answer the prompt.
// The prompt is shown again by restorePrompt.
func (s *screen) suspendPrompt(echo string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.newLine(echo)
	s.prompt, s.suspended = "", s.prompt+s.suspended // one of the two is empty
}

// showsTyped records that the terminal has shown the beginning of a line that is not ended.
func (s *screen) showsTyped() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write("\n")
}

func (s *screen) newLine(echo string) {
	switch {
	case s.isEchoed:
		s.midLine = false
		s.wrapper.Restart()
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
		s.write(terminal.Wrap(s.prompt, s.width()))
	}
}

// redrawPrompt shows the prompt again after the process was stopped. The shell has left the
// cursor at the beginning of a line.
func (s *screen) redrawPrompt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isLentOut {
		return
	}
	s.midLine = false
	s.wrapper.Restart()
	if s.prompt != "" {
		s.write(terminal.Wrap(s.prompt, s.width()))
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

// deferPrompt records a prompt that restorePrompt shows.
func (s *screen) deferPrompt(prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.suspended = prompt
}

// breakLine starts a new line after the terminal has shown a key such as ^C by itself, and drops the prompt.
func (s *screen) breakLine() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write("\n")
	s.wrapper.Restart()
	s.prompt, s.suspended = "", ""
}

// setLent stops writing while another program uses the terminal.
func (s *screen) setLent(isLent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeOut()
	s.isLentOut = isLent
}

func (s *screen) isLent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isLentOut
}

func (s *screen) idleTime() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.last)
}

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

func (s *screen) writeText(t string) {
	if t != "" {
		s.suspendForText()
		s.write(t)
	}
}

func (s *screen) suspendForText() {
	if s.prompt != "" {
		s.freshLine()
		s.wrapper.Restart()
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
