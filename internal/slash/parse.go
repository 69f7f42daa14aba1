package slash

import (
	"os"
	"slices"
	"strings"
	"unicode"

	"pollux/internal/manage"
	"pollux/tool/spelling"
)

// Call is a command with its arguments, parsed from a line.
type Call struct {
	Command *manage.Command
	Name    string // full name with parent commands, without aliases: "memory show"
	Args    string // the rest of the line, trimmed
	Line    string // the line, trimmed
}

// Lookup parses a line into a command call, for reading: only a [Runner] can run it. It returns false if the line names no command:
// for example a path, a code comment or an unknown word.
func Lookup(line string) (Call, bool) {
	if !strings.HasPrefix(line, "/") {
		return Call{}, false // without the table, which costs more than a prompt
	}
	return find(Commands(), line)
}

// find parses a line into a call of one of these commands.
func find(commands []*manage.Command, line string) (Call, bool) {
	rest, ok := strings.CutPrefix(line, "/")
	if !ok {
		return Call{}, false
	}
	word, rest := manage.CutWord(rest)
	call := Call{Command: findCommand(commands, word), Args: rest, Line: strings.TrimSpace(line)}
	if call.Command == nil {
		return Call{}, false
	}
	call.Name = call.Command.Name
	for len(call.Command.Subs) > 0 {
		word, rest := manage.CutWord(call.Args)
		sub := findCommand(call.Command.Subs, word)
		if sub == nil || rest != "" && sub.Args == "" && len(sub.Subs) == 0 && call.Command.Args != "" {
			break // the word is an argument
		}
		call = Call{Command: sub, Name: call.Name + " " + sub.Name, Args: rest, Line: call.Line}
	}
	return call, true
}

// findCommand returns the command with a name, else the first one with an alias of this name; nil if there is none.
func findCommand(commands []*manage.Command, name string) *manage.Command {
	for _, isNamed := range [...]func(c *manage.Command) bool{
		func(c *manage.Command) bool { return c.Name == name },
		func(c *manage.Command) bool { return slices.Contains(c.Aliases, name) },
	} {
		if i := slices.IndexFunc(commands, isNamed); i >= 0 {
			return commands[i]
		}
	}
	return nil
}

// Unknown explains that a line looks like a command and names none: "/stauts is not a command. Did you mean /stats?".
// It returns "" for a line that names a command, and for one that is a prompt: a path, a code comment, or several
// lines.
func (s *Runner) Unknown(line string) string {
	if !strings.HasPrefix(line, "/") {
		return ""
	}
	_, renamed := s.settle()
	word, _ := manage.CutWord(line[1:])
	var now []string
	for _, r := range renamed {
		if r.from == word && findCommand(s.table(), word) == nil {
			now = append(now, "/"+r.to)
		}
	}
	if len(now) > 0 {
		return "/" + word + " is the name of several commands. Type " + strings.Join(now, " or ") + "."
	}
	reason := unknown(append(s.table(), s.added()...), line)
	if reason == "" || !s.hasSkill(word) {
		return reason
	}
	return "/" + word + " is not a command here. There is a skill " + word + ": it can be used in a session, or ask for it in words."
}

func unknown(commands []*manage.Command, line string) string {
	rest, ok := strings.CutPrefix(line, "/")
	word, rest := manage.CutWord(rest)
	if _, known := find(commands, line); !ok || known || strings.Contains(strings.TrimSpace(line), "\n") {
		return ""
	}
	switch near := suggest(commands, word); {
	case word == "" && rest == "":
		return "/ is not a command. /help lists the commands."
	case isFile("/" + word):
		return ""
	case near != "" && isName(strings.ReplaceAll(word, ".", "-")): // custom commands may have dots
		return "/" + word + " is not a command. Did you mean " + near + "?"
	case !isName(word):
		return ""
	}
	return "/" + word + " is not a command. /help lists the commands."
}

// isName reports whether a word could be the name of a command.
func isName(word string) bool {
	const most = 40
	first := strings.IndexFunc(word, unicode.IsLetter)
	return first == 0 && len(word) <= most && !strings.ContainsFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_:", r)
	})
}

func isFile(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// suggest returns the available command that a mistyped name probably means, as "/model"; "" if there is none.
func suggest(commands []*manage.Command, name string) string {
	var names []string
	for _, c := range commands {
		if !c.IsPlanned {
			names = append(append(names, c.Name), c.Aliases...)
		}
	}
	if near := spelling.Closest(name, slices.Values(names)); near != "" {
		return "/" + near
	}
	return ""
}

func (c Call) subcommandNames() string {
	var names []string
	for _, sub := range c.Command.Subs {
		if !sub.IsPlanned {
			names = append(names, sub.Name)
		}
	}
	return "Available: " + strings.Join(names, ", ") + "."
}
