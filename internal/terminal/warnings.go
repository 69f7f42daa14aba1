package terminal

import (
	"slices"
	"strings"
)

// Warnings returns what a person should know of a terminal that can do less than
// others (spec/cli.md §8.4): at most one about colours, and one about what stands
// between. Who has asked for no colours, does without that one.
func (a *Abilities) Warnings(getenv func(string) string) []string {
	var list []string
	switch {
	case a.Inside == "tmux" && strings.HasPrefix(a.Term, "screen") && getenv("COLORTERM") == "":
		list = append(list, "Warning: tmux passes few colours on with TERM="+a.Term+". "+
			`Put set -g default-terminal "tmux-256color" into ~/.tmux.conf.`)
	case a.Inside == "screen":
		list = append(list, "Warning: GNU screen passes on neither all colours nor all keys. tmux does.")
	}
	switch {
	case a.ColorsBy == "NO_COLOR", a.ColorsBy == "FORCE_COLOR":
	case slices.Contains([]string{"dumb", "vt100"}, a.Term):
		list = append(list, "Warning: Basic terminal detected (TERM="+a.Term+"). There are no colours, and output goes line by line.")
	case a.Colors == NoColors, a.Colors == Colors16:
		list = append(list, "Warning: 256-color support not detected. Set TERM=xterm-256color if your terminal has them.")
	case a.Colors == Colors256 && getenv("TERM_PROGRAM") != "Apple_Terminal": // which has no more
		list = append(list, "Warning: True color (24-bit) support not detected. "+
			"Using a terminal with true color enabled will result in a better visual experience.")
	}
	return list
}
