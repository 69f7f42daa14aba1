package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pollux/tool/spelling"
)

// printTopic prints the help for "pollux help [topic]", and the version for "pollux version". A topic is a
// command with its subcommands, a group of flags, "flags" or "later". More than one other word is a prompt:
// printTopic then returns false.
func (p *program) printTopic(words []string) bool {
	switch {
	case slices.Equal(words, []string{"version"}):
		_, _ = p.term.Out.Write([]byte(version(p.env) + "\n"))
		return true
	case len(words) == 0 || words[0] != "help":
		return false
	case len(words) == 1:
		printHelp(p.term.Out, p.root, p.term.Width)
		return true
	}
	h := helpWriter{p.term.Out, p.term.Width}
	if cmd := findCommand(p.root, words[1:]); cmd != nil && !isLaterCommand(cmd) {
		printHelp(p.term.Out, cmd, p.term.Width)
		return true
	} else if cmd != nil {
		h.printLater()
		return true
	}
	if len(words) > 2 {
		return false
	}
	switch words[1] {
	case "help", "version":
		printHelp(p.term.Out, p.root, p.term.Width)
		return true
	case "later":
		h.printLater()
		return true
	}
	var chosen []flagGroup
	for _, g := range flagGroups(p.root) {
		if words[1] == "flags" || words[1] == topicOf(g.title) {
			chosen = append(chosen, g)
		}
	}
	if len(chosen) > 0 {
		h.text("Flags for a prompt or a session.")
		h.sections(chosen)
	}
	return len(chosen) > 0
}

// topicOf returns the topic for a group of flags: the first word of its title.
func topicOf(title string) string {
	word, _, _ := strings.Cut(strings.ToLower(title), " ")
	return strings.Trim(word, ",")
}

// findCommand returns the command with this path below root, nil if there is none.
func findCommand(root *cobra.Command, path []string) *cobra.Command {
	for _, name := range path {
		commands := root.Commands()
		i := slices.IndexFunc(commands, func(c *cobra.Command) bool { return c.Name() == name || c.HasAlias(name) })
		if i < 0 {
			return nil
		}
		root = commands[i]
	}
	return root
}

// printLater lists the commands that are not available yet.
func (h helpWriter) printLater() {
	var commands []string
	for _, names := range laterCommands {
		commands = append(commands, names[0])
	}
	h.text("Commands of Gemini CLI that are not available yet in this version of Pollux.")
	h.lines("COMMANDS", strings.Join(commands, ", "))
	h.lines("LEARN MORE",
		"Run 'pollux config list' for the settings that have no effect yet.",
		"Type /help in a session for its commands.")
}

// nearSubcommand returns the command that the words of a prompt probably mean, such as "pollux
// models" for "modls"; "" if they are a prompt.
func nearSubcommand(root *cobra.Command, words []string) string {
	if len(words) == 0 || len(words) > 4 {
		return ""
	}
	near := nearName(root, words[0])
	switch {
	case len(words) == 1 && slices.Contains([]string{"login", "logout", "signin", "signout"}, words[0]):
		return "pollux auth"
	case near == "":
		return ""
	case len(words) == 1:
		return "pollux " + near
	}
	if cmd := findCommand(root, []string{near, words[1]}); cmd != nil {
		return cmd.CommandPath()
	}
	return ""
}

// nearName returns the name of the subcommand of root, "help" or "version" that word probably
// misspells, "" if there is none. Of short names, which resemble many words of prompts, it
// accepts only one mistake.
func nearName(root *cobra.Command, word string) string {
	const short = 5
	names := []string{"help", "version"}
	for _, sub := range root.Commands() {
		names = append(names, sub.Name())
	}
	near := spelling.Closest(word, slices.Values(names))
	if d := spelling.Distance(word, near); d == 0 || len(near) <= 3 || d > 1 && len(near) <= short {
		return ""
	}
	return near
}
