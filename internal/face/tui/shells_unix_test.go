//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package tui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/kit"
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
