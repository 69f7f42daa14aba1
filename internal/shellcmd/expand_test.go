package shellcmd

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// expandIn expands the last word of a command in a directory, which is the home directory as well.
func expandIn(t *testing.T, dir, command string, most int) ([]string, error) {
	t.Helper()
	script, err := Parse(command)
	if err != nil {
		return nil, err
	}
	words := script.Commands[0].Words
	return words[len(words)-1].Expand(func(name string) string { return map[string]string{"HOME": dir, "PWD": dir}[name] }, os.ReadDir, most)
}

func TestExpand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt", ".hidden", "with space", "sub/c.txt"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for word, want := range map[string]string{
		"plain": "plain", "'a b'": "a b", "{a,b}.txt": "a.txt|b.txt", "x{1..3}": "x1|x2|x3", "*.txt": "a.txt|b.txt", "'*'.txt": "*.txt",
		"*/*.txt": "sub/c.txt", ".h*": ".hidden", "w*": "with space", "none*": "none*", "[ab].txt": "a.txt|b.txt", "~/x": dir + "/x",
		`"$HOME"/*.txt`: dir + "/a.txt|" + dir + "/b.txt", "${HOME}/a": dir + "/a", "${unset:-x}": "x", "$((1+2))": "3", `{"a":1}`: `{a:1}`,
		"*": "a.txt|b.txt|sub|with space", "{1..100000}": "1|2|3|4|5",
	} {
		got, err := expandIn(t, dir, "touch "+word, 5)
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%s: %q, %v; want %q", word, got, err, want)
		}
	}
	for _, word := range []string{"$(echo a)", "`echo a`", "<(echo a)", ">(cat)", `"$(echo a)"`, "a$(b)c", "$unset", "${unset}", "$1", "$((1/0))"} {
		if got, err := expandIn(t, dir, "touch "+word, 5); err == nil {
			t.Errorf("%s: %q, which depends on the run", word, got)
		}
	}
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{
		"*", "{a,b}", "{1..3}", "~/x", "~u", "$HOME/*", "${a:-b}", "${a:=b}", "${#a}", "${!a}", "${!a*}", "${!a[@]}", "${a[0]}", "${a//b/c}", "${a^^}", "${a@Q}", "${a:1:2}",
		"$((a=1))", "$((a++))", "$((1/0))", "$((1<<99))", "$((b[1]))", "$(x)", "`x`", "<(x)", ">(x)", "$'\\x41'", `$"a"`, "$@", "\"$*\"", "$#", "$?", "$$", "@(a|b)", "!(a)", "+([a-z])", "[[:alpha:]]*", "[!a",
		"**", "a\\*", "{a,{b,c}}{d,e}", "{9223372036854775806..9223372036854775807}", "{z..a..-2}", "{a..}", "$[1]",
	} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, word string) {
		script, err := Parse("touch " + word)
		if err != nil {
			return
		}
		for _, c := range script.Commands {
			for _, w := range c.Words {
				fields, _ := w.Expand(func(name string) string { return map[string]string{"HOME": dir, "PWD": dir}[name] }, func(path string) ([]fs.DirEntry, error) {
					return os.ReadDir(dir)
				}, 100)
				if len(fields) > 100 {
					t.Errorf("%d fields", len(fields))
				}
			}
		}
	})
}
