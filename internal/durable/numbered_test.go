package durable

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A file has a plain form of the name and the next free number, whatever the name is.
func TestCreateNumbered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files, later Numbered
	for _, c := range []struct{ name, want string }{
		{"run_shell_command", "run_shell_command_1.txt"},
		{"Run_Shell_Command", "run_shell_command_2.txt"},
		{"mcp_s_t", "mcp_s_t_1.txt"},
		{"../../x", "______x_1.txt"},
		{"", "output_1.txt"},
		{strings.Repeat("y", 10_000) + "a", strings.Repeat("y", 60) + "_1.txt"},
		{strings.Repeat("y", 10_000) + "b", strings.Repeat("y", 60) + "_2.txt"},
	} {
		f, err := files.Create(dir, c.name)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil || f.Name() != filepath.Join(dir, c.want) {
			t.Errorf("%.20q: %s, %v, want %s", c.name, f.Name(), err, c.want)
		}
	}
	if f, err := later.Create(dir, "run_shell_command"); err != nil || f.Close() != nil || f.Name() != filepath.Join(dir, "run_shell_command_3.txt") {
		t.Errorf("after another process: %v, %v", f, err)
	}
	if _, err := files.Create(filepath.Join(dir, "none"), "x"); err == nil {
		t.Error("a file in a directory that does not exist")
	}
}

// Files that are created at the same time have different names.
func TestCreateNumberedTogether(t *testing.T) {
	t.Parallel()
	const files = 50
	dir := t.TempDir()
	var mu sync.Mutex
	names := map[string]bool{}
	processes := [2]Numbered{}
	var wg sync.WaitGroup
	for i := range files {
		wg.Go(func() {
			f, err := processes[i%2].Create(dir, "x")
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			names[f.Name()] = true
			mu.Unlock()
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(names) != files {
		t.Errorf("%d names for %d files", len(names), files)
	}
}

// Finding a number takes few questions, however many numbers are taken.
func TestFirstFree(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, 2, 3, 7, 8, 1000, 1_000_000} {
		asked := 0
		if got := firstFree(func(n int) bool { asked++; return n <= count }); got != count+1 || asked > 45 {
			t.Errorf("%d are taken: %d after %d questions", count, got, asked)
		}
	}
}
