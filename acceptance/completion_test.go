package acceptance

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"pollux/internal/process/processtest"
)

// typed are partial command lines, and the completed lines after the tab key.
var typed = []struct{ line, want string }{
	{"pollux comp", "pollux completion"},
	{"pollux --approval-mode pl", "pollux --approval-mode plan"},
	{"pollux --output-format=str", "pollux --output-format=stream-json"},
	{"pollux -m openr", "pollux -m openrouter/"},
	{"pollux config get general.defaultA", "pollux config get general.defaultApprovalMode"},
	{"pollux config set output.format str", "pollux config set output.format stream-json"},
	{"pollux config set ui.theme Tok", `pollux config set ui.theme Tokyo\ Night`},
	{"pollux config set ui.theme ./somew", "pollux config set ui.theme ./somewhere/"},
	{"pollux config list --scope wor", "pollux config list --scope workspace"},
	{"pollux models anthr", "pollux models anthropic"},
	{"pollux -p fi", "pollux -p file.txt"},
	{"pollux --include-directories some", "pollux --include-directories somewhere/"},
	{"pollux -p \"$(touch evil)\" --scr", "--screen-reader"},
}

// TestCompletion checks that real shells complete command lines, and do not evaluate them.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for shell, args := range map[string][]string{
		"bash": {"--norc", "--noprofile", "-i"},
		"zsh":  {"-f", "-i"},
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			s := openShell(t, shell, args...)
			if shell == "zsh" {
				s.press("autoload -U compinit; compinit -D\r")
			}
			s.press("source <(pollux completion " + shell + "); echo rea''dy\r")
			s.wait("ready")
			for _, tt := range typed {
				s.press(tt.line + "\t")
				s.wait(tt.want)
				s.press("\x15\r") // clear the line
			}
			s.innocent()
		})
	}
	t.Run("fish", func(t *testing.T) {
		t.Parallel()
		s := shellPlace(t, "fish")
		for _, tt := range typed {
			s.cmd = exec.Command(s.path, "--no-config", "-c", "pollux completion fish | source; complete -C $argv[1]", tt.line)
			s.cmd.Dir, s.cmd.Env = s.dir, s.env
			out, err := s.cmd.Output()
			want := strings.ReplaceAll(tt.want, `\ `, "\x00") // fish quotes a suggestion when it inserts it
			last := strings.ReplaceAll(want[strings.LastIndexByte(want, ' ')+1:], "\x00", " ")
			if err != nil || !strings.HasPrefix(string(out), last) {
				t.Errorf("%s: %v, %q", tt.line, err, out)
			}
		}
		s.innocent()
	})
}

// shell is an interactive shell on a pseudo-terminal.
type shell struct {
	t    *testing.T
	path string
	dir  string
	env  []string
	cmd  *exec.Cmd
	tty  *os.File

	mu  sync.Mutex
	out strings.Builder // output since the last key
}

func shellPlace(t *testing.T, name string) *shell {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("NOT TESTED: %s is not installed", name)
	}
	s := &shell{t: t, path: path, dir: t.TempDir()}
	s.env = processtest.Environ("HOME="+s.dir, "TERM=dumb", "LANG=C.UTF-8", "PS1=$ ")
	if err := os.Mkdir(filepath.Join(s.dir, "somewhere"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"file.txt", "somefile"} {
		if err := os.WriteFile(filepath.Join(s.dir, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func openShell(t *testing.T, name string, args ...string) *shell {
	t.Helper()
	s := shellPlace(t, name)
	s.cmd = exec.Command(s.path, args...)
	s.cmd.Dir, s.cmd.Env = s.dir, s.env
	tty, err := pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Skipf("there is no pseudo-terminal: %v", err)
	}
	s.tty = tty
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(s, tty) // ends with the shell
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait() // it was killed
		_ = tty.Close()
		<-read
	})
	return s
}

func (s *shell) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (s *shell) press(keys string) {
	s.t.Helper()
	s.mu.Lock()
	s.out.Reset()
	s.mu.Unlock()
	if _, err := s.tty.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

func (s *shell) wait(want string) {
	s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		out := s.out.String()
		s.mu.Unlock()
		if strings.Contains(out, want) {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("%q does not come:\n%q", want, out)
		}
	}
}

// innocent checks that the shell did not run commands in unfinished lines.
func (s *shell) innocent() {
	s.t.Helper()
	if _, err := os.Lstat(filepath.Join(s.dir, "evil")); err == nil {
		s.t.Error("what was typed was run")
	}
}
