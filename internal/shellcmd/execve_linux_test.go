package shellcmd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pollux/internal/process/processtest"
)

// TestExecutes compares the programs that bash executes, traced by the kernel, with the result of
// Parse: if a script is reported as readable (nothing evaluated twice, all names known), then it executes only the commands that are listed. POLLUX_PROGRAMS sets the
// number of random programs, POLLUX_PROGRAMS_SEED the first seed.
func TestExecutes(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("NOT TESTED: strace is missing, so nothing shows what bash executes")
	}
	count, seed := processtest.Times(200, 1000), uint64(1)
	if n, err := strconv.Atoi(os.Getenv("POLLUX_PROGRAMS")); err == nil {
		count = n
	}
	if n, err := strconv.ParseUint(os.Getenv("POLLUX_PROGRAMS_SEED"), 10, 64); err == nil {
		seed = n
	}
	const batch = 500
	r := rand.New(rand.NewPCG(seed, seed))
	readable, executed := 0, 0
	for count > 0 && !t.Failed() {
		programs := make([]string, min(batch, count))
		for i := range programs {
			programs[i] = randomProgram(r)
		}
		count -= len(programs)
		for i, ran := range trace(t, strace, programs) {
			s, err := Parse(programs[i])
			if err != nil || s.Evaluates != "" {
				continue
			}
			if slices.ContainsFunc(s.Commands, func(c Command) bool { return hasUnknownName(c) }) {
				continue
			}
			readable++
			executed += len(ran)
			for _, name := range ran {
				if !slices.ContainsFunc(s.Commands, func(c Command) bool { return runsAs(c, name) }) {
					t.Errorf("bash executes %s, which is not reported, in:\n%s", name, programs[i])
				}
			}
		}
	}
	t.Logf("%d readable programs executed %d commands", readable, executed)
	if readable == 0 || executed == 0 {
		t.Error("no program was compared")
	}
}

func hasUnknownName(c Command) bool {
	if c.Name == "time" || c.Name == "coproc" {
		return strings.ContainsAny(c.Plain, "$*?[{~")
	}
	return len(c.Words) > 0 && !c.Words[0].Static && c.Words[0].Text != "["
}

// runsAs reports whether a command may execute the program with this name. The words of a
// command after "time" and "coproc" are in its text only.
func runsAs(c Command, name string) bool {
	if c.Name == "time" || c.Name == "coproc" {
		return strings.Contains(c.Plain, name)
	}
	return c.Name == name
}

// trace runs each program with bash and returns the names of the programs that it executed. All
// commands that exist are m0 to m9, empty files.
func trace(t *testing.T, strace string, programs []string) [][]string {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	for _, d := range []string{bin, filepath.Join(dir, "work")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		if err := os.WriteFile(filepath.Join(bin, fmt.Sprintf("m%d", i)), nil, 0o700); err != nil { //nolint:gosec // executable
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/bin/cat", filepath.Join(bin, "cat")); err != nil {
		t.Fatal(err)
	}
	var input bytes.Buffer
	for i, p := range programs {
		// The directory in PATH identifies the program that executed the command.
		if err := os.Symlink(bin, filepath.Join(dir, strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
		input.WriteString(p + "\x00")
	}
	const driver = `ulimit -t 2 -f 100 -c 0
i=0
while IFS= read -r -d '' program; do
	PATH=../$i /bin/bash -c "$program" </dev/null >/dev/null 2>&1
	i=$((i+1))
done`
	output := filepath.Join(dir, "trace")
	cmd := exec.Command(strace, "-f", "--seccomp-bpf", "-qq", "-e", "trace=execve", "-e", "signal=none", "-s", "0", "-o", output, "/bin/bash", "-c", driver)
	cmd.Dir, cmd.Stdin = filepath.Join(dir, "work"), &input
	cmd.Env = []string{"HOME=" + cmd.Dir, "FUNCNEST=3"} // some functions call themselves
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED: strace does not work here: %v\n%s", err, out)
	}
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	ran := make([][]string, len(programs))
	for _, m := range regexp.MustCompile(`execve\("\.\./(\d+)/(m\d)"`).FindAllSubmatch(text, -1) {
		i, _ := strconv.Atoi(string(m[1]))
		ran[i] = append(ran[i], string(m[2]))
	}
	return ran
}

// randomProgram returns a program of a few statements. One in four is distorted at random
// places, which is how parsers are brought to disagree.
func randomProgram(r *rand.Rand) string {
	g := &grammar{Rand: r, budget: 12}
	text := g.list(1 + r.IntN(3))
	if r.IntN(4) > 0 {
		return text
	}
	b := []byte(text)
	const noise = "'\"\\`$(){}[]<>|&;!#*?~=-+:@%,\n\t m1a"
	for range 1 + r.IntN(3) {
		i := r.IntN(len(b))
		switch r.IntN(3) {
		case 0:
			b = slices.Insert(b, i, noise[r.IntN(len(noise))])
		case 1:
			b[i] = noise[r.IntN(len(noise))]
		case 2:
			if b = slices.Delete(b, i, i+1); len(b) == 0 {
				b = []byte("m1")
			}
		}
	}
	return string(b)
}

// grammar writes random programs. The budget bounds their size.
type grammar struct {
	*rand.Rand
	budget int
}

func (g *grammar) of(list ...string) string { return list[g.IntN(len(list))] }

func (g *grammar) list(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(g.of("; ", "\n", " && ", " || ", " | ", " & ", ";", "|& "))
		}
		b.WriteString(g.statement())
	}
	return b.String()
}

func (g *grammar) statement() string {
	if g.budget--; g.budget <= 0 {
		return g.command()
	}
	switch g.IntN(30) {
	case 0:
		return "(" + g.list(2) + ")"
	case 1:
		return "{ " + g.list(2) + "; }"
	case 2:
		return "if " + g.list(1) + "; then " + g.list(1) + g.of("; fi", "; else "+g.list(1)+"; fi", "; elif "+g.list(1)+"; then "+g.list(1)+"; fi")
	case 3:
		return "for " + g.name() + " in " + g.words() + "; do " + g.list(1) + "; done"
	case 4:
		return "for ((" + g.arithmetic() + ";0;" + g.arithmetic() + ")); do " + g.list(1) + "; done"
	case 5:
		return g.of("while false; do ", "until true; do ") + g.list(1) + "; done"
	case 6:
		return "case " + g.word() + " in " + g.of("a", "*", g.word(), "a|"+g.word()) + ") " + g.list(1) + g.of(";;", ";&", ";;&") + " *) " + g.list(1) + ";; esac"
	case 7:
		name := g.of("f", "m1", "ls", "git", "m2")
		return name + "() { " + g.list(1) + "; }; " + name + " " + g.words()
	case 8:
		return "[[ " + g.test() + " ]]"
	case 9:
		return "((" + g.arithmetic() + "))"
	case 10:
		return g.assignment() + g.of("", " "+g.assignment())
	case 11:
		return g.of("! ", "time ", "time -p ", "coproc ") + g.statement()
	case 12:
		return g.evaluator()
	case 13:
		return g.command() + " " + g.of("<<E\n", "<<'E'\n", "<<-E\n", "<<\\E\n") + g.word() + " " + g.expansion() + "\nE\n" + g.command()
	case 14:
		return g.of("command ", "builtin ", "exec ", "command -p ", "command -- ", "exec -a x ") + g.command()
	}
	return g.command()
}

// command is a simple command with redirections.
func (g *grammar) command() string {
	var b strings.Builder
	if g.IntN(8) == 0 {
		b.WriteString(g.assignment() + " ")
	}
	if g.IntN(8) == 0 {
		b.WriteString(g.redirection() + " ")
	}
	b.WriteString(g.program() + " " + g.words())
	if g.IntN(4) == 0 {
		b.WriteString(" " + g.redirection())
	}
	return b.String()
}

func (g *grammar) program() string {
	m := "m" + strconv.Itoa(g.IntN(10))
	return g.of(m, m, m, m, `"`+m+`"`, "'"+m+"'", `\`+m, "m\\\n"+m[1:], "m''"+m[1:], `$'m\x3`+m[1:]+`'`, "$'"+m+"'", m+`""`,
		m, m, m, m, "echo", "true", ":", "printf", "test", "[", "cd", g.of("{m1,m2}", "m?", "~/"+m, "$x", "${x}"+m), g.of("x", "if", "}", "!", "in", "do"))
}

func (g *grammar) words() string {
	var list []string
	for range g.IntN(3) {
		list = append(list, g.word())
	}
	return strings.Join(list, " ")
}

func (g *grammar) word() string {
	switch g.IntN(20) {
	case 0:
		return g.expansion()
	case 1:
		return `"` + g.expansion() + `"`
	case 2:
		return "'" + g.payload() + "'"
	case 3:
		return "$'" + g.payload() + "'"
	case 4:
		return g.of("*", "?", "[a-z]", "{a,b}", "~", "{1..3}", "a*b", "!(a)", "@(a|b)", "[", "]", "{", "}", "#", "!", "-", "--", "=")
	case 5:
		return g.of("-v", "-n", "-z", "-eq", "-a", "-o", "-e", "-c", "-p", "-f", "a", "x=y", "1", "0")
	case 6:
		return `a\ b`
	case 7:
		return g.of("a", "b") + g.expansion()
	case 8:
		return g.of("", "a", "-") + g.substitution()
	case 9:
		return `"` + g.of("", "a ") + g.substitution() + `"`
	}
	return g.of("a", "b", "x", "1", "m1", "m2", "f")
}

// substitution runs a command for its output.
func (g *grammar) substitution() string {
	if g.budget--; g.budget <= 0 {
		return "$(m1)"
	}
	switch inside := g.list(1); g.IntN(12) {
	case 0:
		return "`" + g.of("m1", "m2 a", "m3 '$(m4)'", "m5 \\`m6\\`", "m7 \"$(m1)\"", "m2 # x") + "`"
	case 1:
		return g.of("<(", ">(") + inside + ")"
	case 2:
		return "$((" + g.of("1 + ", "", "x = ") + "$(" + inside + ")))"
	case 3:
		return "${" + g.name() + g.of(":-", ":=", "#", "/a/", ":+") + "$(" + inside + ")}"
	case 4:
		return "$(cat <<" + g.of("E", "'E'", "-'E'", `\E`) + "\n" + g.of("a $(m9)", "`m8`", "it's", g.payload(), "a\n\tb") + "\nE\n)"
	case 5:
		return "$( (" + inside + ") )"
	case 6:
		return "$((" + inside + ") )"
	case 7:
		return "$(" + inside + " # it's `m1`\n)"
	default:
		return "$(" + inside + ")"
	}
}

// payload is a text that runs m8 or m9 if it is evaluated.
func (g *grammar) payload() string {
	return g.of("a[$(m9)]", "$(m9)", "`m8`", "m9", "x; m8", "a[`m8`]=1", "<(m9)", "m8 &", "a", "x", "\\$(m9)", "x y", "1")
}

func (g *grammar) name() string {
	return g.of("x", "y", "a", "i", "x", "y", "PATH", "IFS", "PS4", "RANDOM", "OPTIND", "HISTCMD", "SRANDOM", "F", "HOME")
}

func (g *grammar) assignment() string {
	return g.name() + g.of("=", "=", "+=", "[0]=", "["+g.payload()+"]=", "["+g.name()+"]=") + g.of(g.word(), "'"+g.payload()+"'", "("+g.words()+")", "", "-eq", "eval")
}

func (g *grammar) expansion() string {
	n := g.name()
	return g.of("$"+n, "${"+n+"}", "${"+n+":-"+g.of("a", "'"+g.payload()+"'", "$y")+"}", "${"+n+"["+g.of("0", "x", "@", "*", "$y", "'"+g.payload()+"'", "1+1")+"]}",
		"${!"+n+"}", "${!"+n+"*}", "${!"+n+"[@]}", "${#"+n+"}", "${"+n+":"+g.of("0", "1:2", "x", "$y", "-1")+"}", "${"+n+"#a}", "${"+n+"/a/"+g.of("b", "$y", "'"+g.payload()+"'")+"}",
		"${"+n+":="+g.of("a", "'"+g.payload()+"'")+"}", "${"+n+"@"+g.of("Q", "P", "E", "A", "a", "U")+"}", "${"+n+"^^}", "$(("+g.arithmetic()+"))", "$["+g.arithmetic()+"]",
		"$("+g.program()+")", "`m7`", "<(m7)", "$1", "$@", "$*", "$?", "$#", "$-", "$_", "${@:1}", "${x+'"+g.payload()+"'}", `$"a"`)
}

func (g *grammar) arithmetic() string {
	return g.of("1", "0", "1+1", "x", "x=1", "a[0]", "a[x]", "x+"+"1", "i++", "(1)", "-x", "$x", "${x}", "x?1:0", "x[$y]", "'"+g.payload()+"'", "1,x", "!x", "16#ff", "\"$x\"")
}

func (g *grammar) test() string {
	a, b := g.word(), g.word()
	return g.of("-n "+a, "-v "+a, "-f "+a, "-R "+a, a+" == "+b, a+" -eq "+b, "1 -lt 2", a+" =~ "+b, "! -z "+a, "( "+a+" != "+b+" )", a, a+" < "+b, "-n "+a+" && "+b, "-o "+a)
}

func (g *grammar) redirection() string {
	return g.of(">o", ">>o", "2>&1", "<o", "<<<"+g.word(), "&>o", ">|o", "<>o", "{fd}>o", "{PATH}>o", "{a["+g.of("0", "'"+g.payload()+"'")+"]}>o", ">"+g.word(), "2>"+g.word(), ">(m7)", "<(m7)")
}

// evaluator is a builtin that evaluates text, or looks like one.
func (g *grammar) evaluator() string {
	q := "'" + g.payload() + "'"
	return g.of("eval "+q, "trap "+q+" EXIT", ". o", "source o", "let "+q, "declare "+q, "declare -i "+g.assignment(), "declare -n x="+q, "local "+q, "typeset -A a", "export "+g.assignment(),
		"readonly "+g.assignment(), "unset "+q, "read "+g.of(q, "x", "PATH", "a[0]")+" <<< "+q, "mapfile -C "+q+" -c 1 x <<< a", "printf -v "+q+" a", "printf "+q, "test -v "+q, "[ -v "+q+" ]",
		"[ "+g.word()+" "+g.word()+" ]", "[ "+g.word()+" "+g.word()+" "+g.word()+" ]", "test "+g.words(), "compgen -W "+q, "compgen -C "+q, "complete -C "+q+" x", "alias m1="+q, "shopt -s expand_aliases extglob", "set -k", "set -a", "set -x", "set -- "+q,
		"hash -p m9 m1", "jobs -x m9", "history -s "+q, "fc -s", "wait -n -p "+q, "getopts a "+q+" -a", "coproc "+g.name()+" { m3; }", "enable -n echo", "exec", "set -e", "shift", "select x in a; do break; done", "function f { m4; }; f", "unset -f m1", "PATH=. m1", "x=m9; $x", "declare -p x", "[[ -v x ]]", "m1 -eq "+q)
}
