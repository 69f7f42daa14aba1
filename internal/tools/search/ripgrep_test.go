package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pollux/internal/process"
	"pollux/internal/workspace"
	"pollux/tool"
)

// TestRipgrepTakesOurFlags checks that ripgrep itself runs. The other tests would pass without
// it, because the engine in this process replaces a ripgrep that fails.
func TestRipgrepTakesOurFlags(t *testing.T) {
	t.Parallel()
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("NOT TESTED: rg is not installed")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a dunlin\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, git := range []bool{true, false} {
		w, _ := workspace.New(workspace.Options{Root: dir, GitIgnore: git})
		for _, args := range []string{
			`{"pattern":"dunlin"}`,
			`{"pattern":"\\bDUNLIN\\b\\B?|\\w{3}[^\\]\\-&~-]\\s\\/","include_pattern":"*.{txt,md}"}`,
			`{"pattern":"(?<name>d)un|\\p{L}lin|[[:alpha:]]$","case_sensitive":true,"no_ignore":true,"max_matches_per_file":3}`,
			`{"pattern":" du","fixed_strings":true,"exclude_pattern":"x","dir_path":"a.txt"}`,
			`{"pattern":"a*?"}`,
			`{"pattern":"[^\\x00-\\x7f]*[\u0430-\u044f]?.(?i:D)"}`,
		} {
			inv, err := NewGrep(w, GrepOptions{}).Build([]byte(args))
			if err != nil {
				t.Fatal(err)
			}
			found, err := inv.(*grepCall).query.searchRipgrep(t.Context(), process.Launcher{}, rg)
			if err != nil || len(found.files) != 1 || len(found.files[0].hits) != 1 {
				t.Errorf("%s: found %v, %v", args, found, err)
			}
		}
	}
}

// TestLauncher checks that the engine in this process runs the search if the launcher refuses
// to start ripgrep.
func TestLauncher(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a dunlin\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, _ := workspace.New(workspace.Options{Root: dir, GitIgnore: true})
	var asked []string
	launcher := process.NewLauncher(func(process.Handler) process.Handler {
		return func(_ context.Context, c *process.Command) (*process.Process, error) {
			asked = append(asked, c.Path, c.Dir)
			return nil, errors.New("refused")
		}
	})
	inv, err := NewGrep(w, GrepOptions{Ripgrep: func() string { return "/usr/bin/rg" }, Launcher: launcher}).Build([]byte(`{"pattern":"dunlin"}`))
	if err != nil {
		t.Fatal(err)
	}
	r := inv.Run(t.Context(), tool.Host{})
	if r.Error != nil || !strings.Contains(r.Content[0].Text, "a dunlin") {
		t.Errorf("%+v", r)
	}
	if !slices.Equal(asked, []string{"/usr/bin/rg", dir}) {
		t.Errorf("asked to run %q", asked)
	}
}

// TestSearchesAreLimited checks the limits on matches and time, on each engine.
func TestSearchesAreLimited(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 200 {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".txt"), []byte(strings.Repeat("a dunlin\n", 1000)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, _ := workspace.New(workspace.Options{Root: dir})
	programs := []string{""}
	if rg, err := exec.LookPath("rg"); err == nil {
		programs = append(programs, rg)
	}
	for _, program := range programs {
		tl := NewGrep(w, GrepOptions{Ripgrep: func() string { return program }}).(*grepTool)
		call := func() *tool.Result {
			inv, err := tl.Build([]byte(`{"pattern":"dunlin","total_max_matches":1500,"context":0}`))
			if err != nil {
				t.Fatal(err)
			}
			return inv.Run(t.Context(), tool.Host{})
		}
		res := call()
		text := ""
		if res.Error == nil {
			text = res.Content[0].Text
		}
		if !strings.HasPrefix(text, "Found at least ") || strings.Count(text, "\nL") != 1500 || !strings.Contains(text, ` for pattern "dunlin" in path "." (1500 shown):`) ||
			!strings.Contains(text, " of 1000 matches)") || !strings.HasSuffix(text, "\nNot shown: at least "+strconv.Itoa(counted(text)-1500)+" matches. The search stopped early: other files may have matches too. To see them, narrow the search with a more precise pattern, exclude_pattern, dir_path or include_pattern, or raise total_max_matches.") {
			t.Errorf("%q: got %.200s ... %s", program, text, text[max(0, len(text)-300):])
		}
		tl.o.Timeout = 1
		res = call()
		if want := "Error during grep search operation: Operation timed out after 0ms. "; res.Error == nil || !strings.HasPrefix(res.Error.Message, want) {
			t.Errorf("%q: got %.200v", program, res)
		}
	}
}

// counted returns the number of matches that a result reports.
func counted(text string) int {
	n := 0
	_, _ = fmt.Sscanf(text, "Found at least %d matches", &n) // 0 fails the test
	return n
}
