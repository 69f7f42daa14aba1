// Package commands completes / commands and their arguments.
//
// It knows commands as a tree of [Command], which [Table] makes of the command table of a session.
package commands

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/completion"
	"pollux/internal/terminal"
)

// maxSuggestions is the number of suggestions in a result.
const maxSuggestions = 200

// Source completes / commands on the first line of the text.
type Source struct {
	// Commands returns the commands at the moment. It is called on the goroutine of the engine.
	Commands func() []Command
}

// Complete implements [completion.Source]. It leaves a text for which it has no suggestions to other sources: the
// argument of a command may mention a file.
func (s *Source) Complete(ctx context.Context, r completion.Request) (completion.Result, bool) {
	line, _, _ := strings.Cut(r.Text, "\n")
	if r.IsShell || !isCommand(line) || r.Cursor < 1 || r.Cursor > len(line) {
		return completion.Result{}, false
	}
	at := lastWord(line[:r.Cursor])
	end := at + len(word(line[at:]))
	words := strings.Fields(line[1:at])
	c, args, next, ok := descend(s.Commands(), words)
	result := completion.Result{Range: buffer.Range{Start: at, End: end}}
	if !ok {
		return result, false
	}
	typed := line[at:r.Cursor]
	result.IsComplete = strings.TrimSpace(line[end:]) == "" && isComplete(c, args, next, typed)
	if len(args) == 0 {
		result.Suggestions = rank(next, typed)
	}
	if c != nil && c.Complete != nil && len(result.Suggestions) < maxSuggestions {
		list, isDir := values(ctx, c, args, typed)
		result.Suggestions = append(result.Suggestions, list...)
		result.IsComplete = result.IsComplete || isDir && strings.TrimSpace(line[end:]) == "" && c.isWhole(len(args)+1)
	}
	space(result.Suggestions, line[end:])
	return result, len(result.Suggestions) > 0
}

// isCommand reports whether a line may begin with a command. A path or a comment is none.
func isCommand(line string) bool {
	if len(line) == 0 || line[0] != '/' || strings.HasPrefix(line, "/*") {
		return false
	}
	return !strings.Contains(word(line[1:]), "/")
}

// word returns the text up to the first space.
func word(text string) string {
	if n := strings.IndexFunc(text, unicode.IsSpace); n >= 0 {
		return text[:n]
	}
	return text
}

// lastWord returns the position of the last word of a line with a command, which is behind the slash or a space.
func lastWord(line string) int {
	rest := strings.TrimRightFunc(line, func(r rune) bool { return !unicode.IsSpace(r) })
	return max(len(rest), 1)
}

// isComplete reports whether the text up to the cursor may be sent: the word that is typed names one of the next
// commands, or there is none and the words before it are enough.
func isComplete(c *Command, args []string, next []Command, typed string) bool {
	if typed != "" {
		c = find(next, typed)
	}
	return c != nil && c.isWhole(len(args))
}

// values returns suggestions for an argument of a command, after the arguments args, and whether the typed word names
// a directory, whose entries are suggested.
func values(ctx context.Context, c *Command, args []string, typed string) (list []completion.Suggestion, isDir bool) {
	if len(args) >= c.MaxWords {
		return nil, false
	}
	found := c.Complete(ctx, args, typed)
	for _, v := range rankValues(found, typed) {
		v.Runs = c.isWhole(len(args)+1) && !strings.HasSuffix(v.Insert, "/")
		list = append(list, v)
	}
	return list, strings.HasSuffix(typed, "/") && slices.ContainsFunc(found, func(v Value) bool { return v.IsPath })
}

// space adds a space behind the suggestions, unless the text goes on with one or the suggestion is a directory.
func space(list []completion.Suggestion, rest string) {
	if rest != "" {
		return
	}
	for i := range list {
		if !strings.HasSuffix(list[i].Insert, "/") {
			list[i].Insert += " "
		}
	}
}

// isTypable reports whether a text can be a word that the user types.
func isTypable(text string) bool { return text != "" && terminal.Line(text) == text }
