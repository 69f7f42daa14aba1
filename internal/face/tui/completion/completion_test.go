package completion_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/completion/commands"
	"pollux/internal/face/tui/completion/files"
	"pollux/internal/face/tui/completion/shell"
	"pollux/internal/workspace"
)

// TestSources checks which of all sources answers a request.
func TestSources(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "main.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w, _ := workspace.New(workspace.Options{Root: root})
	e := completion.NewEngine(
		shell.New(shell.Options{Dir: root, Now: time.Now}),
		&commands.Source{Commands: (&commands.Table{}).Commands},
		files.New(files.Options{Workspace: w, Now: time.Now}),
	)
	defer e.Close()
	for _, c := range []struct {
		text    string
		isShell bool
		want    string
	}{
		{"/quit", false, "quit "},
		{"/plan @mai", false, "@main.go "},
		{"see @mai", false, "@main.go "},
		{"/nothing", false, ""},
		{"cat mai", true, "main.go "},
		{"cat @mai", true, ""},
		{"text", false, ""},
	} {
		e.Ask(completion.Request{Text: c.text, Cursor: len(c.text), IsShell: c.isShell})
		got := ""
		if r := <-e.Found(); len(r.Suggestions) > 0 {
			got = r.Suggestions[0].Insert
		}
		if got != c.want {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}
