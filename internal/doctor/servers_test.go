package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/project"
)

// The doctor names servers and the obstacles to them, starts none, and leaves out values that may be secret.
func TestServers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(".gemini/settings.json", `{"mcpServers": {
		"files": {"command": "sh", "args": ["-c", "touch started", "--key=s3cret"]},
		"docs": {"url": "https://me:s3cret@docs.example/mcp?key=s3cret"},
		"gone": {"command": "no-such-program-here"},
		"old": {"command": "sh"},
		"off": {"command": "sh"},
		"odd": {"command": ["x"]}}, "mcp": {"excluded": ["old"]}}`)
	env := testEnv(t, "PATH="+os.Getenv("PATH"))
	set := project.New(project.Options{Dir: dir, Env: env})
	if err := set.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := set.ServerSwitches().Set("off", false); err != nil {
		t.Fatal(err)
	}
	x := &examination{Report: &Report{}}
	x.set = set
	var got []string
	for _, c := range x.checkServers().Checks {
		got = append(got, strings.TrimSpace(string(c.Verdict)+" "+c.Text+" | "+c.Next))
	}
	want := []string{
		`warning Ignoring MCP server "odd": command must be a string. | change mcpServers in your settings`,
		"ok docs, a service at docs.example. To test it, run: pollux mcp test docs |",
		"ok files, the program sh. To test it, run: pollux mcp test files |",
		"warning gone, the program no-such-program-here, whose program is not installed | install it, or run: pollux mcp remove gone",
		"note off, the program sh, which you have disabled | to use it, run: pollux mcp enable off",
		"note old, the program sh, which mcp.allowed or mcp.excluded blocks | to use it, change these settings",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
		t.Error("a server was started")
	}
}
