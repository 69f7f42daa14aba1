package gitbase

import (
	"os/exec"
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNarrow checks that patterns do not match more than they must.
func TestNarrow(t *testing.T) {
	t.Parallel()
	const paths = "a.psd A.PSD d/a.psd d/e/a.psd d/e/b a.psd.txt xpsd d"
	for pattern, want := range map[string]string{
		"*.psd":          "a.psd A.PSD d/a.psd d/e/a.psd",
		"*.[pP][sS][dD]": "a.psd A.PSD d/a.psd d/e/a.psd",
		"?.psd":          "a.psd A.PSD d/a.psd d/e/a.psd",
		"[b-z].psd":      "",
		`\a.psd`:         "a.psd A.PSD d/a.psd d/e/a.psd",
		"/*.psd":         "a.psd A.PSD",
		"d/*.psd":        "d/a.psd",
		"d/**":           "d/a.psd d/e/a.psd d/e/b",
		"d/**/a.psd":     "d/a.psd d/e/a.psd",
		"**/e/*":         "d/e/a.psd d/e/b",
		"a.psd.*":        "a.psd.txt",
		"d":              "d",
		"d/e":            "",
		"*":              paths,
		"d/":             paths, // git ignores it
		"[a":             paths,
	} {
		var got []string
		for _, p := range strings.Fields(paths) {
			if c := compile(pattern); c.matches(lower(p)) {
				got = append(got, p)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s matches %q, want %q", pattern, got, want)
		}
	}
}

// TestPatterns compares patterns with git: they must match each path that git matches.
func TestPatterns(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
	dir := t.TempDir()
	run := func(stdin string, args ...string) string {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %q: %v", args, err)
		}
		return string(out)
	}
	run("", "init", "-q")
	matched := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"a", "b", "B", "ab", ".", "é", "\xff", "/", "*", "**", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[[:alpha:]]", "[\\]a]", "[A-Z]", `\a`, `\*`, "[", "]", "!", "-", "/**/", "**/", "/**",
		})
		var lines, paths []string
		for range 20 {
			lines = append(lines, strings.Join(rapid.SliceOfN(piece, 1, 5).Draw(t, "pattern"), ""))
		}
		name := rapid.SampledFrom([]string{"a", "b", "B", "ab", "c", ".", "*", "é", "\xff", "]", "[", "!", "-", "/", "/a"})
		for range 20 {
			p := path.Clean(strings.Join(rapid.SliceOfN(name, 1, 5).Draw(t, "path"), ""))
			if p = strings.Trim(p, "/"); p != "" && p != "." && !strings.HasPrefix(p, "..") {
				paths = append(paths, p)
			}
		}
		// One attribute for each line, in the file that has no place in the work tree.
		var file strings.Builder
		for i, l := range lines {
			file.WriteString(l + " x" + string(rune('a'+i)) + "\n")
		}
		write(t, dir+"/.git/info/attributes", file.String())
		out := run(strings.Join(paths, "\x00")+"\x00", "check-attr", "-z", "--stdin", "-a")
		fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
		for i := 0; i+2 < len(fields); i += 3 {
			p, line := fields[i], lines[fields[i+1][1]-'a']
			matched++
			if c := compile(line); !c.matches(lower(p)) {
				t.Errorf("git matches %q with %q", line, p)
			}
		}
	})
	if matched < 1000 {
		t.Errorf("git has matched only %d times", matched)
	}
}

// TestAttributeLines checks the syntax of lines.
func TestAttributeLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"*.a filter=lfs -text":             "*.a|filter",
		"  *.a\tident\r\n":                 "*.a|ident",
		`"a \"b\\\303\251" x`:              "a \"b\\é|x",
		`"a b x`:                           `"a|b x`,
		`"\9" x`:                           `"\9"|x`,
		"[attr]m filter x":                 "m:|filter x",
		"[attr] m filter":                  "m:|filter",
		"# *.a filter":                     "",
		"*.a":                              "",
		"*.a -filter !ident":               "",
		"*.a =x y=":                        "*.a|y",
		"":                                 "",
		`"" filter`:                        "|filter",
		`"`:                                "",
		`"\`:                               "",
		"*.a working-tree-encoding=UTF-16": "*.a|working-tree-encoding",
	} {
		l, ok := parseAttributeLine(line)
		got := l.pattern + "|" + strings.Join(l.names, " ")
		if l.macro != "" {
			got = l.macro + ":" + got
		}
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v, want %q", line, got, ok, want)
		}
	}
}

func FuzzAttributes(f *testing.F) {
	f.Add("*.[a-c] filter=x\n[attr]m ident\n\"\\303\" m\n", "d/a.b")
	f.Fuzz(func(t *testing.T, text, path string) {
		var a attributeReader
		for line := range strings.Lines(text) {
			if l, ok := parseAttributeLine(line); ok {
				a.lines = append(a.lines, l)
			}
		}
		_ = a.attributes().mayConvert(path)
		if exact := compile(`\` + strings.Join(strings.Split(path, ""), `\`)); path != "" && !strings.HasSuffix(path, "/") && !exact.matches(lower(strings.TrimPrefix(path, "/"))) && !strings.Contains(path, "/") {
			t.Errorf("%q does not match itself", path)
		}
	})
}
