package terminal

import (
	"strings"
	"testing"
)

func TestWarnings(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{
		"TERM=xterm-256color COLORTERM=truecolor":         "",
		"TERM=xterm-256color COLORTERM=kmscon":            "",
		"TERM=xterm-256color":                             "True color (24-bit)",
		"TERM=xterm":                                      "256-color support",
		"TERM=dumb":                                       "Basic terminal detected (TERM=dumb)",
		"TERM=vt100":                                      "Basic terminal detected (TERM=vt100)",
		"TERM=xterm NO_COLOR=1":                           "",
		"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal": "",
		"TERM=nsterm TERM_PROGRAM=Apple_Terminal":         "",
		"TERM=screen-256color TMUX=x":                     "tmux passes|True color (24-bit)",
		"TERM=screen-256color TMUX=x COLORTERM=truecolor": "",
		"TERM=tmux-256color TMUX=x COLORTERM=truecolor":   "",
		"TERM=screen-256color STY=x COLORTERM=truecolor":  "GNU screen",
	} {
		getenv := func(name string) string {
			for _, pair := range strings.Fields(env) {
				if value, ok := strings.CutPrefix(pair, name+"="); ok {
					return value
				}
			}
			return ""
		}
		term, _, _ := Test("")
		a := term.Abilities(getenv)
		got := a.Warnings(getenv)
		wanted := strings.Split(want, "|")
		if want == "" {
			wanted = nil
		}
		for i := range max(len(got), len(wanted)) {
			if i >= len(got) || i >= len(wanted) || !strings.Contains(got[i], wanted[i]) {
				t.Errorf("%s: %q, want %q", env, got, wanted)
				break
			}
		}
	}
}
