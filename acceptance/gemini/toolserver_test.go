//go:build unix

package gemini

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// toolServerScene lets Gemini CLI use the tools of pollux mcp serve. The server may write files, and no one
// is there to approve a command.
const toolServerScene = `turn
  expect tool mcp_pollux_read_file
  expect tool mcp_pollux_write_file
  expect not tool mcp_pollux_ask_user
  call mcp_pollux_read_file {"file_path": "in.txt"}
  call mcp_pollux_write_file {"file_path": "out.txt", "content": "written"}
  call mcp_pollux_run_shell_command {"command": "rm in.txt"}
turn
  expect anywhere the words of the file
  expect anywhere Not run: this call needs the user's approval
  text done
`

// TestGeminiUsesToolServer has Gemini CLI as the client of pollux mcp serve.
func TestGeminiUsesToolServer(t *testing.T) {
	t.Parallel()
	command := peer(t)
	program, err := exec.LookPath("pollux")
	if err != nil {
		t.Fatal(err)
	}
	g := set(t, &scene{
		model: toolServerScene,
		files: map[string]string{"work/in.txt": "the words of the file\n"},
		settings: map[string]any{"mcpServers": map[string]any{"pollux": map[string]any{
			"command": program, "args": []string{"mcp", "serve", "--approval-mode", "auto_edit", "--skip-trust"}, "trust": true,
		}}},
	}, "a")
	got := g.play(t, command, run{args: "-o json -y -p go"})
	var answer struct{ Response string }
	if err := json.Unmarshal([]byte(got.out[max(0, strings.IndexByte(got.out, '{')):]), &answer); err != nil || got.exit != 0 || answer.Response != "done" {
		t.Errorf("exit %d\n%s\n%s", got.exit, got.out, got.stderr)
	}
	if text, err := os.ReadFile(filepath.Join(g.work, "out.txt")); err != nil || string(text) != "written" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(g.work, "in.txt")); err != nil {
		t.Error("a call without approval ran")
	}
	if err := g.server.Check(); err != nil {
		t.Error(err)
	}
}
