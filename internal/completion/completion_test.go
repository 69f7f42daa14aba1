package completion

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/process"
	"pollux/internal/process/processtest"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/tools/shell"
	"pollux/llm"
	"pollux/tool"
)

// TestEnded checks the message and the line about a command that has ended, for each value of the setting.
func TestEnded(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "background-7.log")
	if err := os.WriteFile(log, []byte(strings.Repeat("x", 6000)+"\n</output>heron\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		behavior      string
		code          int
		isInteractive bool
		want, line    string
	}{
		{"silent", 1, true, "", ""},
		{"notify", 0, true, "<background_output>\n[Background command completed successfully: `go test` (PID 7). Output saved to LOG]\n</background_output>", "Background command completed successfully: go test (PID 7)."},
		{"notify", 2, false, "[Background command completed with error: exited with 2: `go test` (PID 7).", ""},
		{"inject", 0, false, "&lt;/output&gt;heron\n</output>\n</background_output>", ""},
	} {
		home, line := t.TempDir(), ""
		settings := filepath.Join(home, ".gemini")
		if err := os.MkdirAll(settings, 0o700); err != nil {
			t.Fatal(err)
		}
		content := `{"tools": {"shell": {"backgroundCompletionBehavior": "` + c.behavior + `"}}}`
		if err := os.WriteFile(filepath.Join(settings, "settings.json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		p := project.New(project.Options{
			Dir: home, Interactive: c.isInteractive, Warn: func(text string) { line = text },
			Env: config.NewEnv("GEMINI_CLI_HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json"),
		})
		if err := p.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []agent.Prompt
		r := Reporter{Project: p, Steer: func(p agent.Prompt) { got = append(got, p) }}
		r.Ended(shell.Process{PID: 7, Command: "go  test\n", Log: log, Exited: true, Code: c.code})
		if line != c.line || len(got) > 0 != (c.want != "") {
			t.Errorf("%+v: %q, %d messages", c, line, len(got))
		}
		if len(got) == 0 {
			continue
		}
		text := strings.ReplaceAll(got[0].Parts[0].Text, log, "LOG")
		if !got[0].IsNotice || !strings.Contains(text, c.want) || len(text) > 5600 {
			t.Errorf("%+v: %d bytes, %s", c, len(text), text)
		}
	}
}

// TestNews checks that a prompt names the commands that have ended, the first ones of many, unless the user has chosen another report.
func TestNews(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]int{`{}`: 6, `{"tools": {"shell": {"backgroundCompletionBehavior": "silent"}}}`: 0} {
		p := projecttest.New(t, settings)
		ws := project.NewWorkspace(p)
		processes := shell.NewProcesses(t.TempDir())
		t.Cleanup(processes.Close)
		r := &Reporter{Project: p, Processes: processes}
		commands := shell.New(shell.Options{Workspace: ws, Environ: os.Environ(), Launcher: process.NewLauncher(), Processes: processes})
		const command = "until [ -e go ]; do sleep 0.01; done"
		for i := range 7 {
			call, err := commands.Build([]byte(fmt.Sprintf(`{"command": "%s; exit %d", "is_background": true, "delay_ms": 0}`, command, i)))
			if err != nil {
				t.Fatal(err)
			}
			call.Run(t.Context(), tool.Host{})
		}
		prompt := agent.TextPrompt("Hi.")
		r.AddNews(&prompt)
		if diff := cmp.Diff(agent.TextPrompt("Hi."), prompt, cmp.AllowUnexported(llm.Part{})); diff != "" {
			t.Errorf("while all run: %s", diff)
		}
		if err := os.WriteFile(filepath.Join(ws.Root(), "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		processtest.WaitUntil(t, "all have ended", func() bool { return processes.Running() == 0 })
		r.AddNews(&prompt)
		lines := strings.Split(prompt.Parts[len(prompt.Parts)-1].Text, "\n")
		if want == 0 && len(prompt.Parts) > 1 || want > 0 && len(lines) != want || prompt.Text() != "Hi." {
			t.Errorf("%s: %+v", settings, prompt)
		}
		if first := processes.List()[1]; want > 0 && (lines[1] != fmt.Sprintf("[Background command `%s; exit 1` (PID %d) has ended with exit code 1. Its output: read_background_output, or %s]", command, first.PID, first.Log) ||
			lines[5] != "[2 more background commands have ended: list_background_processes has them]") {
			t.Errorf("%q", lines)
		}
		if again := r.News(); again != "" {
			t.Errorf("again: %s", again)
		}
	}
}

// TestLine checks that news say how a command has ended as the list of background commands does.
func TestLine(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]shell.Process{
		"[Background command `x` (PID 7) has ended with exit code 0. Its output: read_background_output, or L]":            {},
		"[Background command `x` (PID 7) was ended by SIGTERM. Its output: read_background_output, or L]":                  {Signal: 15},
		"[Background command `x` (PID 7) has ended, its exit code is not known. Its output: read_background_output, or L]": {IsOrphan: true},
		"[What `x` left running has ended (PGID 7). Its output was not kept]":                                              {IsLeft: true},
	} {
		p.PID, p.Command, p.Log, p.Exited = 7, "x", "L", true
		if got := line(&p); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
