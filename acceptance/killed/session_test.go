//go:build linux

package killed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pollux/internal/process/processtest"
)

// session is a session that was played.
type session struct {
	t      *testing.T
	model  *model
	root   string        // directory of project, home and tmp
	mark   string        // variable that all processes of the session inherit
	took   time.Duration // until the last run
	bytes  int           // that the model has sent in the run before the last one
	before known         // the model's knowledge before the last run
	// A person had cancelled the last request, or cleared the conversation after it.
	wasCancelled, wasCleared bool
	atTerminal               bool              // the runs are a person's
	journal                  map[string][]byte // the session files after the last run, by path
	ends                     []string          // how the runs ended
}

// play runs a job that ends at each of the instants and is continued after it, and then to its end.
func play(t *testing.T, instants []instant) *session {
	t.Helper()
	s := newSession(t)
	begin := time.Now()
	for i, at := range instants {
		s.step(i, at)
		if t.Failed() {
			return nil
		}
	}
	if len(instants) == 0 {
		s.step(0, instant{bytes: 1 << 60})
	}
	s.took, s.bytes = time.Since(begin), s.model.sent
	s.end(len(instants))
	t.Log(strings.Join(s.ends, "; "))
	return s
}

// end continues the session to its end, and checks the rest of it.
func (s *session) end(kills int) {
	s.t.Helper()
	s.model.isLast, s.atTerminal = true, false
	out, err := s.run(instant{bytes: 1 << 60}, "go on")
	if err != nil || !strings.Contains(out, theEnd) {
		s.t.Errorf("%v: the resumed run: %v\n%s", s.ends, err, out)
	}
	s.check("go on")
	s.checkFiles(kills)
	s.checkProcesses()
}

func newSession(t *testing.T) *session {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, model: newModel(t), root: root, journal: map[string][]byte{}}
	s.mark = "KILLED_RUN=" + strconv.Itoa(os.Getpid()) + root
	for name, text := range map[string]string{
		"project/read.txt": "to be read\n", "project/counter": "0\n", "tmp/x": "",
		"home/.gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "pollux": {"compression": {"oneCall": true}},
			"modelProviders": {"gemini": {"models": [{"match": "*", "window": 100000}]}}}`,
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// step plays a run that ends at an instant, and checks the history it continued.
func (s *session) step(i int, at instant) {
	s.t.Helper()
	prompt := fmt.Sprintf("Prompt %d: work through all steps.", i)
	out, err := s.run(at, prompt)
	s.ends = append(s.ends, fmt.Sprintf("%v: %v", at, err))
	var end *exec.ExitError
	if err != nil && !errors.As(err, &end) {
		s.t.Fatal(err)
	}
	isSecond := s.atTerminal && err != nil && isSignalled(end, syscall.SIGINT) // Ctrl+C after the signal
	if err != nil && !isSecond && !isSignalled(end, at.signal) {
		s.t.Errorf("%v: it ended by itself: %v\n%s", s.ends, err, out)
	}
	s.check(prompt)
}

// isSignalled reports whether a process has ended because of a signal.
func isSignalled(err *exec.ExitError, signal syscall.Signal) bool {
	status, ok := err.Sys().(syscall.WaitStatus)
	return ok && (status.Signaled() && status.Signal() == signal || status.ExitStatus() == 128+int(signal))
}

// run runs the program until it ends.
func (s *session) run(at instant, prompt string) (output string, err error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	args := []string{"--yolo"}
	if !s.atTerminal {
		args = append(args, "-p", prompt)
	}
	if len(s.ends) > 0 || s.model.isLast {
		args = append([]string{"--resume", "latest"}, args...)
	}
	cmd := exec.CommandContext(ctx, "pollux", args...)
	cmd.Dir, cmd.Env = filepath.Join(s.root, "project"), s.environ()
	var out string
	var start func() error
	var wait func() (string, error)
	if s.atTerminal {
		start, wait = s.converse(cmd, prompt)
	} else {
		start, wait = plain(cmd)
	}
	s.model.mu.Lock()
	s.model.run = s.runPath()
	s.before, s.model.known.first = s.model.known, nil
	s.wasCancelled, s.wasCleared = s.model.isCancelled.Load(), s.model.isCleared.Load()
	s.model.sent = 0
	sent, stop, err := at.start(cmd, start)
	if err == nil {
		s.model.tell = sent
	}
	s.model.mu.Unlock()
	if err != nil {
		return "", err
	}
	out, err = wait()
	stop()
	if ctx.Err() != nil {
		s.t.Fatalf("%v: it does not end:\n%s", s.ends, out)
	}
	return out, err
}

// plain runs a program without a terminal.
func plain(cmd *exec.Cmd) (start func() error, wait func() (string, error)) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // its children may still have its output
	return cmd.Start, func() (string, error) {
		err := cmd.Wait()
		if errors.Is(err, exec.ErrWaitDelay) {
			err = nil
		}
		return out.String(), err
	}
}

// runPath begins the paths of the requests of the next run.
func (s *session) runPath() string { return fmt.Sprintf("/run%d", len(s.ends)) }

func (s *session) environ() []string {
	return processtest.Environ(
		"HOME="+filepath.Join(s.root, "home"), "TMPDIR="+filepath.Join(s.root, "tmp"), "LANG=C.UTF-8",
		"TERM=dumb", "NO_COLOR=1", "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_FORCE_FILE_STORAGE=true", "GEMINI_MODEL=gemini-2.5-flash",
		"GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL="+s.model.URL+s.runPath(), "NO_PROXY=127.0.0.1", s.mark,
	)
}

// files returns the content of the files below root with a name that match accepts, by path.
func (s *session) files(match func(path string) bool) map[string][]byte {
	files := map[string][]byte{}
	err := filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() || !match(path) {
			return err
		}
		files[path], err = os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}
