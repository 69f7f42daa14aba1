package prompt_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/prompt"
)

var update = flag.Bool("update", false, "write the golden files")

// The golden files are what the model reads: a change of a word shows in review.
func TestGolden(t *testing.T) {
	t.Parallel()
	all := []string{"list_directory", "read_file", "grep_search", "glob", "replace", "write_file", "run_shell_command"}
	texts := map[string]string{
		"interactive": prompt.System{Interactive: true, Mode: "default", Tools: all, Git: true}.Text(),
		"headless":    prompt.System{Mode: "default", Tools: all[:4], Git: true}.Text(),
		"plan":        prompt.System{Interactive: true, Mode: "plan", Tools: all}.Text(),
		"no_tools":    prompt.System{Mode: "yolo"}.Text(),
		"context": prompt.Context{
			Now: time.Date(2026, time.March, 7, 0, 0, 0, 0, time.UTC), OS: "linux", TempDir: "/home/u/.gemini/tmp/p",
			Dirs: []string{"/p", "/q"}, Tree: "Showing up to 200 items (files + folders).\n\n/p/\n└───main.go", Memory: "Be kind.",
		}.Message().Content.Text(),
		"context_bare": prompt.Context{Now: time.Date(2026, time.March, 7, 0, 0, 0, 0, time.UTC), OS: "darwin", TempDir: "/t"}.Message().Content.Text(),
	}
	for name, got := range texts {
		file := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A prompt names no tool that the model does not have.
func TestOnlyKnownTools(t *testing.T) {
	t.Parallel()
	text := prompt.System{Mode: "default", Tools: []string{"read_file"}, Git: true}.Text()
	for _, name := range []string{"grep_search", "glob", "replace", "write_file", "run_shell_command"} {
		if strings.Contains(text, name) {
			t.Errorf("the prompt speaks of %s", name)
		}
	}
}

// The id is what Gemini CLI gives the same message, by which both leave it out
// of a session's list of prompts.
func TestContextID(t *testing.T) {
	t.Parallel()
	if id := (prompt.Context{}).Message().ID; !strings.HasPrefix(id, "d04923d3") {
		t.Errorf("id = %s", id)
	}
}
