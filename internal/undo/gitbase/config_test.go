package gitbase

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type failer interface{ Fatal(args ...any) }

func write(t failer, path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// list parses a configuration as git lists it.
func list(text string) (string, bool) {
	var b strings.Builder
	err := parseConfig(text, func(key, value string) bool {
		b.WriteString(key + "\n" + value + "\x00")
		return true
	})
	return b.String(), err == nil
}

// TestConfigSyntax compares the parser with git, which accepts some more.
func TestConfigSyntax(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
	file := filepath.Join(t.TempDir(), "config")
	same := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"[core]", "[Core]\n", "[a \"B.c\"]\n", "[a \"q\\\"\\\\\"]", "[a.B]\n", "[a-1]\n", "name = value\n", "Name=\"va lue\" \n", "n = a  b ; c\n", "n = \"a # b\" # c\n",
			"n = a\\\n b\n", "n = \\t\\n\\b\\\\\\\"x\n", "n = \\q\n", "n\n", "n # c\n", "# c\n", "; c\n", "\n", " \t", "n = \"open\n", "[", "]", "=", "n = a\r\n", "n =   \n", "n = \" a \" b \n", "n = é\xff\n", "\ufeff", "1n = x\n", "n = x",
		})
		text := "[core]\n" + strings.Join(rapid.SliceOfN(piece, 1, 8).Draw(t, "pieces"), "")
		write(t, file, text)
		cmd := exec.Command(program, "config", "--file", file, "--list", "-z")
		out, err := cmd.Output()
		parsed, ok := list(text)
		// Git lists a name without a value without a line end, and its versions differ in tabs.
		alike := strings.NewReplacer("\n\x00", "\x00", "\t", " ")
		got, want := alike.Replace(parsed), alike.Replace(string(out))
		switch {
		case ok && err != nil:
			t.Errorf("%q is accepted as %q, but not by git", text, got)
		case ok && got != want:
			t.Errorf("%q is %q, want %q", text, got, want)
		case ok:
			same++
		case err == nil && !strings.ContainsAny(text, "1]["):
			t.Errorf("%q is not accepted, by git it is", text)
		}
	})
	if same < 20 {
		t.Errorf("only %d configurations were compared", same)
	}
}

func FuzzConfig(f *testing.F) {
	f.Add("[core]\n\tattributesFile = \"~/x\" # y\n[include]path=\\\n z\n[a \"b\\\"\"] c")
	f.Fuzz(func(t *testing.T, text string) {
		_ = parseConfig(text, func(key, _ string) bool {
			if !strings.Contains(key, ".") || strings.HasPrefix(key, ".") {
				t.Errorf("%q: %q", text, key)
			}
			return true
		})
	})
}
