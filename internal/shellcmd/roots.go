package shellcmd

import (
	"slices"
	"strings"
)

// Roots returns a short description of a command for the user: the names of the programs that
// it runs, each once, in order, followed by its redirections ("redirection (>)", "heredoc
// (<<)", "herestring (<<<)"), neutral ones excepted. For a command that cannot be parsed, it is the first word, and
// "redirection" if the command may contain one.
func Roots(command string) []string {
	script, err := Parse(command)
	if err != nil {
		fields := strings.Fields(command)
		if len(fields) == 0 {
			return nil
		}
		roots := fields[:1]
		if strings.ContainsAny(command, "<>") {
			roots = append(slices.Clip(roots), "redirection")
		}
		return roots
	}
	var roots []string
	add := func(name string) {
		if !slices.Contains(roots, name) {
			roots = append(roots, name)
		}
	}
	for _, c := range script.Commands {
		add(c.Name)
	}
	for _, r := range script.Redirections {
		if r.IsNeutral() {
			continue
		}
		kind := "redirection"
		switch r.Op {
		case "<<", "<<-":
			kind = "heredoc"
		case "<<<":
			kind = "herestring"
		}
		add(kind + " (" + r.Op + ")")
	}
	return roots
}
