package commands

import (
	"context"
	"math"
	"slices"
	"strings"

	"pollux/internal/face/tui/completion/paths"
	"pollux/internal/manage"
	"pollux/internal/project"
	"pollux/internal/slash"
)

// Added is a command that the user, an extension or an MCP server has added to the table.
type Added = slash.Added

// Table makes the tree of the commands of a session. Its functions must be safe to call beside the session's goroutine.
type Table struct {
	// Added returns the added commands, nil for none.
	Added func() []Added
	// Project returns the project of the session, nil before it is open.
	Project func() *project.Project
	// Opens reports whether a command without arguments opens a dialog, whether or not it runs. It may be nil.
	Opens func(name string) bool
	// Paths lists the files that arguments can name, nil for none.
	Paths *paths.Lister
}

// Commands returns the available commands: those of Pollux, then the added ones.
func (t *Table) Commands() []Command {
	list := t.rows(slash.Commands(), "")
	if t.Added == nil {
		return list
	}
	for _, a := range t.Added() {
		if c, ok := t.command(a.Command, ""); ok {
			c.TakesText = a.Args != ""
			if a.IsPrompt {
				c.Suffix = "MCP"
			}
			list = append(list, c)
		}
	}
	return list
}

// rows returns the available commands of rows of the table.
func (t *Table) rows(rows []*manage.Command, parent string) (list []Command) {
	for _, row := range rows {
		if c, ok := t.command(row, parent); ok {
			list = append(list, c)
		}
	}
	return list
}

// command returns the command of a row, and whether it is available.
func (t *Table) command(row *manage.Command, parent string) (Command, bool) {
	if row.IsPlanned || row.Summary == "" {
		return Command{}, false
	}
	name := strings.TrimSpace(parent + " " + row.Name)
	least, most := arity(row.Args)
	return Command{
		Name: row.Name, Aliases: row.Aliases, Summary: row.Summary, Group: groupOf(name), Subs: t.rows(row.Subs, name),
		IsRunnable: row.Run != nil || t.Opens != nil && t.Opens(name), MinWords: least, MaxWords: most, Complete: t.completer(row),
	}, true
}

// groupOf returns the title above a command, "" for none.
func groupOf(name string) string {
	command, sub, _ := strings.Cut(name, " ")
	switch {
	case command != "chat" && command != "resume", sub == "":
		return ""
	case sub == "list":
		return "auto"
	}
	return "checkpoints"
}

// arity returns the least and the largest number of arguments with this syntax, such as "<name> [file]".
func arity(syntax string) (least, most int) {
	depth, open := 0, 0 // of [ and <
	for _, word := range strings.Fields(syntax) {
		isInName := open > 0 // as in "<path or host>"
		if open += strings.Count(word, "<") - strings.Count(word, ">"); isInName {
			continue
		}
		if depth == 0 && word[0] != '[' {
			least++
		}
		if most++; strings.Contains(word, "...") {
			most = math.MaxInt32
		}
		depth += strings.Count(word, "[") - strings.Count(word, "]")
	}
	return least, most
}

// completer returns the completion of the arguments of a command, nil if there is none.
func (t *Table) completer(row *manage.Command) func(ctx context.Context, words []string, typed string) []Value {
	switch {
	case row.Values != nil:
		return func(ctx context.Context, words []string, typed string) []Value {
			return t.offer(ctx, row.Values, words, typed)
		}
	case row.Names != nil && t.Project != nil:
		return func(ctx context.Context, words []string, _ string) []Value { return t.names(ctx, row, words) }
	}
	return nil
}

// offer returns the values of an argument, and the paths if the command takes them.
func (t *Table) offer(ctx context.Context, complete manage.Values, words []string, typed string) (list []Value) {
	texts, files := complete(words, typed)
	for _, text := range texts {
		value, detail, _ := strings.Cut(text, "\t")
		list = append(list, Value{Text: value, Detail: detail})
	}
	if files == manage.Text && isPath(typed) {
		files = manage.Files
	}
	if (files == manage.Files || files == manage.Directories) && t.Paths != nil {
		found := t.Paths.List(ctx, strings.ReplaceAll(typed, `\ `, " "))
		for _, e := range found {
			if e.IsDir || files == manage.Files {
				list = append(list, Value{Text: strings.ReplaceAll(e.Text, " ", `\ `), IsPath: true})
			}
		}
	}
	return list
}

// isPath reports whether a text begins like a path rather than like a word.
func isPath(typed string) bool {
	return strings.ContainsRune(typed, '/') || strings.HasPrefix(typed, ".") || strings.HasPrefix(typed, "~")
}

// names returns the names that an argument can have, and that are not among the words before it.
func (t *Table) names(ctx context.Context, row *manage.Command, words []string) (list []Value) {
	p := t.Project()
	if p == nil {
		return nil
	}
	for _, name := range row.Names(ctx, p) {
		if !slices.Contains(words, name) {
			list = append(list, Value{Text: name})
		}
	}
	return list
}
