//go:build unix

package disasters

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/undo/undotest"
)

// agent is a terminal agent, and the way to run it without a person.
type agent struct {
	name string
	pkg  string // on npm; "" is none
	// undo describes how its own undo is used here, for the documentation.
	undo string
	// shell is a call of its shell tool, and write are the calls that write a file.
	shell func(command string) call
	write func(path, text string) []call
	// play starts the agent with a model at a URL, lets it run the calls, and applies its undo. between is called before the undo.
	play func(t *testing.T, p *project, url string, between func()) error
}

// calls are the tool calls of a disaster.
func (a *agent) calls(p *project, d undotest.Disaster) []call {
	if d.File == "" {
		return []call{a.shell(d.Script)}
	}
	return a.write(filepath.Join(p.dir, d.File), d.Text)
}

// prompt is the user's prompt.
const prompt = "Clean up."

func put(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

var pollux = agent{
	name: "Pollux", undo: "`pollux undo`",
	shell: func(command string) call { return call{name: "run_shell_command", args: object{"command": command}} },
	write: func(path, text string) []call {
		return []call{{name: "write_file", args: object{"file_path": path, "content": text}}}
	},
	play: func(t *testing.T, p *project, url string, between func()) error {
		env := []string{
			"GEMINI_API_KEY=key", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_MODEL=gemini-2.5-flash", "GEMINI_CLI_TRUST_WORKSPACE=true",
			"GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(p.home, "none"),
		}
		if _, err := p.run(t, []string{"pollux", "--yolo", "-p", prompt}, env...); err != nil {
			return err
		}
		between()
		_, err := p.run(t, []string{"pollux", "undo"}, env...)
		return err
	},
}

var claude = agent{
	name: "Claude Code", pkg: "@anthropic-ai/claude-code-linux-x64", undo: "`claude --resume SESSION --rewind-files MESSAGE`, with file checkpointing on",
	shell: func(command string) call {
		return call{name: "Bash", args: object{"command": command, "description": "Clean up"}}
	},
	write: func(path, text string) []call { // it writes only files that it has read
		return []call{{name: "Read", args: object{"file_path": path}}, {name: "Write", args: object{"file_path": path, "content": text}}}
	},
	play: playClaude,
}

func playClaude(t *testing.T, p *project, url string, between func()) error {
	const session = "11111111-2222-4333-8444-555555555555"
	claude := binary(t, "@anthropic-ai/claude-code-linux-x64", "claude")
	env := []string{
		"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=key", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=1", "IS_SANDBOX=1", // it runs as root only in a sandbox
	}
	if _, err := p.run(t, []string{claude, "-p", "--session-id", session, "--dangerously-skip-permissions", prompt}, env...); err != nil {
		return err
	}
	between()
	files, err := filepath.Glob(filepath.Join(p.home, ".claude", "projects", "*", session+".jsonl"))
	if err != nil || len(files) != 1 {
		return fmt.Errorf("transcripts %v: %w", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		var entry struct{ Type, UUID string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Type == "user" {
			_, err := p.run(t, []string{claude, "-p", "--resume", session, "--rewind-files", entry.UUID}, env...)
			return err
		}
	}
	return fmt.Errorf("the transcript has no prompt:\n%s", data)
}
