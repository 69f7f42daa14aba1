package shellcmd

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// TestComputed checks which words hold output of substitutions, with what is known about them.
func TestComputed(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"a b":                              "",
		"a $x $((1+2))":                    "",
		"a $(b)":                           "1 splits",
		`a "$(b)"`:                         `1`,
		`a "x $(b)" y`:                     `1 begins "x "`,
		`a x"$(b)"`:                        `1 begins "x"`,
		`a "-$(b)"`:                        `1 begins "-"`,
		"a x$(b)":                          "1 splits",
		`a "x$(b)"$y`:                      "1 splits",
		`a "x$(b)$@"`:                      "1 splits",
		`a "x$(b)${y[@]}"`:                 "1 splits",
		`a "x$y$(b)"`:                      `1 begins "x"`,
		`a *"$(b)"`:                        "1 splits",
		"a <(b)":                           `1 begins "/dev/fd/"`,
		"$(a) b":                           "0 splits",
		"x=$(a); b $x":                     "1 splits",
		`x=$(a); b "$x" y`:                 "1",
		"x=1; b $x $(c)":                   "2 splits",
		"for x in $(a); do b \"$x\"; done": "1",
		`f() { b "$1"; }; f $(a)`:          "1,1 splits",
		`read x <<< $(a); b "$x"`:          "1",
		`a ${x:=$(b)} $x`:                  "1 splits,2 splits",
		`a ${x:-$(b)} $y`:                  "1 splits",
		"a \"$(cat <<'E'\nb\nE\n)\"":       "",
		"a \"$(cat <<'E'\nb\nE\n)$(c)\"":   `1 begins "b"`,
		"a \"$(cat x <<'E'\nb\nE\n)\"":     "1",
		"cat() { b; }; a \"$(cat <<'E'\nb\nE\n)\"": "1",
		"export A=b; a \"$(cat <<'E'\nb\nE\n)\"":   "1",
		"eval x; a \"$(cat <<'E'\nb\nE\n)\"":       "1",
		"a \"$(cat <<E\n$x\nE\n)\"":                "1",
		"a \"$(cat <<E\n\\$x\nE\n)\"":              "1",
		"a $(cat <<'E'\nb\nE\n)":                   "1 splits",
	} {
		s, err := Parse(command)
		if err != nil {
			t.Errorf("%q: %v", command, err)
			continue
		}
		var got []string
		for _, c := range s.Commands {
			if c.IsNested {
				continue
			}
			for i, w := range c.Words {
				if !w.Computed {
					continue
				}
				text := fmt.Sprint(i)
				if w.Splits {
					text += " splits"
				}
				if w.Begins != "" {
					text += fmt.Sprintf(" begins %q", w.Begins)
				}
				got = append(got, text)
			}
		}
		if got := strings.Join(got, ","); got != want {
			t.Errorf("%q: %s, want %s", command, got, want)
		}
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{"a b $(c) d": "a b", "$(a) b": "", `"a" 'b c' $(d)`: "a b c", "a b": "a b", "time a $(b)": "", "X=1 a $(b)": "a"} {
		s, err := Parse(command)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Commands[0].Known(); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

// TestStaticAgainstBash compares the values of words with those that bash passes to a program.
func TestStaticAgainstBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NOT TESTED: bash is not installed")
	}
	for _, word := range []string{
		"$((1 + 2))", `"$((7 / 2 % 2 * (3 - 9)))"`, "x$((2-1))y", "$[1+1]",
		"\"$(cat <<'E'\nit's `x` $(y) \\n \\\n\n\nE\n)\"", "\"a$(cat <<E\n\tb\nE\n)c\"", "\"$(cat <<-'E'\n\t\tb\n\tc\t\n\tE\n)\"", "\"$(cat <<\\E\n$x\nE\n)\"",
	} {
		s, err := Parse("printf %s " + word)
		if err != nil || !s.Commands[0].Words[2].Static {
			t.Errorf("%q is not static, %v", word, err)
			continue
		}
		out, err := exec.CommandContext(t.Context(), bash, "-c", "printf %s "+word).Output()
		if got := s.Commands[0].Words[2].Value; err != nil || got != string(out) {
			t.Errorf("%q: %q, and %q for bash, %v", word, got, out, err)
		}
	}
	for _, word := range []string{"$((1/0))", "$((x))", "$((010))", "$((2**3))", "$((1<2))", "$((99999999 * 99999999))"} {
		if s, err := Parse("printf %s " + word); err != nil || s.Commands[0].Words[2].Static {
			t.Errorf("%q is static, %v", word, err)
		}
	}
}
