package slash

import (
	"slices"
	"strings"

	"pollux/tool/spelling"
)

// Call is a command with its arguments, parsed from a line.
type Call struct {
	Command *Command
	Name    string // full name with parent commands, without aliases: "memory show"
	Args    string // the rest of the line, trimmed
}

// Lookup parses a line into a command call. It returns false if the line names no command:
// for example a path, a code comment or an unknown word.
func Lookup(line string) (Call, bool) {
	rest, ok := strings.CutPrefix(line, "/")
	if !ok {
		return Call{}, false
	}
	word, rest := cutWord(rest)
	call := Call{Command: findCommand(Commands(), word), Args: rest}
	if call.Command == nil {
		return Call{}, false
	}
	call.Name = call.Command.Name
	for len(call.Command.Subs) > 0 {
		word, rest := cutWord(call.Args)
		sub := findCommand(call.Command.Subs, word)
		if sub == nil {
			break
		}
		call = Call{Command: sub, Name: call.Name + " " + sub.Name, Args: rest}
	}
	return call, true
}

// cutWord splits text after the first word, and trims the rest.
func cutWord(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t\r\n")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// findCommand returns the command with this name or alias, or nil.
func findCommand(commands []*Command, name string) *Command {
	for _, c := range commands {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c
		}
	}
	return nil
}

// Suggest returns the available command that is closest to a mistyped one, for "Did you
// mean" messages. It returns "" if the line has more than one word, is a known command, or
// no command is close enough.
func Suggest(line string) string {
	word, ok := strings.CutPrefix(strings.TrimSpace(line), "/")
	if _, known := Lookup(line); !ok || known || strings.ContainsAny(word, " \t\n/.") {
		return ""
	}
	var names []string
	for _, c := range Commands() {
		if !c.IsPlanned {
			names = append(append(names, c.Name), c.Aliases...)
		}
	}
	if near := spelling.Closest(word, slices.Values(names)); near != "" {
		return "/" + near
	}
	return ""
}

// subcommandList lists the available subcommands with their summaries.
func (s *Runner) subcommandList(c Call) string {
	var rows [][]string
	for _, sub := range c.Command.Subs {
		if !sub.IsPlanned {
			rows = append(rows, []string{"/" + c.Name + " " + sub.usage(), sub.Summary})
		}
	}
	return strings.TrimRight(s.formatTable(nil, rows...), "\n")
}

// subcommandNames returns a sentence with the names of the available subcommands.
func (c Call) subcommandNames() string {
	var names []string
	for _, sub := range c.Command.Subs {
		if !sub.IsPlanned {
			names = append(names, sub.Name)
		}
	}
	return "Available: " + strings.Join(names, ", ") + "."
}

// usage returns the name of a command with its arguments.
func (c *Command) usage() string { return strings.TrimSpace(c.Name + " " + c.Args) }
