package shellcmd

import (
	"os/exec"
	"strings"
	"testing"
)

// TestFill checks with bash that a value is text in all quotes.
func TestFill(t *testing.T) {
	t.Parallel()
	const mark = "{{args}}"
	values := []string{
		"x", "two words", "it's", `"`, `\`, `a\'b`, "$HOME", "$(echo run)", "`echo run`", `";echo run;"`, "';echo run;'",
		"*", "~", "#x", "a;b", "a|b&c", "!x", "-n", "{a,b}", `\$(echo run)`, "é", "<(x)",
	}
	for _, command := range []string{
		"printf %s {{args}}", `printf %s "{{args}}"`, "printf %s '{{args}}'", `printf %s $'{{args}}'`,
		`printf %s "$(printf %s {{args}})"`, `printf %s "$(printf %s "{{args}}")"`, "printf %s \"`printf %s '{{args}}'`\"",
		"printf %s \"`printf %s {{args}}`\"",
		"cat <<EOF\n{{args}}\nEOF", "cat <<'EOF'\n{{args}}\nEOF", "cat <<EOF # it's\n{{args}}\nEOF",
		"# don't\nprintf %s {{args}}", `x={{args}}; printf %s "$x"`, "printf '%s' {{args}} | cat",
	} {
		for _, value := range values {
			filled := Fill(command, mark, value)
			out, err := exec.Command("bash", "-c", filled).CombinedOutput()
			if err != nil || strings.TrimSuffix(string(out), "\n") != value {
				t.Errorf("%s with %s\n= %s\nprints %q, %v", command, value, filled, out, err)
			}
		}
	}
}

func TestFillEmpty(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"ls {{args}}":             "ls ",
		`ls "{{args}}"`:           `ls ""`,
		"git log -n {{args}}":     "git log -n ",
		"ls":                      "ls",
		"echo 'unclosed {{args}}": "echo 'unclosed ",
	} {
		if got := Fill(command, "{{args}}", ""); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	if got, want := Fill("git log -n {{args}} ARGS", "{{args}}", "5"), "git log -n 5 ARGS"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
