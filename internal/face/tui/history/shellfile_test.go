package history

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file string
		want []string
	}{
		{"", nil},
		{"ls\n\nmake all\r\n  \n indented", []string{"ls", "make all", " indented"}},
		{"a \\\r\n b\r\n", []string{"a \\\n b"}},
		{"docker run \\\n  -it x\nls\n", []string{"docker run \\\n  -it x", "ls"}},
		{"echo \\\\\nls\n", []string{`echo \\`, "ls"}},
		{"echo \\\\\\\nls\n", []string{"echo \\\\\\\nls"}},
		{"for x in 1\\\n\\\ndo\\\n\\\ndone\nls\n", []string{"for x in 1\ndo\ndone", "ls"}},
		{"ls \\", []string{"ls "}},
		{"\\", nil},
	} {
		if got := decode([]byte(c.file)); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.file, got)
		}
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"ls", " ls", `echo \\`, "a\nb", "a\n\nb\n  c", "a \\\n b", "a \\\\\nb", "a\\\\\\\nb\nc", "if x\nthen \\\n  y\nfi",
	} {
		if got := decode(encode([]string{"before", command, "behind"})); !slices.Equal(got, []string{"before", command, "behind"}) {
			t.Errorf("%q: %q", command, got)
		}
	}
	for command, want := range map[string]string{"a \\": "a ", "a\n\\\n": "a", "a \\ ": "a \\ ", `a\\\\`: `a\\\\`, "\\": ""} {
		if got := tidy(command); got != want {
			t.Errorf("%q: %q", command, got)
		}
	}
}

// TestRoundTrip checks that commands come back as they were, unless a line has nothing but backslashes.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`[ ab\\]{0,3}[ab]\\{0,3}`)
		commands := rapid.SliceOf(rapid.Custom(func(t *rapid.T) string {
			return tidy(strings.Join(rapid.SliceOfN(line, 1, 4).Draw(t, "lines"), "\n"))
		})).Draw(t, "commands")
		if got := decode(encode(commands)); !slices.Equal(got, commands) {
			t.Fatalf("%q: %q", commands, got)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("ls\na\\\nb\\\\\n\\\n\\\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		commands := decode(data)
		if again := decode(encode(commands)); len(again) > len(commands) {
			t.Errorf("%q: %q", commands, again)
		}
		for _, c := range commands {
			if strings.TrimSpace(c) == "" {
				t.Errorf("empty command in %q", commands)
			}
		}
	})
}

func TestAddShell(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "shell_history")
	if got, err := ReadShell(path); got != nil || err != nil {
		t.Errorf("a missing file: %q, %v", got, err)
	}
	for _, command := range []string{"ls", "make \n", "ls", "", " ", "a\nb", "key AIza" + strings.Repeat("x", 35), strings.Repeat("x", maxCommand+1)} {
		if err := AddShell(path, command); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := ReadShell(path); err != nil || !slices.Equal(got, []string{"a\nb", "ls", "make "}) {
		t.Errorf("%q, %v", got, err)
	}
	if data, _ := os.ReadFile(path); string(data) != "make \nls\na\\\n\\\nb\n" {
		t.Errorf("%q", data)
	}
	for i := range 150 {
		if err := AddShell(path, fmt.Sprint("echo ", i)); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := ReadShell(path); len(got) != 100 || got[0] != "echo 149" || got[99] != "echo 50" {
		t.Errorf("%d commands: %q", len(got), got)
	}
}

func TestAddShellAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "shell_history")
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			if err := AddShell(path, fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := ReadShell(path); len(got) != 10 || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestShellFileErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ReadShell(dir); err == nil || !strings.Contains(err.Error(), "it is a directory") {
		t.Errorf("%v", err)
	}
	if err := AddShell(dir, "ls"); err == nil {
		t.Error("wrote a directory")
	}
	if err := AddShell(filepath.Join(dir, "missing", "file"), "ls"); err == nil {
		t.Error("wrote into a missing directory")
	}
	if info, err := os.Stat(dir + ".lock"); err == nil {
		t.Errorf("left %s behind", info.Name())
	}
	path := filepath.Join(dir, "file")
	if err := AddShell(path, "ls"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&fs.FileMode(0o077) != 0 && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
