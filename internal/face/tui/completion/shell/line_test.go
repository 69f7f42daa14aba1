package shell

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"
)

func TestWordAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		marked, whole, typed, before string
		flags                        string
	}{
		{"|", "", "", "", ""},
		{"gi|", "gi", "gi", "", ""},
		{"git |", "", "", "git", ""},
		{"git che|", "che", "che", "git", ""},
		{"git  checkout -b fe|at x", "feat", "fe", "git checkout -b", ""},
		{`cat my\ fi|`, `my\ fi`, "my fi", "cat", ""},
		{`cat my\| fi`, `my\ fi`, "my", "cat", ""},
		{`cat "my fi|`, `"my fi`, "my fi", "cat", ""},
		{`cat "my f|ile" x`, `"my file"`, "my f", "cat", ""},
		{`cat "a\"b\c|`, `"a\"b\c`, `a"b\c`, "cat", ""},
		{`cat 'it\|`, `'it\`, `it\`, "cat", ""},
		{`cat 'a'"b"c|`, `'a'"b"c`, "abc", "cat", ""},
		{"ls | gr|", "gr", "gr", "", ""},
		{"ls|", "ls", "ls", "", ""},
		{"make && ./a|", "./a", "./a", "", ""},
		{"make; ls x|", "x", "x", "ls", ""},
		{"make&|", "", "", "", ""},
		{"(cd a|", "a", "a", "cd", ""},
		{"a\nb c|", "c", "c", "b", ""},
		{"echo $(gi|", "gi", "gi", "", ""},
		{"echo $HO|", "$HO", "$HO", "echo", "opaque"},
		{`echo "$HO|`, `"$HO`, "$HO", "echo", "opaque"},
		{`echo '$HO|`, `'$HO`, "$HO", "echo", ""},
		{"echo `l|", "`l", "`l", "echo", "opaque"},
		{"ls # gi|", "# gi", "# gi", "ls", "opaque"},
		{"ls # a; b\nc|", "c", "c", "", ""},
		{"ls a#b|", "a#b", "a#b", "ls", ""},
		{"cat > ou|", "ou", "ou", "cat", "file"},
		{"cat >ou|", "ou", "ou", "cat", "file"},
		{"cat >out x|", "x", "x", "cat", ""},
		{"cat < |", "", "", "cat", "file"},
		{"cat 2>&1 x|", "x", "x", "cat 2", ""},
		{"cat > o; l|", "l", "l", "", ""},
		{"sudo gi|", "gi", "gi", "", ""},
		{"A=b C=d gi|", "gi", "gi", "", ""},
		{"if tes|", "tes", "tes", "", ""},
		{"echo A=b x|", "x", "x", "echo A=b", ""},
		{"A-B=c x|", "x", "x", "A-B=c", ""},
		{"cd |foo", "foo", "", "cd", ""},
		{"cd a| b", "a", "a", "cd", ""},
		{`x\|`, `x\`, `x\`, "", ""},
	} {
		before, after, _ := strings.Cut(c.marked, "|")
		if strings.Count(c.marked, "|") > 1 { // the last one is the cursor
			at := strings.LastIndexByte(c.marked, '|')
			before, after = c.marked[:at], c.marked[at+1:]
		}
		text := before + after
		w := wordAt(text, len(before))
		flags := ""
		if w.isOpaque {
			flags = "opaque"
		}
		if w.isFile {
			flags = "file"
		}
		if got := text[w.Start:w.End]; got != c.whole && !w.isOpaque || w.typed != c.typed && !w.isOpaque || strings.Join(w.before, " ") != c.before || flags != c.flags {
			t.Errorf("%q: %q, %q, %q, %s", c.marked, got, w.typed, w.before, flags)
		}
	}
}

// fields returns the words of a command line as bash splits them.
func fields(t *rapid.T, line string) []string {
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 {
		t.Fatalf("%q: %v", line, err)
	}
	call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok {
		t.Fatalf("%q is no simple command", line)
	}
	words, err := expand.Fields(&expand.Config{}, call.Args...)
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	return words
}

// TestEscape checks that bash and wordAt read the inserted text as the name.
func TestEscape(t *testing.T) {
	t.Parallel()
	names := rapid.OneOf(rapid.StringMatching(`[a-z0-9 \t!"#$&'()*;<>?\[\]\\^{|}~,:=+%@_./é日-]{1,10}`), rapid.StringMatching("[`a ]{1,3}"))
	rapid.Check(t, func(t *rapid.T) {
		name := names.Draw(t, "name")
		line := "cat " + escape(name)
		if got := fields(t, line); len(got) != 2 || got[1] != name {
			t.Fatalf("%q: %q", line, got)
		}
		if w := wordAt(line, len(line)); w.typed != name || w.Start != 4 || w.End != len(line) || w.isOpaque {
			t.Fatalf("%q: %+v", line, w)
		}
	})
}

func FuzzWordAt(f *testing.F) {
	f.Add(`a "b\" $(c 'd`, 5)
	f.Add("a\\", 1)
	f.Add("# \\\n#", 3)
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		cursor = max(0, min(cursor, len(text)))
		w := wordAt(text, cursor)
		if w.Start > cursor || w.End < cursor || w.End > len(text) {
			t.Errorf("%q, %d: %+v", text, cursor, w)
		}
	})
}
