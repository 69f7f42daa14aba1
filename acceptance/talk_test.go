//go:build unix

package acceptance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// talk runs another program on a pseudo-terminal and types into it, following a script. It prints
// the screen to standard output, or to standard error if the script fails:
//
//	size COLUMNS  the width of the terminal, 80 by default; it is the first line
//	see TEXT      waits until TEXT is on the screen, after the text seen last
//	not TEXT      checks that TEXT was not between the last two texts seen
//	type TEXT     types TEXT and Enter
//	answer TEXT   the same, after a delay: a question ignores input in its first
//	              quarter of a second
//	paste TEXT    pastes TEXT, without Enter
//	key NAME...   presses ctrl-c, ctrl-d, ctrl-g, ctrl-s, ctrl-z or enter
//	signal SIG    sends TERM, HUP, INT or KILL to the program alone
//	wait PATH     waits until the file exists and is not empty
//	hang up       closes the terminal
//	end CODE      waits for the program to end with this code; it is the last line
//
// TEXT is the rest of the line, with {{WORK}}, {{HOME}}, and \n for a line end. A space in it
// also matches a line end and the indentation after it, because Pollux breaks lines at the width
// of the terminal. A line that starts with # is a comment. Only valid text may appear on the
// screen.
func talk() {
	if err := play(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play runs a script with a program.
func play(script string, command []string) error {
	lines, err := os.ReadFile(script)
	if err != nil {
		return err
	}
	columns := 80
	_, _ = fmt.Sscanf(string(lines), "size %d\n", &columns) // another first line keeps the default
	c, master, err := atTerminal(command, columns)
	if err != nil {
		return err
	}
	s := &screen{program: c, master: master, ended: make(chan struct{})}
	s.more.L = &s.mu
	go s.watch()
	defer s.close()
	timer := time.AfterFunc(patience, s.giveUp)
	defer timer.Stop()
	for i, line := range strings.Split(string(lines), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		timer.Reset(patience)
		if err := s.do(line); err != nil {
			return fmt.Errorf("%s:%d: %s: %w\n--- the screen, up to here ---\n%s", script, i+1, line, err, s.shown())
		}
	}
	if !s.over {
		return fmt.Errorf("%s: it does not say how the program ends", script)
	}
	_, err = io.WriteString(os.Stdout, s.shown())
	return err
}

// atTerminal starts a program on a new pseudo-terminal of this width and returns the terminal's other end.
// Closing that ends a pending read.
func atTerminal(command []string, columns int) (*exec.Cmd, *os.File, error) {
	master, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer tty.Close()
	defer master.Close()
	fd, err := syscall.Dup(int(master.Fd()))
	if err != nil {
		return nil, nil, err
	}
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, nil, err
	}
	c := exec.Command(command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = tty, tty, tty
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := errors.Join(pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: uint16(columns)}), c.Start()); err != nil {
		return nil, nil, err
	}
	return c, os.NewFile(uintptr(fd), "terminal"), nil
}

// screen is a program's terminal.
type screen struct {
	program *exec.Cmd
	master  *os.File
	over    bool          // the script expects the end of the program
	ended   chan struct{} // closed when there is no more output

	mu   sync.Mutex
	more sync.Cond
	all  string // all output
	at   int    // end of the text seen last
	last string // output between the last two texts seen
	gone bool   // there is no more output
	late bool   // the program took too long
}

// watch reads the output until the terminal is closed.
func (s *screen) watch() {
	defer close(s.ended)
	p := make([]byte, 4096)
	for {
		n, err := s.master.Read(p)
		s.mu.Lock()
		s.all += string(bytes.ReplaceAll(p[:n], []byte("\r"), nil))
		s.gone = err != nil
		s.more.Broadcast()
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (s *screen) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = true
	s.more.Broadcast()
	_ = s.program.Process.Kill()
}

func (s *screen) close() {
	_ = s.program.Process.Kill() // an error means that it has ended
	_ = s.master.Close()
	<-s.ended
}

func (s *screen) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// do runs a line of a script.
func (s *screen) do(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.NewReplacer(`\n`, "\n", "{{WORK}}", os.Getenv("WORK"), "{{HOME}}", os.Getenv("HOME")).Replace(rest)
	if strings.Contains(s.shown(), "\x1b") {
		return errors.New("there is an escape on the screen")
	}
	switch word {
	case "size": // done before the program started
		return nil
	case "see":
		return s.see(rest)
	case "not":
		if pattern(rest).MatchString(s.last) {
			return errors.New("it was there")
		}
		return nil
	case "type":
		return s.press(rest + "\n")
	case "paste":
		return s.press(rest)
	case "answer":
		time.Sleep(thought)
		return s.press(rest + "\n")
	case "key":
		return s.keys(strings.Fields(rest))
	case "signal":
		sig, ok := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL}[rest]
		if !ok {
			return errors.New("there is no such signal here")
		}
		return s.program.Process.Signal(sig)
	case "wait":
		return s.file(rest)
	case "hang":
		return s.master.Close()
	case "end":
		return s.end(rest)
	}
	return errors.New("there is no such word")
}

// thought is longer than the time in which a question ignores input.
const thought = 300 * time.Millisecond

// pattern returns the expression for a text that may be broken at its spaces.
func pattern(text string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(text), " ", "(?: |\n *)"))
}

func (s *screen) see(text string) error {
	find := pattern(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if found := find.FindStringIndex(s.all[s.at:]); found != nil {
			s.last = s.all[s.at : s.at+found[0]]
			s.at += found[1]
			return nil
		}
		switch {
		case s.late:
			return errors.New("it does not come")
		case s.gone:
			return errors.New("the program has ended without it")
		}
		s.more.Wait()
	}
}

func (s *screen) press(keys string) error {
	_, err := io.WriteString(s.master, keys)
	return err
}

func (s *screen) keys(names []string) error {
	for _, name := range names {
		code, ok := map[string]string{"ctrl-c": "\x03", "ctrl-d": "\x04", "ctrl-g": "\a", "ctrl-s": "\x13", "ctrl-z": "\x1a", "enter": "\n"}[name]
		if !ok {
			return fmt.Errorf("there is no key %s", name)
		}
		if err := s.press(code); err != nil {
			return err
		}
	}
	return nil
}

func (s *screen) file(path string) error {
	for {
		info, err := os.Stat(path)
		switch {
		case err == nil && info.Size() > 0:
			return nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
		s.mu.Lock()
		late := s.late
		s.mu.Unlock()
		if late {
			return errors.New("it does not come")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// end waits until the program has ended.
func (s *screen) end(want string) error {
	_ = s.program.Wait() // the exit code is in ProcessState
	s.mu.Lock()
	for !s.gone && !s.late {
		s.more.Wait()
	}
	late := s.late
	s.mu.Unlock()
	if late {
		return errors.New("it does not end, or has left something at the terminal")
	}
	if got := fmt.Sprint(s.program.ProcessState.ExitCode()); got != want {
		return fmt.Errorf("it ended with %s", s.program.ProcessState)
	}
	s.over = true
	return nil
}
