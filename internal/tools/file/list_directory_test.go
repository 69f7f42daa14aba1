package file

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/tool"
)

func TestList(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{
		"b.txt": "123", "A.txt": "", "a.txt": "", "_x": "", "10": "", "2": "", ".hidden": "", "sub/x": "", "Zdir/x": "",
		".git/HEAD": "", ".gitignore": "*.log\n", "x.log": "", "only/x.log": "", "skip.me": "",
	})
	if err := os.Mkdir(filepath.Join(w.Root(), "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(w.Root(), "dangling")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	list := NewList(w)
	r := run(t, list, args{"dir_path": ".", "ignore": []string{"*.me", "?"}})
	wantText(t, r, "Directory listing for "+w.Root()+":\n"+
		"[DIR] empty\n[DIR] only\n[DIR] sub\n[DIR] Zdir\n_x (0 bytes)\n.gitignore (6 bytes)\n.hidden (0 bytes)\n10 (0 bytes)\n"+
		"a.txt (0 bytes)\nA.txt (0 bytes)\nb.txt (3 bytes)\ndangling (broken link)\n\n(2 ignored)")
	if r.Summary != "Found 12 item(s). (2 ignored)" {
		t.Errorf("summary = %q", r.Summary)
	}
	wantText(t, run(t, list, args{"dir_path": "empty"}), "Directory "+filepath.Join(w.Root(), "empty")+" is empty.")
	wantText(t, run(t, list, args{"dir_path": "only"}), "Directory listing for "+filepath.Join(w.Root(), "only")+":\n\n\n(1 ignored)")
	wantText(t, run(t, list, args{"dir_path": "only", "file_filtering_options": map[string]bool{"respect_git_ignore": false}}),
		"Directory listing for "+filepath.Join(w.Root(), "only")+":\nx.log (0 bytes)")
	wantError(t, run(t, list, args{"dir_path": "a.txt"}), tool.ErrPathIsNotDirectory, "Error: Path is not a directory: "+filepath.Join(w.Root(), "a.txt"))
	none := filepath.Join(w.Root(), "none")
	wantError(t, run(t, list, args{"dir_path": "none"}), tool.ErrList, "Error listing directory: "+none+" does not exist")
}

// The list omits files that no file tool may access; links out of the workspace count as
// ignored, and so do files that both the rules and the call leave out.
func TestListGuarded(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{
		"a": "", ".env": "S=1", ".env.local": "", "node_modules/x": "", "gha-creds-1.json": "", "new\nline": "", "x.log": "", ".gitignore": "*.log",
		".git/HEAD": "",
	})
	for name, target := range map[string]string{"out": os.TempDir(), "secret": ".env", "in": "a"} {
		if err := os.Symlink(target, filepath.Join(w.Root(), name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	list := NewList(w)
	header := "Directory listing for " + w.Root() + ":\n"
	wantText(t, run(t, list, args{"dir_path": "."}),
		header+".env.local (0 bytes)\n.gitignore (5 bytes)\na (0 bytes)\nin (0 bytes)\n\n(3 ignored)")
	wantText(t, run(t, list, args{"dir_path": ".", "ignore": []string{"*"}}), header+"\n\n(3 ignored)")
	wantText(t, run(t, list, args{"dir_path": ".", "ignore": []string{"*"}, "file_filtering_options": map[string]bool{"respect_git_ignore": false}}),
		header+"\n\n(1 ignored)")
}

func TestListVanished(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"dir/x": ""})
	call := build(t, NewList(w), args{"dir_path": "dir"})
	if err := os.RemoveAll(filepath.Join(w.Root(), "dir")); err != nil {
		t.Fatal(err)
	}
	wantError(t, call.Run(t.Context(), tool.Host{}), tool.ErrList, "Error listing directory: "+filepath.Join(w.Root(), "dir")+" does not exist")
}

func TestWildcard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "abc", true},
		{"a*c", "abbc", true},
		{"a*c", "abcd", false},
		{"?", "ü", true},
		{"?", "", false},
		{"*.go", "x.go", true},
		{"*.go", "x.gox", false},
		{"a**b", "ab", true},
		{"[a]", "a", false},
		{"[a]", "[a]", true},
		{"*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	} {
		if got := wildcard(c.pattern, c.name); got != c.want {
			t.Errorf("wildcard(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}
