package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/crash"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/llm"
)

// fail panics in the middle of a prompt.
func fail(req request) error {
	req.Program.Recent.Record(records.SessionBegan{ID: req.Session.SessionID})
	req.Program.Recent.Record(records.PromptBegan{Prompt: agent.Prompt{Parts: []llm.Part{llm.Text("abc")}}})
	return errors.New(make([]string, 1)[len(req.Query)+1])
}

// failAside panics in n other goroutines.
func failAside(req request, n int) error {
	for range n {
		go func() {
			defer crash.Recover()
			_ = fail(req)
		}()
	}
	select {}
}

// failInFolder panics with a secret that only the .env file of a project has.
func failInFolder(ctx context.Context, req request, password string) error {
	p := project.New(project.Options{Dir: req.Session.Project.Dir, Env: req.Session.Project.Env, Folder: trust.Trusted})
	if err := os.WriteFile(filepath.Join(req.Session.Project.Dir, ".env"), []byte("DB_PASSWORD="+password), 0o600); err != nil {
		return err
	}
	if err := p.Load(ctx); err != nil {
		return err
	}
	p.ReadEnv()
	req.Program.Project.Store(p)
	panic("cannot use " + password)
}

// TestCrash checks the output of a panic: one line, an exit code, a report.
func TestCrash(t *testing.T) {
	t.Parallel()
	const cause = `runtime error: index out of range \[2\] with length 1`
	const report = `~/\.gemini/tmp/cli/logs/session-s-1\.crash\.txt`
	for _, tt := range []struct {
		mode, format string
		stderr       string // regular expression
		inReport     []string
	}{
		{"panic", "text", `Pollux stopped because of a bug: ` + cause + `\. Report: ` + report + `\nTo go on: pollux --resume latest\n`, []string{
			`(?m)^Cause:    ` + cause + `$`, `(?m)^  \S+ \S+ INFO prompt in=3$`, `(?m)^pollux/internal/cli\.fail\(\.\.\.\)$`,
		}},
		{"panic", "json", `\{\n  "session_id": "s-1",\n  "error": \{\n    "type": "Error",\n(.|\n)*Pollux stopped(.|\n)*`, nil},
		{"panic aside", "text", `Pollux stopped because of a bug: ` + cause + `\. Report: ` + report + `\nTo go on: pollux --resume latest\n`, []string{`cli\.failAside\.`}},
		{"panics aside", "text", `Pollux stopped because of a bug: ` + cause + `\. Report: ` + report + `\nTo go on: pollux --resume latest\n`, nil},
		{"panic unasked", "text", `Pollux stopped because of a bug: \[REDACTED\] \[REDACTED\]\. Report: ~/\S+/session-none\.crash\.txt\n`, []string{`(?m)^Session:  none$`}},
		{"panic in folder", "text", `Pollux stopped because of a bug: cannot use \[REDACTED\]\. Report: \S+\n`, []string{`(?m)^Cause:    cannot use \[REDACTED\]$`}},
	} {
		t.Run(tt.mode+" "+tt.format, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			cmd := exec.Command(os.Args[0], "-p", "x", "-o", tt.format, "--session-id", "s-1")
			if strings.Contains(tt.mode, "folder") {
				cmd.Dir = t.TempDir()
			}
			cmd.Env = append(os.Environ(), "CLI_TEST_CHILD="+tt.mode, "HOME="+home, "MY_PASSWORD=hunter22", "GEMINI_CLI_HOME=")
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if code := codeOf(cmd.Run()); code != 1 {
				t.Errorf("the exit code is %d", code)
			}
			if !regexp.MustCompile(`^` + tt.stderr + `$`).MatchString(stderr.String()) {
				t.Errorf("stderr is %s", stderr.String())
			}
			found, _ := filepath.Glob(filepath.Join(home, ".gemini/tmp/*/logs/session-*.crash.txt"))
			if len(found) != 1 {
				t.Fatalf("the reports are %v", found)
			}
			text, err := os.ReadFile(found[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.inReport {
				if !regexp.MustCompile(want).Match(text) {
					t.Errorf("the report lacks %s:\n%s", want, text)
				}
			}
			if all := stdout.String() + stderr.String() + string(text); strings.Contains(all, "hunter") || strings.Contains(all, "(0x") {
				t.Errorf("there is a secret, or an argument of a function, in %s", all)
			}
		})
	}
}

// Where no report can be written, the user gets the reason.
func TestCrashWithoutHome(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-p", "x")
	cmd.Env = append(os.Environ(), "CLI_TEST_CHILD=panic", "HOME="+filepath.Join(t.TempDir(), "none"), "GEMINI_CLI_HOME=")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if code := codeOf(cmd.Run()); code != 1 || !strings.Contains(stderr.String(), "with length 1. The report cannot be written: no such file or directory.\n") {
		t.Errorf("exit code %d, stderr is %s", code, stderr.String())
	}
}
