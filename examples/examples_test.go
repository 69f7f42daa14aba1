// Package examples tests the programs of its subdirectories.
package examples

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// TestRun runs each program in a directory with one file, with a model on loopback that plays a script.
func TestRun(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", bin+string(filepath.Separator), "./...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	tests := map[string]struct {
		script, input, want string
		args                []string
		status              int
	}{
		"tool": {
			script: `
turn
  expect tool opening_hours
  call opening_hours {"days": ["sat", "sun"], "shop": "Bremen"}
turn
  expect result opening_hours_1 "sat: 10:00-14:00\nsun: closed"
  text Yes, on Saturday.
`,
			want: "[opening_hours {\"days\":[\"sat\",\"sun\"],\"shop\":\"Bremen\"}: success]\nYes, on Saturday.\n",
		},
		"face": {
			script: `
turn
  expect prompt Write a note.
  call write_file {"file_path": "note.txt", "content": "milk\n"}
turn
  expect result write_file_1 note.txt
  text Done.
turn
  expect prompt Remove it.
  call run_shell_command {"command": "rm note.txt"}
turn
  expect prompt Thanks.
  text You are welcome.
`,
			input: "Write a note.\ny\nRemove it.\nn\nThanks.\n",
			want:  "+milk\nMake this change? [y/n] [write_file: success]\nDone.\n> \nRun rm note.txt? [y/n] [run_shell_command: cancelled]\n> You are welcome.\n> ",
		},
		"bot": {
			script: `
turn
  expect prompt I am in Bremen.
  text Noted.
turn
  expect prompt Hello.
  expect not anywhere Bremen
  text Hello, Bob.
turn
  expect anywhere I am in Bremen.
  expect prompt Where am I?
  text In Bremen.
`,
			input: "ann: I am in Bremen.\nbob: Hello.\nann: Where am I?\n",
			want:  "@ann Noted.\n@bob Hello, Bob.\n@ann In Bremen.\n",
		},
		"ci": {
			script: `
turn
  expect prompt os.Remove(path) // @read.me
  expect tool report_finding
  call report_finding {"file": "a.go", "line": 3, "problem": "The error is lost."}
turn
  expect result report_finding_1 Reported.
  text One finding.
`,
			input:  "--- a/a.go\n+++ b/a.go\n@@ -3 +3 @@\n+\tos.Remove(path) // @read.me\n",
			want:   "a.go:3: The error is lost.\n",
			status: 1,
		},
		"server": {
			script: "turn\n  times 20\n  text Hello.\n",
			args:   []string{"-load", "20"},
			want:   "20 idle sessions",
		},
		"provider": {want: "The listing has 2 lines.\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, filepath.Join(bin, name), tt.args...)
			cmd.Dir = t.TempDir()
			if err := os.WriteFile(filepath.Join(cmd.Dir, "read.me"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			cmd.Stdin = strings.NewReader(tt.input)
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
			check := func() error { return nil }
			if tt.script != "" {
				server := scripttest.Serve(t, tt.script, scriptmodel.Options{})
				check = server.Check
				cmd.Env = append(cmd.Env, "GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL="+server.URL())
			}
			out, err := cmd.CombinedOutput()
			if status := cmd.ProcessState.ExitCode(); status != tt.status {
				t.Errorf("%v", err)
			}
			if err := check(); err != nil {
				t.Error(err)
			}
			if !strings.Contains(string(out), tt.want) {
				t.Errorf("it prints\n%s\nwant\n%s", out, tt.want)
			}
		})
	}
	programs, err := filepath.Glob("*/main.go")
	if err != nil || len(programs) != len(tests) {
		t.Errorf("%d programs and %d tests: %v", len(programs), len(tests), err)
	}
}

// TestImport runs the commands of docs/library.md in an empty directory, without a network.
func TestImport(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "library.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "## Import it\n")
	_, rest, _ = strings.Cut(rest, "```sh\n")
	commands, _, ok := strings.Cut(rest, "```\n")
	if !ok || !strings.Contains(commands, "-replace") {
		t.Fatalf("the page has no commands: %q", commands)
	}
	// The commands use the program built in this directory again.
	cmd := exec.Command("sh", "-e", "-c", strings.ReplaceAll(commands, "../pollux", root))
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GOPROXY=off", "GOSUMDB=off", "GEMINI_CLI_HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "GOPROXY=off") {
		t.Skipf("a module that only other modules need is not on this machine: %s", out)
	}
	if err != nil || !strings.Contains(string(out), "The listing has ") {
		t.Errorf("%v\n%s", err, out)
	}
}
