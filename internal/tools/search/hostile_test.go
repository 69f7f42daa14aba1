//go:build unix

package search_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pollux/internal/tools/search"
	"pollux/internal/workspace"
	"pollux/tool"
)

// TestGrepStrangeFiles searches files that block, that are endless, or whose names look like
// flags.
func TestGrepStrangeFiles(t *testing.T) {
	t.Parallel()
	w := space(t, map[string]string{
		"-e.txt": "curlew\n", "--help": "curlew\n", "a\nb.txt": "curlew\n", "\xff.txt": "curlew\n", "$(id).txt": "curlew\n", "it's \"x\".txt": "curlew\n",
		"dir/gone.txt": "curlew\n", "one-line.json": strings.Repeat(`{"k":"vvvvvvvvvvvvvv"},`, 600_000) + "curlew",
	})
	must(t, syscall.Mkfifo(filepath.Join(w.Root(), "fifo.txt"), 0o600))
	must(t, os.Symlink("/dev/zero", filepath.Join(w.Root(), "zero.txt")))
	must(t, os.Symlink("..", filepath.Join(w.Root(), "dir", "up")))
	sparse, err := os.Create(filepath.Join(w.Root(), "sparse.bin"))
	must(t, err)
	must(t, sparse.Truncate(3<<30))
	must(t, sparse.Close())
	want := "Found 8 files with matches for pattern \"curlew\" in path \".\":\n" +
		"$(id).txt\n--help\n-e.txt\na\ufffdb.txt\ndir/gone.txt\nit's \"x\".txt\none-line.json\n\ufffd.txt"
	for engine, tl := range engines(t, w) {
		if got := run(t, w, tl, map[string]any{"pattern": "curlew", "names_only": true}); got != want {
			t.Errorf("%s: got %q\nwant %q", engine, got, want)
		}
		if got := run(t, w, tl, map[string]any{"pattern": "curlew", "dir_path": "-e.txt", "context": 0}); !strings.Contains(got, "File: -e.txt\nL1: curlew") {
			t.Errorf("%s: got %q", engine, got)
		}
		if got := run(t, w, tl, map[string]any{"pattern": "curlew", "dir_path": "one-line.json"}); len(got) > 1000 || !strings.Contains(got, "curlew [cut: part of a line of more than 4 MB]") {
			t.Errorf("%s: %d bytes of one long line", engine, len(got))
		}
		if got := run(t, w, tl, map[string]any{"pattern": "--files", "context": 0}); !strings.HasPrefix(got, "No matches found") {
			t.Errorf("%s: a pattern was taken for a flag: %q", engine, got)
		}
		if got := run(t, w, tl, map[string]any{"pattern": "x", "dir_path": "fifo.txt"}); got != "invalid: Path is not a valid directory or file: ROOT/fifo.txt" {
			t.Errorf("%s: got %q for a FIFO", engine, got)
		}
	}
}

// TestGrepStrangeIgnoreFiles searches trees whose ignore files block or never end. Ripgrep would
// open them: a search that waits fails at the time limit of the test.
func TestGrepStrangeIgnoreFiles(t *testing.T) {
	t.Parallel()
	zero := func(path string) { must(t, os.Symlink("/dev/zero", path)) }
	fifo := func(path string) { must(t, syscall.Mkfifo(path, 0o600)) }
	for name, tt := range map[string]struct {
		path string
		make func(string)
		args map[string]any
	}{
		"root":                   {".gitignore", zero, nil},
		"root, a file":           {".gitignore", fifo, map[string]any{"dir_path": "a.txt"}},
		"above the directory":    {".gitignore", fifo, map[string]any{"dir_path": "sub/deep"}},
		"nested":                 {"sub/deep/.gitignore", zero, nil},
		"nested FIFO":            {"sub/deep/.gitignore", fifo, nil},
		"exclude":                {".git/info/exclude", fifo, nil},
		"exclude of a nested":    {"sub/inner/.git/info/exclude", fifo, nil},
		"common directory":       {"store/commondir", fifo, nil},
		"in node_modules":        {"node_modules/.gitignore", fifo, nil},
		"ignored, with a glob":   {"ignored/.gitignore", fifo, map[string]any{"include_pattern": "{ignored,*.txt}"}},
		"private":                {".ssh/.gitignore", fifo, nil},
		"hidden by another rule": {"quiet/sub/.gitignore", fifo, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := space(t, map[string]string{
				".git/info/x": "", "sub/inner/.git/info/x": "", "a.txt": "curlew\n", "sub/deep/b.txt": "curlew\n", "tree/.git": "gitdir: ../store\n",
				"store/x": "", "node_modules/x": "", ".ssh/x": "", "quiet/.gitignore": ".gitignore\n", "quiet/sub/x": "", "ignored/x": "",
			})
			if tt.path != ".gitignore" {
				must(t, os.WriteFile(filepath.Join(w.Root(), ".gitignore"), []byte("/ignored/\n"), 0o644))
			}
			tt.make(filepath.Join(w.Root(), tt.path))
			args := map[string]any{"pattern": "curlew", "names_only": true}
			maps.Copy(args, tt.args)
			for engine, tl := range engines(t, w) {
				if got := run(t, w, tl, args); !strings.Contains(got, ".txt") {
					t.Errorf("%s: %q", engine, got)
				}
			}
		})
	}
}

// TestGrepVanished runs a call whose directory was removed or replaced by a link after the
// call was built.
func TestGrepVanished(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string){
		"gone":   func(dir string) { must(t, os.RemoveAll(dir)) },
		"escape": func(dir string) { must(t, os.RemoveAll(dir)); must(t, os.Symlink("/etc", dir)) },
	} {
		w := space(t, map[string]string{"sub/passwd": "root\n"})
		grep, err := search.NewGrep(w, search.GrepOptions{}).Build([]byte(`{"pattern":"root","dir_path":"sub"}`))
		must(t, err)
		glob, err := search.NewGlob(w).Build([]byte(`{"pattern":"*","dir_path":"sub"}`))
		must(t, err)
		change(filepath.Join(w.Root(), "sub"))
		for which, res := range map[string]string{"grep": errorOf(grep.Run(t.Context(), tool.Host{})), "glob": errorOf(glob.Run(t.Context(), tool.Host{}))} {
			want := map[string]string{"gone grep": "grep_execution_error", "gone glob": "glob_execution_error"}[name+" "+which]
			if want == "" {
				want = "path_not_in_workspace"
			}
			if res != want {
				t.Errorf("%s: %s: got error %q, want %q", name, which, res, want)
			}
		}
	}
}

func errorOf(r *tool.Result) string {
	if r.Error == nil {
		return ""
	}
	return string(r.Error.Type)
}

func TestGrepWithBrokenRipgrep(t *testing.T) {
	t.Parallel()
	w := space(t, map[string]string{"a.txt": "dunlin\n"})
	dir := t.TempDir()
	for name, script := range map[string]string{
		"fails":   "echo 'unknown flag' >&2; exit 2",
		"garbage": "echo '{\"type\":'; echo nonsense; exit 1",
		"killed":  "kill -9 $$",
		"missing": "",
	} {
		program := filepath.Join(dir, name)
		if script != "" {
			must(t, os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		}
		tl := search.NewGrep(w, search.GrepOptions{Ripgrep: func() string { return program }})
		got := run(t, w, tl, map[string]any{"pattern": "dunlin", "names_only": true})
		want := "Found 1 file"
		if name == "garbage" {
			want = "No matches found" // status 1 means no match
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// TestGrepUnreadable checks that the result explains why a named file was not searched.
func TestGrepUnreadable(t *testing.T) {
	t.Parallel()
	w := space(t, map[string]string{"a.txt": "dunlin\n", "b.txt": "dunlin\n"}, func(o *workspace.Options) {
		o.Disk.Open = func(path string) (fs.File, error) {
			if filepath.Base(path) == "a.txt" {
				return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EACCES}
			}
			return os.Open(path)
		}
	})
	for engine, tl := range engines(t, w) {
		want := "grep_execution_error: Error during grep search operation: open ROOT/a.txt: permission denied"
		for _, pattern := range []string{"dunlin", "ostrich"} {
			if got := run(t, w, tl, map[string]any{"pattern": pattern, "dir_path": "a.txt"}); got != want {
				t.Errorf("%s: %s: got %q, want %q", engine, pattern, got, want)
			}
		}
		if got := run(t, w, tl, map[string]any{"pattern": "dunlin", "names_only": true}); !strings.HasSuffix(got, "\nb.txt") {
			t.Errorf("%s: got %q among others", engine, got)
		}
	}
}

// TestGrepStops cancels a long search on each engine, and a search whose ripgrep never exits.
func TestGrepStops(t *testing.T) {
	t.Parallel()
	w := space(t, map[string]string{"a.txt": "dunlin\n"})
	program := filepath.Join(t.TempDir(), "rg")
	must(t, os.WriteFile(program, []byte("#!/bin/sh\nsleep 1000 & sleep 1000\n"), 0o755))
	tools := engines(t, w)
	tools["endless"] = search.NewGrep(w, search.GrepOptions{Ripgrep: func() string { return program }})
	for engine, tl := range tools {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(fmt.Errorf("the user is gone")) })
		if engine != "endless" {
			cancel(fmt.Errorf("the user is gone"))
		}
		got := runContext(t, ctx, w, tl, map[string]any{"pattern": "dunlin"})
		if want := "grep_execution_error: Error during grep search operation: the user is gone"; got != want {
			t.Errorf("%s: got %q", engine, got)
		}
	}
}

// TestGrepPatternsThatBacktrack checks that a search with a slow pattern ends with an error, and
// leaves no goroutine.
func TestGrepPatternsThatBacktrack(t *testing.T) {
	// The timer goroutine of regexp2 ends by itself, a little later.
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent(), goleak.IgnoreAnyFunction("github.com/dlclark/regexp2.runClock"))
	w := space(t, map[string]string{"a.txt": strings.Repeat("a", 200) + "!\n"})
	tl := search.NewGrep(w, search.GrepOptions{})
	got := run(t, w, tl, map[string]any{"pattern": `(?=a)(a+)+\1$`})
	if !strings.Contains(got, "takes too long") {
		t.Errorf("got %q", got)
	}
	for _, p := range []string{"(a+)+$", "(a|a)*$", strings.Repeat("(", 5000), strings.Repeat("a{1000}", 100), "(?:a{1000}){1000}", `\`, "[", "(?", "a**", "(?P<n>a)", "\xff", strings.Repeat("x", 20_000)} {
		_ = run(t, w, tl, map[string]any{"pattern": p})
	}
}

// TestGrepOnAnotherDisk checks that a search reads files through the workspace's disk.
func TestGrepOnAnotherDisk(t *testing.T) {
	t.Parallel()
	opened := make(chan string, 10)
	w := space(t, map[string]string{"a.txt": "dunlin\n"}, func(o *workspace.Options) {
		o.Disk.Open = func(path string) (fs.File, error) {
			opened <- filepath.Base(path)
			return os.Open(path)
		}
	})
	run(t, w, search.NewGrep(w, search.GrepOptions{}), map[string]any{"pattern": "dunlin", "context": 0})
	if len(opened) != 1 || <-opened != "a.txt" {
		t.Error("the search went around the disk it was given")
	}
}
