package shellcmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		command string
		want    []string // the texts
	}{
		// spec/safety.md §2.6.2
		{"(cd a; rm b)", []string{"cd a", "rm b"}},
		{"A=1 B=2 cmd x", []string{"A=1 B=2 cmd x"}},
		{"x=$(y)", []string{"y"}},
		{"export X=$(whoami)", []string{"export X=$(whoami)", "whoami"}},
		{"foo() { rm x; }; foo", []string{"rm x", "foo"}},
		{"cat <<EOF\n$(rm x)\nEOF", []string{"cat", "rm x"}},
		{"! ls", []string{"ls"}},
		{"time ls", []string{"time ls"}},
		{`"ls" -l`, []string{`"ls" -l`}},
		{"(( x++ ))", []string{"(( x++ ))"}},

		{"ls", []string{"ls"}},
		{"git push > out", []string{"git push"}},
		{"git push 2>&1", []string{"git push"}},
		{"> out git push", []string{"git push"}},
		{"rm < /dev/null x", []string{"rm x"}},
		{"rm 2>/dev/null -r >out x", []string{"rm -r x"}},
		{"cat <<< word", []string{"cat <<< word"}},
		{"cat > out <<< word", []string{"cat <<< word"}},
		{"cat <<<a b", []string{"cat <<<a b"}},
		{"a | b && c || d; e & f", []string{"a", "b", "c", "d", "e", "f"}},
		{"echo `rm x` \"$(rm y)\" <(rm z)", []string{"echo `rm x` \"$(rm y)\" <(rm z)", "rm x", "rm y", "rm z"}},
		{"if a; then b; elif c; then d; else e; fi", []string{"a", "b", "c", "d", "e"}},
		{"for i in $(a); do b; done", []string{"a", "b"}},
		{"while a; do b; done", []string{"a", "b"}},
		{"case $(a) in x) b;; *) c;; esac", []string{"a", "b", "c"}},
		{"[ -f x ] && [[ -f y ]]", []string{"[ -f x ]", "[[ -f y ]]"}},
		{"unset x; declare -r y=1; let z=2", []string{"unset x", "declare -r y=1", "let z=2"}},
		{"time (rm x)", []string{"rm x"}},
		{"coproc rm x", []string{"coproc rm x"}},
		{"a[$(rm x)]=1", []string{"rm x"}},
		{"echo ${x:-$(rm x)} $((1 + $(rm y)))", []string{"echo ${x:-$(rm x)} $((1 + $(rm y)))", "rm x", "rm y"}},
		{"cat <<'EOF'\n$(rm x)\nEOF", []string{"cat"}},
		{"# comment $(rm x)\nls", []string{"ls"}},
		{"ls \\\n -l", []string{"ls \\\n -l"}},
		{"trap 'rm x' EXIT", []string{"trap 'rm x' EXIT"}},
		{"command -p rm x", []string{"command -p rm x", "rm x"}},
		{"builtin command -- exec -c -a ls rm x", []string{"builtin command -- exec -c -a ls rm x", "command -- exec -c -a ls rm x", "exec -c -a ls rm x", "rm x"}},
		{"command -v rm", []string{"command -v rm"}},
		{"command --; exec 2>&1", []string{"command --", "exec"}},
		{"{ a; } > out", []string{"a"}},
		{"a > $(b)", []string{"a", "b"}},
	}
	for _, tt := range tests {
		s, err := Parse(tt.command)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.command, err)
			continue
		}
		var got []string
		for _, c := range s.Commands {
			got = append(got, c.Text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tt.command, diff)
		}
	}
}

// TestIsList checks which scripts are simple commands in a row.
func TestIsList(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"a": true, "a; b": true, "a\nb": true, "a && b || c": true, "a | b |& c": true, "a | b && c > d 2>&1; e": true, "A=1 a": true, "a {x}>b": true,
		"a &": false, "a & b": false, "! a": false, "(a)": false, "{ a; }": false, "a && (b)": false, "a | while b; do c; done": false,
		"if a; then b; fi": false, "f() { a; }; f": false, "A=1; a": false, "a $(b)": false, "a <(b)": false, "PATH=x a": true, "PATH=x; a": false,
		"eval a": false, "a | . b": false, "time a": false, "[[ a ]]": false, "export A=1": false, "a {PATH}>b": false, "coproc a": false,
	} {
		if s, err := Parse(command); err != nil || s.IsList != want {
			t.Errorf("%q: %v, want %v", command, err, want)
		}
	}
}

func TestPipe(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"a; b | c && d": "a0 b1 c1 d0", "a | b | c": "a1 b1 c1", "a || b": "a0 b0", "a |& b; c | d": "a1 b1 c2 d2", "{ a; b | c; } | d; e": "a1 b1 c1 d1 e0",
		"a\nb": "a0 b0", "a && b | c || d | e": "a0 b1 c1 d2 e2",
	} {
		s, err := Parse(command)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		pipes := map[int]int{0: 0} // numbered in the order of the text
		for _, c := range s.Commands {
			if _, ok := pipes[c.Pipe]; !ok {
				pipes[c.Pipe] = len(pipes)
			}
			got = append(got, fmt.Sprint(c.Name, pipes[c.Pipe]))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
}

func TestIsNeutral(t *testing.T) {
	t.Parallel()
	for redirection, want := range map[string]bool{
		"2>&1": true, ">&2": true, "<&3": true, "2>&-": true, "2>&1-": true, ">/dev/null": true, "2>>/dev/null": true, "&>/dev/null": true, "&>>'/dev/null'": true,
		"</dev/null": true, ">&/dev/null": true, ">|/dev/null": true,
		">a": false, "<a": false, ">&a": false, "&>a": false, ">$X": false, ">&$X": false, "<>/dev/null": false, "<<<1": false, "<<1\n1\n": false, ">/dev/stdout": false,
		">1": false, ">/dev/null/../x": false, "> /dev/nul?": false, ">''": false, ">&''": false, ">&1x": false,
	} {
		s, err := Parse("a " + redirection)
		if err != nil || len(s.Redirections) != 1 || s.Redirections[0].IsNeutral() != want {
			t.Errorf("%q: %v, want %v", redirection, err, want)
		}
	}
}

func TestParseDetails(t *testing.T) {
	t.Parallel()
	tests := []struct {
		command string
		want    Script
	}{
		{`'rm' -r "a b" $X`, Script{IsList: true, IsListOutside: true, Commands: []Command{{
			Name: "rm", Text: `'rm' -r "a b" $X`, Plain: "rm -r a b $X",
			Words: []Word{
				{Text: "'rm'", Value: "rm", Static: true},
				{Text: "-r", Value: "-r", Static: true},
				{Text: `"a b"`, Value: "a b", Static: true},
				{Text: "$X", Variables: []string{"X"}},
			},
		}}}},
		{"A=1 ls", Script{IsList: true, IsListOutside: true, Commands: []Command{{
			Name: "ls", Text: "A=1 ls", Plain: "ls", Assigns: true,
			Words: []Word{{Text: "ls", Value: "ls", Static: true}},
		}}}},
		{"time ls", Script{Commands: []Command{{Name: "time", Text: "time ls", Plain: "ls"}}}},
		{"(( x ))", Script{Evaluates: "(( x ))", Commands: []Command{{Name: "((", Text: "(( x ))", Plain: "(( x ))"}}}},
		{"ls >a <<<b", Script{IsList: true, IsListOutside: true, Redirections: []Redirection{{">", Word{Text: "a", Value: "a", Static: true}}, {"<<<", Word{Text: "b", Value: "b", Static: true}}}, Commands: []Command{{
			Name: "ls", Text: "ls <<<b", Plain: "ls", Redirected: true,
			Words: []Word{{Text: "ls", Value: "ls", Static: true}},
		}}}},
		{"ls 2>&1", Script{IsList: true, IsListOutside: true, Redirections: []Redirection{{">&", Word{Text: "1", Value: "1", Static: true}}}, Commands: []Command{{
			Name: "ls", Text: "ls", Plain: "ls",
			Words: []Word{{Text: "ls", Value: "ls", Static: true}},
		}}}},
	}
	for _, tt := range tests {
		s, err := Parse(tt.command)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.command, err)
		} else if diff := cmp.Diff(tt.want, *s); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tt.command, diff)
		}
	}
}

func TestParseContinued(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"cat <<E\n${x}\nE\nls", "cat <<-'E' <<F\n\ta\n\tE\n$x\nF\nls", "cat <<E\nb \\\nE\nls\nE\n", "cat <<E\nE", "ls \\\n -l # x", "ls # x\ngit \\\n log", "echo a#b \\\n c", "echo ${#x} \\\n c", "git log # x\\ y\nls",
	} {
		if _, err := Parse(command); err != nil {
			t.Errorf("Parse(%q): %v", command, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"", "  ", "# nothing", "A=1", "${x@P}", "echo ${x@P}", `echo "${x[@]@P}"`,
		`echo "unterminated`, "cat <<E\n$\\\n(rm x)\nE", "(ls", "ls)", "if true", "cat <<EOF", "ls\x00rm x",
		"cat <<E\nb ${x}E\n'`touch y`'\nE", "cat <<-E\n$(ls)E\nls\nE", "cat <<E\n${x}E\n",
		"git log # \\\nrm x", "#\\\nrm x", "ls \\\n# x \\\nrm x", "ls;# a \\\n\\\nrm x",
		// For bash, a carriage return is a part of a word.
		"ls a\r#; rm x", "echo a \\\r\nrm x", "# a \\\r\nrm x", "cat <<E\na \\\r\nE\nrm x\nE\n", "ls \"$(ls a\r#; rm x)\"", "ls \"${x:-a\rb}\"", "ls\rrm", "ls\r\npwd\r\n", "cat <<E\r\na\nE\r\n",
		"cat <<E\nE\r\necho '$(rm x)'\nE\n",
		// With extglob off, bash reads this as ! (rm x).
		"!(rm x)",
		"ls " + strings.Repeat("x", maxLength),
	} {
		if s, err := Parse(command); err == nil {
			t.Errorf("Parse(%.40q) = %+v, want an error", command, s.Commands)
		}
	}
}

// TestReturnInText checks that a carriage return in a text does not keep a command from being read.
func TestReturnInText(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"git commit -m \"a\r\n\r\nb\"", "git commit -m 'a\r\nb\r'", "cat <<E\na\r\nb\r\nE\n", "cat <<'E'\na\r\n$x\r\nE\n", "tr -d $'\r'", "ls # a\r",
	} {
		if s, err := Parse(command); err != nil || len(s.Commands) != 1 {
			t.Errorf("Parse(%q) = %+v, %v", command, s, err)
		}
	}
}

func TestParseDeep(t *testing.T) {
	t.Parallel()
	for _, opener := range []string{
		"(", "{ ", "if ", "while ", "time ", "coproc ", "a()", "f() { ", "case x in a) ", "a|", "a&&",
		"$(", "`", "\"$(", "<(", "${a:-", "${a[", "a[", "((", "$((", "((-", "((!", "((a=", "((a?", "((a**", "((a[", "$[", "<<E\n",
	} {
		command := strings.Repeat(opener, maxLength/len(opener))
		if _, err := Parse(command); err == nil && opener != "time " && opener != "`" {
			t.Errorf("Parse(many %q) gave no error", opener)
		}
		Substitution(command)
		StripWrapper("bash -c " + command[:maxLength/2])
		Roots(command)
	}
	// Depth that people write is fine.
	if _, err := Parse(strings.Repeat("( ", 50) + "ls" + strings.Repeat(")", 50)); err != nil {
		t.Errorf("50 subshells: %v", err)
	}
}

func TestStripWrapper(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"ls":                         "ls",
		"  ls -l  ":                  "ls -l",
		"bash -c 'rm x'":             "rm x",
		`sh -c "rm x"`:               "rm x",
		"/usr/bin/zsh -c 'rm x'":     "rm x",
		"../bash -c 'rm x'":          "rm x",
		`bash -c "echo \"a\" \$b"`:   `echo "a" $b`,
		`bash -c "echo \n"`:          `echo \n`,
		`bash -c "echo $HOME"`:       "echo $HOME",
		`bash -c 'echo "a"'`:         `echo "a"`,
		"bash -c ls -la":             "ls -la",
		"bash -c ls":                 "ls",
		`bash -c 'a'"b"`:             "ab",
		`bash -c $'rm\x20x\''`:       "rm x'",
		"bash -lc 'rm x'":            "bash -lc 'rm x'",
		"bash -c -e 'rm x'":          "bash -c -e 'rm x'",
		"bash -c -- 'rm x'":          "rm x",
		"bash -c":                    "bash -c",
		"bash x -c y":                "bash x -c y",
		"cmd.exe /c dir":             "dir",
		`CMD.EXE /C "dir x"`:         "dir x",
		"powershell -Command 'ls x'": "ls x",
		`pwsh.exe -NoProfile -Command "ls \"x\""`: `ls \"x\"`,
		"PowerShell.exe -command ls x":            "ls x",
		// Only one layer.
		`bash -c "bash -c 'ls'"`: "bash -c 'ls'",
		// Text around the wrapper is not inside it.
		"bash -c 'a' > out":              "bash -c 'a' > out",
		"bash -c 'a' | sh":               "bash -c 'a' | sh",
		"bash -c 'a' && bash -c 'b'":     "bash -c 'a' && bash -c 'b'",
		"bash -c 'a' ; rm -rf '/'":       "bash -c 'a' ; rm -rf '/'",
		`bash -c 'echo "$1"' name hello`: `bash -c 'echo "$1"' name hello`,
		"X=1 bash -c 'a'":                "X=1 bash -c 'a'",
		"bash -c 'unterminated":          "bash -c 'unterminated",
		"! bash -c 'a'":                  "! bash -c 'a'",
		"bash -c 'a' &":                  "bash -c 'a' &",
	} {
		if got := StripWrapper(command); got != want {
			t.Errorf("StripWrapper(%q) = %q, want %q", command, got, want)
		}
	}
}

func TestInner(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"ls":                      "",
		"bash -c 'rm x' > out":    "rm x",
		"bash -c 'rm \"$1\"' a b": `rm "$1"`,
		"X=1 bash -c 'rm x'":      "rm x",
		"bash -c rm x":            "rm x",
		"time bash -c 'rm x'":     "rm x",
		`"bash" '-c' rm\ x`:       "rm x",
		"bash -lc 'rm x'":         "rm x",
		"bash -e -c 'rm x'":       "rm x",
		"bash -c -e -- 'rm x' a":  "rm x",
		"zsh -fc rm\\ x":          "rm x",
		"bash --norc --rcfile c -o errexit -xOc nullglob 'rm x'": "rm x",
		"bash -o c 'rm x'":         "",
		"bash --noprofile x -c a":  "",
		"bash +c 'rm x'":           "",
		"bash -- -c 'rm x'":        "",
		"bash $X -c 'rm x'":        "",
		"bash -c -- x; bash -c":    "x",
		"ls && /bin/sh -c 'rm x'":  "rm x",
		"cmd.exe /c del x":         "del x",
		"pwsh -Command rm x; true": "rm x",
	} {
		s, err := Parse(command)
		if err != nil {
			t.Fatalf("Parse(%q): %v", command, err)
		}
		got := ""
		for _, c := range s.Commands {
			got += c.Inner
		}
		if got != want {
			t.Errorf("inner script of %q = %q, want %q", command, got, want)
		}
	}
}

func TestRoots(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"":                         "",
		"ls -l":                    "ls",
		"ls; ls; cat a | wc":       "ls, cat, wc",
		`"git" push > o 2>> p`:     "git, redirection (>), redirection (>>)",
		"cat <<E\nE":               "cat, heredoc (<<)",
		"cat <<< a":                "cat, herestring (<<<)",
		"if true; then rm x; fi":   "true, rm",
		`echo "unterminated`:       "echo",
		`echo "unterminated > out`: "echo, redirection",
		"export A=1":               "export",
	} {
		if got := strings.Join(Roots(command), ", "); got != want {
			t.Errorf("Roots(%q) = %q, want %q", command, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"ls", "A=1 b >c <<<d e", "bash -c \"a \\\"b\\\"\"", "cat <<E\n$(a)\nE", "time a", "$'\\x41'", "x=`a`; ${x@P}",
		"if a; then b; fi", "(( a ))", "a <(b) >(c)", "cat <<<a <<'E' b\nE\n", "a\\\n<b c",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, command string) {
		s, err := Parse(command)
		inner := StripWrapper(command)
		if len(inner) > len(command) {
			t.Errorf("StripWrapper(%q) = %q grew", command, inner)
		}
		Roots(command)
		_, substitutes := Substitution(command)
		if err != nil {
			return
		}
		if len(s.Substitutions) > 0 && !substitutes {
			t.Errorf("Parse finds a substitution in %q, Substitutes doesn't", command)
		}
		if len(s.Commands) == 0 {
			t.Errorf("Parse(%q) has neither commands nor an error", command)
		}
		if s.IsList && (len(s.Substitutions) > 0 || s.Evaluates != "") {
			t.Errorf("Parse(%q) is no list: %+v", command, s)
		}
		for _, c := range s.Commands {
			if c.Text == "" && c.Name == "" {
				t.Errorf("Parse(%q) has an empty command", command)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := parse("cd internal && go test ./... 2>&1 | tail -20"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSubstitution(b *testing.B) {
	for b.Loop() {
		Substitution("cd internal && go test ./... 2>&1 | tail -20")
	}
}

// TestStatic checks the words whose value is known, and those that depend on the home directory or the locale.
func TestStatic(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		`a`: "a", `'a b'`: "a b", `a\ b`: "a b", `$'a\x41\u42\101'`: "aABA", `$'\xe4\xb8\xad'`: "\xe4\xb8\xad", `a~`: "a~", `HEAD~1`: "HEAD~1", `a=b~`: "a=b~",
		`a='~/x'`: "a=~/x", `a=\~/x`: "a=~/x", `host:~/x`: "host:~/x",
		`~/x`: "", `a=~/x`: "", `a=b:~/x`: "", `a+=~/x`: "", `'a'=~/x`: "", `--f=~root/x`: "", `"a=b":~/x`: "",
		`$'\u4e2d'`: "", `$'\U0001f600'`: "", `$'\u80'`: "", `$'a\400b'`: "", `$'\0'`: "", `$'\cA'`: "",
	} {
		s, err := Parse("cat " + word)
		if err != nil {
			t.Errorf("Parse(cat %s): %v", word, err)
			continue
		}
		if w := s.Commands[0].Words[1]; w.Static != (want != "") || w.Value != want {
			t.Errorf("%s is %q, %v; want %q", word, w.Value, w.Static, want)
		}
	}
}
