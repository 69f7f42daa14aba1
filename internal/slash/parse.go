package slash

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
)

// Call is a command that a line names, and what stands behind it.
type Call struct {
	Command *Command
	Name    string // with its parents, as the table has them: "memory show"
	Args    string // without the white space around them
}

// Lookup returns what a line asks for; false if it names no command, as a path,
// a comment or an unknown word does.
func Lookup(line string) (Call, bool) {
	rest, ok := strings.CutPrefix(line, "/")
	if !ok {
		return Call{}, false
	}
	word, rest := next(rest)
	call := Call{Command: find(Commands(), word), Args: rest}
	if call.Command == nil {
		return Call{}, false
	}
	call.Name = call.Command.Name
	for len(call.Command.Subs) > 0 {
		word, rest := next(call.Args)
		sub := find(call.Command.Subs, word)
		if sub == nil {
			break
		}
		call = Call{Command: sub, Name: call.Name + " " + sub.Name, Args: rest}
	}
	return call, true
}

// next cuts the first word off a text.
func next(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t\r\n")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

func find(commands []*Command, name string) *Command {
	for _, c := range commands {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c
		}
	}
	return nil
}

// Meant returns the command that was meant by a line that is a mistyped one alone,
// "" if there is none (spec/tui.md §3.2).
func Meant(line string) string {
	word, ok := strings.CutPrefix(strings.TrimSpace(line), "/")
	if _, known := Lookup(line); !ok || known || len(word) < 3 || len(word) > 30 || strings.ContainsAny(word, " \t\n/.") {
		return ""
	}
	const far = 2 // edits
	best, least := "", far+1
	for _, c := range Commands() {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if n := levenshtein.ComputeDistance(word, name); n < least && n < len(name) && !c.Later {
				best, least = "/"+name, n
			}
		}
	}
	return best
}

// needsSub says that a command does nothing without a subcommand.
func (c Call) needsSub() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Command '/%s' requires a subcommand. Available:", c.Name)
	for _, sub := range c.Command.Subs {
		if !sub.Later {
			fmt.Fprintf(&b, "\n  - %s: %s", sub.usage(), sub.Summary)
		}
	}
	return b.String()
}

// subs names the subcommands.
func (c Call) subs() string {
	var names []string
	for _, sub := range c.Command.Subs {
		if !sub.Later {
			names = append(names, sub.Name)
		}
	}
	return "There are: " + strings.Join(names, ", ") + "."
}

// usage is the name of a command with its arguments.
func (c *Command) usage() string { return strings.TrimSpace(c.Name + " " + c.Args) }

// cut shortens a text to n bytes.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
