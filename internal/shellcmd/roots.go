package shellcmd

import (
	"slices"
	"strings"
)

// Roots returns a short description of a command for the user: the names of the programs that
// it runs, each once, in order, followed by its redirections ("redirection (>)", "heredoc
// (<<)", "herestring (<<<)"). For a command that cannot be parsed, it is the first word, and
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
	roots := script.Names()
	for _, r := range script.Redirections {
		name := "redirection (" + r.Op + ")"
		switch r.Op {
		case "<<", "<<-":
			name = "heredoc (" + r.Op + ")"
		case "<<<":
			name = "herestring (" + r.Op + ")"
		}
		if !slices.Contains(roots, name) {
			roots = append(roots, name)
		}
	}
	return roots
}

// Names returns the names of the script's commands, each once, in order.
func (s *Script) Names() []string {
	var names []string
	for _, c := range s.Commands {
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return names
}
