//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package tui

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/question"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/scriptmodel/scripttest"
	"pollux/internal/session"
	"pollux/internal/terminal"
	"pollux/llm"
)

// TestEarlyShell runs a command that was typed before the session is open, while the loop of the face has not heard yet that
// it is: the command has a terminal.
func TestEarlyShell(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, home := filepath.Join(dir, "work"), filepath.Join(dir, "home")
	settings := `{"tools": {"sandbox": false}}`
	if err := errors.Join(os.MkdirAll(filepath.Join(home, ".gemini"), 0o700), os.Mkdir(work, 0o700), os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), []byte(settings), 0o600)); err != nil {
		t.Fatal(err)
	}
	env := config.NewEnv("HOME="+home, "PATH="+os.Getenv("PATH"), "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json", "GEMINI_CLI_TRUST_WORKSPACE=true")
	f := New(Options{
		Terminal: &terminal.Terminal{}, Getenv: func(string) string { return "" }, GOOS: "linux", First: "!test -t 0 && test -t 1 && echo it 'has' one",
		Session: session.Options{Project: project.Options{Dir: work, Env: env}, Generator: scripttest.Gemini(t, "turn\n  times always\n  text Unused.\n")},
	})
	f.opened = make(chan *view, 1)
	defer f.driver.Close()
	ended := make(chan error)
	go func() { ended <- f.driver.Run(t.Context()) }()
	hasTerminal := false
	for e := range f.driver.Events() {
		ran, _ := e.(kit.ShellRan)
		if done, ok := ran.Event.(agent.ToolFinished); ok {
			hasTerminal = strings.Contains(llm.PartsText(done.Result.Content), "it has one")
			f.driver.Leave(nil)
		}
	}
	if err := <-ended; err != nil || !hasTerminal {
		t.Errorf("the command has a terminal: %v, %v", hasTerminal, err)
	}
}

// TestQuestionAfterCommand checks that a question which opened while a command had the keyboard begins its pause when the command has ended, and not
// with the last key for the command: a late Enter for the command is no answer.
func TestQuestionAfterCommand(t *testing.T) {
	t.Parallel()
	l, person := newTestLoop(t)
	go func() { _, _ = io.Copy(io.Discard, person) }()
	p, err := process.Launcher{}.Start(t.Context(), &process.Command{Path: "/bin/cat"})
	if err != nil {
		t.Fatal(err)
	}
	command := l.shells.Open("cat")
	command.Started(p)
	if !l.shells.Focus() {
		t.Fatal("the command does not get the keyboard")
	}
	now := time.Now()
	draw := func(after time.Duration) {
		now = now.Add(after)
		l.display.Change()
		if l.draw(now); l.display.IsBusy() {
			<-l.display.Written()
			l.display.Done()
			l.shown(now)
		}
	}
	answers := func(after time.Duration) bool {
		now = now.Add(after)
		_, isAnswered := l.dialog.Handle(keys.Key{Chord: keys.Chord{Code: keys.Enter}, At: now}, l.view.bindings).(question.Answered)
		return isAnswered
	}
	l.dialog = question.Open(&kit.Question{Prompt: "Go on?", Options: []kit.Option{{Label: "Yes"}}}, l.view.bindings, "", question.Pause)
	draw(0)
	command.Close()
	_, _ = p.Wait()
	if answers(time.Minute) {
		t.Error("Enter answers before a frame in which the question has the keyboard")
	}
	draw(time.Second)
	if answers(question.Pause - 1) {
		t.Error("Enter answers in the pause")
	}
	if !answers(question.Pause) {
		t.Error("Enter does not answer after the pause")
	}
}
