package commands

import (
	"context"
	"slices"
)

// Command is a / command as completion needs it. Hidden commands, and those that are not available, are not in the
// tree.
type Command struct {
	Name    string
	Aliases []string
	Summary string
	Suffix  string // the kind, such as "MCP"; "" for the commands of Pollux
	Group   string // the title above commands of the same level, "" for none
	Subs    []Command
	// IsRunnable means that the command does something itself, and is not only a group.
	IsRunnable bool
	// TakesText means that any text may follow the command, which Enter therefore does not send at once.
	TakesText bool
	// MinWords and MaxWords are the least and the largest number of arguments.
	MinWords, MaxWords int
	// Complete returns the values of an argument that begins with typed, after these words. It is nil if none are
	// known.
	Complete func(ctx context.Context, words []string, typed string) []Value
}

// Value is a value of an argument.
type Value struct {
	Text, Detail string
	IsPath       bool
}

// isWhole reports whether the command may be sent with so many arguments.
func (c *Command) isWhole(args int) bool { return c.IsRunnable && args >= c.MinWords }

// runs reports whether the command is sent as soon as it is chosen.
func (c *Command) runs() bool {
	return c.isWhole(0) && len(c.Subs) == 0 && c.Complete == nil && !c.TakesText
}

// find returns the command with a name or an alias, nil if there is none. Names take precedence.
func find(list []Command, word string) *Command {
	for i := range list {
		if list[i].Name == word {
			return &list[i]
		}
	}
	for i := range list {
		if slices.Contains(list[i].Aliases, word) {
			return &list[i]
		}
	}
	return nil
}

// descend returns the command that the words name, the rest of the words, which are arguments, and the commands that
// the next word may name. The command is nil if there are no words. It returns false if a word is unknown.
func descend(list []Command, words []string) (c *Command, args []string, next []Command, ok bool) {
	next = list
	for i, word := range words {
		sub := find(next, word)
		if sub == nil {
			return c, words[i:], nil, c != nil
		}
		c, next = sub, sub.Subs
	}
	return c, nil, next, true
}
