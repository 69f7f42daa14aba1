package search

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"pollux/internal/workspace"
)

// TestRipgrepTakesOurFlags keeps the other tests honest: a ripgrep that fails
// is replaced by our own engine, and nobody would notice.
func TestRipgrepTakesOurFlags(t *testing.T) {
	t.Parallel()
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("no rg on PATH")
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
			files, err := inv.(*grepCall).query.searchRipgrep(t.Context(), rg)
			if err != nil || len(files) != 1 || len(files[0].hits) != 1 {
				t.Errorf("%s: found %v, %v", args, files, err)
			}
		}
	}
}
