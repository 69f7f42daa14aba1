package check

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pollux/agent"
	"pollux/internal/process"
)

// newReviewer returns a reviewer that waits for all checks, in a directory of its own.
func newReviewer(t *testing.T, setting any) *Reviewer {
	t.Helper()
	dir := t.TempDir()
	c := New(Options{
		Dir:     dir,
		Setting: func() (any, process.Origin) { return setting, process.OriginUser },
		Find: func(name string) string {
			return process.Finder{Path: os.Getenv("PATH"), Outside: []string{dir}}.Find(name)
		},
		Environ: func() []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir} },
		Warn:    func(text string) { t.Error("a warning:", text) },
	})
	r := c.Reviewer()
	r.wait = time.Minute
	return r
}

// edited returns the change of a file in the directory of a reviewer. before is "" for a new file.
func (r *Reviewer) edited(name, before, after string) agent.FileChange {
	c := agent.FileChange{Path: filepath.Join(r.checks.Dir, name), After: after}
	if before != "" {
		c.Before = &before
	}
	return c
}

// review returns what the reviewer says of one changed file.
func (r *Reviewer) review(t *testing.T, name, before, after string) string {
	t.Helper()
	return r.Review(t.Context(), []agent.FileChange{r.edited(name, before, after)})
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	const goText = "package p\n\nfunc f() {\n\tg(1)\n}\n"
	for _, tt := range []struct{ name, before, after, want string }{
		{"a.go", goText, "package p\n\nfunc f() {\n\tg(1) x\n}\n", "Now a.go does not parse:\n4:7: expected ';', found x\n5:3: expected '}', found 'EOF'"},
		{"a.go", goText, goText + "func g[T any]() {}\n", ""},
		{"a.go", goText, goText + "func (x t) g[T any]() {}\n", ""}, // a method of a newer Go
		{"a.go", goText, goText + "var x int = undefined(\"\")\n", ""},
		{"a.go", "", "", ""},
		{"a.go", "", "package p\nvar x = [][]int{{1}}\n", ""},
		{"a.go.txt", goText, "x", ""},
		{"{{name}}.go", "", "x", ""},
		{"dir/a.json", `{"a": 1}`, "{\n\"é\": 1,\n}", "Now dir/a.json does not parse: 3:1: invalid character '}' looking for beginning of object key string"},
		{"a.json", "", `{"a": "é", }`, "Now a.json does not parse: 1:12: invalid character '}' looking for beginning of object key string"},
		{"a.json", "", `{"a": 1`, "Now a.json does not parse: 1:7: unexpected end of JSON input"},
		{"a.json", "", "// x\n{}", "Now a.json does not parse: 1:1: invalid character '/' looking for beginning of value"},
		{"a.json", "", `{"a": {{ value }}}`, ""},
		{"a.json", "", strings.Repeat("[", 20_000), ""},
		{"tsconfig.build.json", "", "// x\n{\"a\": 1,}", ""},
		{".vscode/tasks.json", "", "{} // x", ""},
		{"settings.json", `{}`, "{\n/* x */ \"a\" 1}", "Now settings.json does not parse: 2:13: invalid character '1' after object name"},
		{"a.jsonc", "", "{\"a\": }", "Now a.jsonc does not parse: 1:7: invalid character '}' at start of value"},
		{"a.json5", "", "{a: 'b'}", ""},
		{"a.yaml", "a: 1\n", "a: 1\nb: [1\nc: 2\n", "Now a.yaml does not parse: 3:2: did not find expected ',' or ']' (while parsing a flow sequence that begins in line 2)"},
		{"a.yml", "", "a: b: c\n", "Now a.yml does not parse: 1:5: mapping values are not allowed in this context"},
		{"a.yml", "", "a: 1\n---\nb: [\n", "Now a.yml does not parse: 4:1: did not find expected node content"},
		{"a.yml", "", "a: *x\n", "Now a.yml does not parse: 1:4: unknown anchor 'x' referenced"},
		{"a.yml", "", "a: !Ref b\nc: ${{ x }}\n---\nd: 1\n", ""},
		{"a.yml", "", "a: ${{ x }}\nb: [\n", "Now a.yml does not parse: 3:1: did not find expected node content"},
		{"a.yml", "", "{{- if .x }}\na: 1\n{{- end }}\n", ""},
		{"a.yml", "", "%YAML 1.2\n---\na: 1\n", ""},
		{"a.yml", "", strings.Repeat("- ", 50_000), "Now a.yml does not parse: 1:20001: exceeded max depth of 10000"},
		{"a.toml", "a = 1\n", "a = 1\na = 2\n", "Now a.toml does not parse: 2:1: key a is already defined"},
		{"a.toml", "", "a = {{ x }}\n", ""},
		{"a.toml", "", strings.Repeat("a.", 100_000) + "\n", ""},
		{"a.sh", "echo\n", "if true; then\n  echo\n", "Now a.sh does not parse: 1:1: `if` statement must end with `fi`"},
		{"a.sh", "", "#!/usr/bin/env zsh\necho )\n", ""},
		{"a.sh", "", "#!/bin/bash\n[[ a =~ (b|c) ]] && x=(1 2)\n", ""},
		{"a.sh", "", strings.Repeat("$(", 100_000), ""},
		{"a.txt", "", "(", ""},
		{"Makefile", "", "(", ""},
	} {
		if got := newReviewer(t, nil).review(t, tt.name, tt.before, tt.after); got != tt.want {
			t.Errorf("%s, %.40q:\n got %s\nwant %s", tt.name, tt.after, got, tt.want)
		}
	}
}

// TestNew checks which errors count as new.
func TestNew(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, before, after, want string }{
		{"the same at another line", "a.go", "package p\nfunc f() { x := }\n", "package p\n\n// f\nfunc f() { x := }\n", ""},
		{"another one", "a.go", "package p\nfunc f() { x := }\n", "package p\nvar 1\nfunc f() { x := }\n", "New syntax errors in a.go: 2:5: expected 'IDENT', found 1"},
		{"the same once more", "a.go", "package p\nvar 1\n", "package p\nvar 1\nvar 1\n", "New syntax errors in a.go: 3:5: expected 'IDENT', found 1"},
		{"hidden by one before", "a.json", "{\n\"a\": x,\n\"b\": y\n}", "{\n\"a\": 1,\n\"b\": y\n}", ""},
		{"not hidden", "a.json", "{\n\"a\": x,\n\"b\": 2\n}", "{\n\"a\": 1,\n\"b\": y\n}", "New syntax errors in a.json: 3:6: invalid character 'y' looking for beginning of value"},
		{"before it", "a.json", "{\n\"a\": 1,\n\"b\": y\n}", "{\n\"a\": z,\n\"b\": y\n}", "New syntax errors in a.json: 2:6: invalid character 'z' looking for beginning of value"},
		{"an empty file before", "a.json", " \n", "{", "Now a.json does not parse: 1:1: unexpected end of JSON input"},
		{"too large", "a.json", "", "{" + strings.Repeat(" ", maxSize), ""},
		{"too large before", "a.json", "{}" + strings.Repeat(" ", maxSize), "{", ""},
		{"large", "a.json", "", "{" + strings.Repeat(" ", 2*atOnce), "Now a.json does not parse: 1:131073: unexpected end of JSON input"},
	} {
		if got := newReviewer(t, nil).review(t, tt.file, tt.before, tt.after); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

// TestControlCharacters checks that an error shows none of the file's.
func TestControlCharacters(t *testing.T) {
	t.Parallel()
	got := newReviewer(t, nil).review(t, "a.go", "", "package p\nimport \"\x1b[2J\xff\n")
	if strings.Contains(got, "\x1b") || !utf8.ValidString(got) || got == "" {
		t.Errorf("%q", got)
	}
}

// TestCompare checks that the numbers of other lines in messages do not count.
func TestCompare(t *testing.T) {
	t.Parallel()
	was, is := first(1, 1, "the bracket of line 7 is open"), first(2, 1, "the bracket of line 8 is open")
	was.IsPartial = false
	if got := compare("x", "\n x", was, is); len(got) > 0 {
		t.Error(got)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	r := newReviewer(t, nil)
	wrong := "package p\n" + strings.Repeat("var 1\n", 7)
	got := r.Review(t.Context(), []agent.FileChange{r.edited("a.go", "", wrong), r.edited("b.json", "", "{"), r.edited("c.go", "", wrong)})
	want := "Now a.go does not parse:\n2:5: expected 'IDENT', found 1\n3:5: expected 'IDENT', found 1\n4:5: expected 'IDENT', found 1\n" +
		"5:5: expected 'IDENT', found 1\n6:5: expected 'IDENT', found 1\n... and 2 more\nNow b.json does not parse: 1:1: unexpected end of JSON input\n" +
		"Now c.go does not parse:\n... and 6 more lines"
	if got != want {
		t.Errorf("got\n%s", got)
	}
	long := r.Review(t.Context(), []agent.FileChange{r.edited("a.toml", "", strings.Repeat("é", 1000)+" = 1")})
	if len([]rune(long)) > 300 || !strings.HasPrefix(long, "Now a.toml does not parse: ") {
		t.Errorf("%d: %s", len(long), long)
	}
}

// program returns the path of a program, and skips the test if there is none.
func program(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip("NOT TESTED: there is no " + name)
	}
}

func TestPython(t *testing.T) {
	t.Parallel()
	program(t, "python3")
	for _, tt := range []struct{ name, before, after, want string }{
		{"new", "x = 1\n", "x = 1\ndef f(:\n    pass\n", "Now a.py does not parse (Python 3."},
		{"old", "def f(:\n    pass\n", "y = 1\ndef f(:\n    pass\n", ""},
		{"valid", "", "import os\nos.remove('/nothing')\nraise SystemExit(1)\n", ""},
		{"beyond the grammar", "", "return 1\n", "1:1: 'return' outside function"},
		{"not ASCII", "", "x = 'é中'\ny = (\n", "2:5: '(' was never closed"},
		{"Python 2", "", "#!/usr/bin/python2\nprint 1\n", ""},
		{"too deep", "", strings.Repeat("(", 5000), "too many nested parentheses"},
	} {
		r := newReviewer(t, nil)
		got := r.review(t, "a.py", tt.before, tt.after)
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if list, _ := os.ReadDir(r.checks.Dir); len(list) > 0 {
			t.Errorf("%s left %v", tt.name, list)
		}
	}
}

// TestPythonIsIsolated puts modules where an interpreter would look for them.
func TestPythonIsIsolated(t *testing.T) {
	t.Parallel()
	program(t, "python3")
	r := newReviewer(t, nil)
	dir := r.checks.Dir
	for _, name := range []string{"json.py", "sitecustomize.py", "usercustomize.py", "warnings.py"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("open("+`"`+filepath.ToSlash(dir)+`/ran", "w")`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.checks.Environ = func() []string {
		return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "PYTHONPATH=" + dir, "PYTHONSTARTUP=" + dir + "/json.py"}
	}
	if got := r.Review(t.Context(), []agent.FileChange{r.edited("a.py", "", "x = (\n")}); !strings.Contains(got, "never closed") {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("a module of the project ran")
	}
}

func TestNode(t *testing.T) {
	t.Parallel()
	program(t, "node")
	for _, tt := range []struct{ name, kind, before, after, want string }{
		{"a.js", "", "f();\n", "f();\nvar x = (1;\n", "Now a.js does not parse (Node.js "},
		{"a.js", "", "", "f();\nvar x = (1;\n", "): 2:11: Unexpected token ';'"},
		{"a.js", "", "", "#!/usr/bin/env node\nreturn 1\n", ""},
		{"a.js", "module", "", "return 1\n", "Illegal return statement"},
		{"a.cjs", "module", "", "return 1\n", ""},
		{"a.js", "", "", "import x from 'y';\nawait x();\n", ""},
		{"a.mjs", "", "", "await 1;\nprocess.exit(1);\n", ""},
		{"a.js", "", "", "export const a = () => <b/>;\n", ""},
		{"a.js", "", "var y = {\n", "// x\nvar y = {\n", ""},
	} {
		r := newReviewer(t, nil)
		if tt.kind != "" {
			if err := os.WriteFile(filepath.Join(r.checks.Dir, "package.json"), []byte(`{"type": "`+tt.kind+`"}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := r.review(t, tt.name, tt.before, tt.after)
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s, %s: got %q, want %q", tt.name, tt.after, got, tt.want)
		}
	}
}

// TestBrokenPrograms checks that the failure of a program is not taken for one of the file.
func TestBrokenPrograms(t *testing.T) {
	t.Parallel()
	program(t, "sh")
	for _, script := range []string{"exit 3", "echo rubbish; exit 1", "kill -9 $$", `echo '{"line": 1, "text": "x"}'; kill -9 $$`, `echo '{"line": 1}'; exit 1`, "echo SyntaxError: x; exit 1", "sleep 0.01; exit 0"} {
		r := newReviewer(t, nil)
		fake := filepath.Join(t.TempDir(), "fake")
		if err := os.WriteFile(fake, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		r.checks.Find = func(string) string { return fake }
		if got := r.Review(t.Context(), []agent.FileChange{r.edited("a.py", "", "x = ("), r.edited("a.js", "", "x = (")}); got != "" {
			t.Errorf("%s: %s", script, got)
		}
		r.checks = New(r.checks.Options)
		r.checks.Find = func(string) string { return "" }
		if got := r.Review(t.Context(), []agent.FileChange{r.edited("a.py", "", "x = (")}); got != "" {
			t.Error(got)
		}
	}
}

// TestEnvironment checks what interpreters get of the user's environment.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	c := New(Options{Environ: func() []string { return []string{"PATH=p", "NODE_OPTIONS=--require=x", "HOME=h", "TOKEN=t"} }})
	if got := strings.Join(c.plainEnviron(), " "); got != "PATH=p HOME=h" {
		t.Error(got)
	}
}
