package workspace_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"pollux/internal/mention"
	"pollux/internal/process/processtest"
	"pollux/internal/tools/file"
	"pollux/internal/tools/search"
	"pollux/internal/workspace"
	"pollux/tool"
)

// swap exchanges two names, as fast as it can, until the test is over. One of
// them is an honest file or directory, the other a link: code that checks a path
// and then uses it gets the first at the check and the second at the use.
func swap(t *testing.T, a, b string) {
	t.Helper()
	exchange := func() error { return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) }
	if err := exchange(); err != nil {
		t.Skip("this file system cannot exchange names:", err)
	}
	var over atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for !over.Load() {
			_ = exchange() // a tool may be making a name that is in the way
		}
	}()
	t.Cleanup(func() { over.Store(true); <-done })
}

const secret = "SECRET of the heron"

// TestSwap has the file tools work on a directory, and on a file, that turns into a link and
// back all the time: one that leads out of the workspace, and one that leads to a file that no
// file tool may access. Nothing may come from there or get there.
func TestSwap(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		forbidden string // directory, below the test's own
		file      bool   // the file is swapped, not the directory that it is in
	}{
		"directory, out":        {"out", false},
		"directory, repository": {"root/.git", false},
		"file, out":             {"out", true},
		"file, repository":      {"root/.git", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := realDir(t)
			forbidden := filepath.Join(dir, tc.forbidden)
			write(t, dir, map[string]string{
				"root/d/note.txt": "the heron\n", "root/d/deep/plain.txt": "the heron\n", "root/other.txt": "a heron\n", "root/.git/HEAD": "",
				tc.forbidden + "/note.txt": secret + "\n", tc.forbidden + "/vault.txt": secret + "\n", tc.forbidden + "/deep/plain.txt": secret + "\n",
			})
			before := state(t, forbidden)
			w, warnings := workspace.New(workspace.Options{Root: filepath.Join(dir, "root")})
			if len(warnings) > 0 {
				t.Fatal(warnings)
			}
			honest := filepath.Join(w.Root(), "d")
			link, target := filepath.Join(w.Root(), "l"), forbidden
			if tc.file {
				honest, link, target = honest+"/note.txt", honest+"/link.txt", forbidden+"/note.txt"
			}
			must(t, os.Symlink(target, link))
			swap(t, honest, link)
			rounds := 40
			if tc.file {
				rounds = 12 // most calls succeed, and writing takes its time
			}
			if !processtest.IsLong() {
				rounds /= 4
			}
			worked := map[string]int{}
			for round := range rounds {
				for what, call := range attempts(t, w, round) {
					text, ok := call()
					if ok {
						worked[what]++
					}
					if strings.Contains(text, "SECRET") || strings.Contains(text, "vault") {
						t.Errorf("%s let out: %.300s", what, text)
					}
				}
			}
			if after := state(t, forbidden); after != before {
				t.Errorf("something got in: before\n%s\nafter\n%s", before, after)
			}
			t.Logf("of %d calls each these met an honest path: %v", rounds, worked)
		})
	}
}

// attempts are the calls that must not be led astray. They return the result for the model, and
// whether the call succeeded.
func attempts(t *testing.T, w *workspace.Workspace, round int) map[string]func() (string, bool) {
	calls := map[string]func() (string, bool){
		"mention":           func() (string, bool) { return expand(t, w, "see @d/note.txt") },
		"mention directory": func() (string, bool) { return expand(t, w, "see @d") },
		"mention piece":     func() (string, bool) { return expand(t, w, "see @plain.tx") },
	}
	type args = map[string]any
	add := func(what string, tl tool.Tool, a args) {
		calls[what] = func() (string, bool) { return runTool(t, tl, a) }
	}
	add("read_file", file.NewReadFile(w, nil), args{"file_path": "d/note.txt"})
	add("write_file", file.NewWrite(w, nil, nil), args{"file_path": "d/note.txt", "content": "the heron\n"})
	add("write_file new", file.NewWrite(w, nil, nil), args{"file_path": fmt.Sprintf("d/new%d/x.txt", round), "content": "mine"})
	add("replace", file.NewReplace(w, nil, nil, file.EditObserver{}), args{"file_path": "d/note.txt", "instruction": "i", "old_string": "the heron", "new_string": "the other heron"})
	add("list_directory", file.NewList(w), args{"dir_path": "d"})
	add("glob", search.NewGlob(w), args{"pattern": "**/*"})
	add("glob directory", search.NewGlob(w), args{"pattern": "*", "dir_path": "d"})
	rg, err := exec.LookPath("rg")
	for engine, program := range map[string]string{"here": "", "ripgrep": rg} {
		if engine == "ripgrep" && (err != nil || round%4 != 0) {
			continue // it is a process each time
		}
		tl := search.NewGrep(w, search.GrepOptions{Ripgrep: func() string { return program }})
		add("grep "+engine, tl, args{"pattern": "heron"})
		add("grep directory "+engine, tl, args{"pattern": "heron", "dir_path": "d", "context": 0})
		add("grep file "+engine, tl, args{"pattern": "heron", "dir_path": "d/note.txt"})
		add("grep names "+engine, tl, args{"pattern": "SECRET", "names_only": true, "total_max_matches": 5})
	}
	return calls
}

func runTool(t *testing.T, tl tool.Tool, args map[string]any) (string, bool) {
	t.Helper()
	raw, err := json.Marshal(args)
	must(t, err)
	call, err := tool.Build(tl, raw)
	if err != nil {
		return "", false
	}
	r := call.Run(t.Context(), tool.Host{})
	return strings.ReplaceAll(text(t, r), `"SECRET"`, ""), r.Error == nil // the pattern is repeated
}

func expand(t *testing.T, w *workspace.Workspace, prompt string) (string, bool) {
	t.Helper()
	e, err := mention.Expand(t.Context(), w, prompt, func() int { return 0 }, mention.Known{})
	return text(t, e.Parts), err == nil && len(e.Files) > 0
}

// text is all that is in v.
func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	must(t, err)
	return strings.ReplaceAll(string(raw), `\"`, `"`)
}

// state describes the content of a directory.
func state(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			fmt.Fprintln(&b, path)
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s: %q\n", path, data)
		return err
	}))
	return b.String()
}
