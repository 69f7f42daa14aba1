package template

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/extension"
	"pollux/internal/extension/install"
)

func TestTemplates(t *testing.T) {
	t.Parallel()
	want := []string{"custom-commands", "exclude-tools", "hooks", "mcp-server", "policies", "skills", "themes-example"}
	if diff := cmp.Diff(want, Names()); diff != "" {
		t.Error(diff)
	}
	for _, name := range append(Names(), "") {
		dir := filepath.Join(t.TempDir(), "my-extension")
		if err := Write(dir, name); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m, err := extension.ReadManifest(dir)
		if err != nil || m.Name != "my-extension" {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		report, err := install.Validate(dir)
		if err != nil || len(report.Errors)+len(report.Warnings) > 0 {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		if err := Write(dir, name); err == nil || !strings.HasPrefix(err.Error(), "path already exists") {
			t.Errorf("%s: written twice: %v", name, err)
		}
	}
	if err := Write(filepath.Join(t.TempDir(), "not a name"), "hooks"); err == nil || !strings.Contains(err.Error(), "invalid name") {
		t.Errorf("error %v", err)
	}
}

// The hook of the template prints valid output.
func TestHook(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("sh", "files/hooks/hooks/date.sh").Output()
	if err != nil {
		t.Skip("there is no shell:", err)
	}
	var answer struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if err := json.Unmarshal(out, &answer); err != nil || answer.HookSpecificOutput.AdditionalContext == "" {
		t.Errorf("%s: %v", out, err)
	}
}

// The server of the template answers.
func TestServer(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js")
	}
	cmd := exec.Command(node, "files/mcp-server/server.js")
	cmd.Env = append(os.Environ(), "DICE_SIDES=1")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"roll","arguments":{"count":3}}}
{"jsonrpc":"2.0","id":3,"method":"nothing"}
`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"name":"dice"`) || !strings.Contains(lines[1], `"text":"1, 1, 1"`) || !strings.Contains(lines[2], "-32601") {
		t.Errorf("answers %s", out)
	}
}
