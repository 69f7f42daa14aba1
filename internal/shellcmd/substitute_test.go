package shellcmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSubstitution(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"ls":                               false,
		"echo $(ls)":                       true,
		"echo `ls`":                        true,
		`echo "$(ls)"`:                     true,
		"echo \"`ls`\"":                    true,
		"cat <(ls)":                        true,
		"tee >(cat)":                       true,
		`echo "<(ls)"`:                     false,
		`echo '$(ls)' '` + "`ls`" + `'`:    false,
		`echo \$(ls`:                       true, // bash runs nothing, but it is no command either
		`echo \$\(ls\)`:                    false,
		`echo "\$(ls)"`:                    false,
		`echo \\$(ls)`:                     true,
		"echo \\`ls\\`":                    false,
		"echo ${HOME} $HOME":               false,
		"echo $((1 + 2))":                  true,
		"echo ${x:-$(ls)}":                 true,
		"cat <<EOF\nit's $(ls)\nEOF":       true,
		"cat <<EOF\nit's `ls`\nEOF":        true,
		"cat <<EOF\nit's \\$(ls)\nEOF":     false,
		"# it's\necho $(ls)":               true,
		"# it's\necho @(a|$(ls))":          true,
		`echo $'it\'s' $(ls)`:              true,
		"echo $\\\n(ls)":                   true,
		"cat <\\\n(ls)":                    true,
		"# it's\necho $\\\n(ls)":           true,
		"echo ${ ls; }":                    true,
		"echo ${| ls; }":                   true,
		"x=$(ls)":                          true,
		"a[$(ls)]=1":                       true,
		"(ls) > out":                       false,
		"ls <(":                            true,
		"echo $(ls)\n((bad":                true,
		"# it's\necho $(ls)\n'((bad":       true,
		`echo "a'b" '$(ls)'`:               false,
		`echo 'a"b' "$(ls)"`:               true,
		"git commit -m 'fix (a) <(b)'":     false,
		"for i in 1 2; do echo $i; done":   false,
		"echo a >(b":                       true,
		"[[ a =~ (b) ]]":                   false,
		"cat <<'EOF'\nit's `x`\nEOF":       false, // quoted: nothing is run, and the scan is lost in "it's"
		"cat <<'EOF'\n$(x)\nEOF":           true,  // nothing is run either, but the scan knows no heredocs
		strings.Repeat("x", 200<<10):       false,
		strings.Repeat("$(", 100<<10):      true,
		strings.Repeat("(", 100<<10) + "`": true,
	} {
		if _, got := Substitution(command); got != want {
			t.Errorf("Substitution(%.60q) = %v, want %v", command, got, want)
		}
	}
}

func TestSubstitutionText(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"ls && echo $(date +%s) 'x'":                   "$(date +%s)",
		"git commit -m \"see `logs/build.log` there\"": "`logs/build.log`",
		"diff <(ls (a)) b":                             "<(ls (a))",
		"cat <<EOF\nit's $(ls)\nEOF":                   "$(ls)",
		"cat <<EOF\nit's `ls -l\n  a`\nEOF":            "`ls -l a`",
		"echo '`a`' ${x:-$(b)}":                        "$(b)",
		"echo ${ ls; }":                                "${ ls; }",
		"echo $((1 + 2)) $(x)":                         "$((1 + 2))",
		"echo `open":                                   "`open",
		"echo $\\\n(ls)":                               "$\\ (ls)",
		"echo $(" + strings.Repeat("ä", 100) + ")":     "$(" + strings.Repeat("ä", 58) + "...",
		strings.Repeat("(", 100<<10) + "`" + "\xff":    "`",
	} {
		if got, found := Substitution(command); got != want && found || found != (want != "") {
			t.Errorf("Substitution(%.60q) = %q, %v, want %q", command, got, found, want)
		}
	}
	if text, found := Substitution("echo '$(ls)'"); found || text != "" {
		t.Errorf("found %q", text)
	}
}

// Whatever surrounds a substitution, if bash runs it, Substitutes reports it.
func TestSubstitutesAgainstBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NOT TESTED: bash is not installed")
	}
	around := []struct{ before, after string }{
		{"echo ", ""},
		{"echo '", "'"},
		{`echo "`, `"`},
		{`echo \`, ""},
		{`echo \\`, ""},
		{`echo "\`, `"`},
		{`echo $'`, "'"},
		{`echo $'\'`, "'"},
		{`echo $'\'' `, ""},
		{`echo $"`, `"`},
		{`echo "'`, `'"`},
		{`echo '"`, `"'`},
		{"# it's\necho ", ""},
		{"# it's\necho '", "'"},
		{"cat <<E\n", "\nE"},
		{"cat <<E\nit's ", "\nE"},
		{"cat <<E\n'", "'\nE"},
		{"cat <<E\n\\", "\nE"},
		{"cat <<'E'\n", "\nE"},
		{"cat <<\\E\nit's ", "\nE"},
		{"cat <<-\"E\"\n\tit's ", "\n\tE\n"},
		{"cat <<E\nE\necho '", "'"},
		{"cat <<E 'it'\\''s\nE\necho ", ""},
		{"echo ${x:-", "}"},
		{"echo \"${x:-'", "'}\""},
		{"echo ${x:-'", "'}"},
		{"x=", ""},
		{"x=(", ")"},
		{"[[ a == ", " ]]"},
		{"case a in ", ") ;; esac"},
		{"a[", "]=1"},
		{"for i in ", "; do :; done"},
		{"f() { echo ", "; }; f"},
		{"cat <<< ", ""},
		{"cat <<< '", "'"},
		{"true; ", ""},
		{"echo a#'", "'"},
		{"echo a #'\necho ", ""},
		{"echo ", "\n((bad"},
		{"echo '", "'\n((bad"},
		{"echo $\\\n", ""},
		{"echo $((1+", "))"},
		{"echo $[1+", "]"},
		{"(( x = ", "))"},
		{"let x=", ""},
		{"echo @(", ")"},
	}
	inside := []string{
		"$(touch ran)", "`touch ran`", "<(touch ran)", ">(touch ran)",
		"$\\\n(touch ran)", "<\\\n(touch ran)", "${ touch ran; }", "$( (touch ran) )", "$((touch ran) )", "(touch ran)",
	}
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, a := range around {
		for _, in := range inside {
			command := a.before + in + a.after
			if in == "(touch ran)" && !strings.Contains(command, "$\\\n(") {
				continue // a subshell is no substitution
			}
			cmd := exec.CommandContext(ctx, bash, "-c", "shopt -u promptvars nullglob extglob nocaseglob dotglob\n"+command+"\nwait")
			cmd.Dir = dir
			_ = cmd.Run() // many of them are no commands
			if _, err := os.Stat(ran); err != nil {
				continue
			}
			if err := os.Remove(ran); err != nil {
				t.Fatal(err)
			}
			if _, found := Substitution(command); !found {
				t.Errorf("bash substitutes in %q, Substitutes says no", command)
			}
		}
	}
}
