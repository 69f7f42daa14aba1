package shellcmd

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Patched is a command that applies a patch, and may go on.
type Patched struct {
	Text string
	Dir  string // of a cd before, "" for none
	Rest string // the commands after it, "" for none
}

// Patch returns the patch that a command applies with apply_patch, a program that models know and
// most machines lack: apply_patch with a here-document or with one argument, also after cd DIR &&, before other
// commands, and in bash -lc. found is false for all other commands.
func Patch(command string) (p Patched, found bool) {
	if !strings.Contains(command, "apply_patch") && !strings.Contains(command, "applypatch") {
		return Patched{}, false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(&boundedReader{rest: command}, "")
	if err != nil || len(file.Stmts) == 0 {
		return Patched{}, false
	}
	chain := andChain(file.Stmts[0])
	if words := staticWords(chain[0]); len(words) == 2 && words[0] == "cd" {
		if len(chain) == 1 || len(chain[0].Redirs) > 0 || strings.HasPrefix(words[1], "-") || words[1] == "" {
			return Patched{}, false
		}
		chain, p.Dir = chain[1:], words[1]
	}
	stmt, isAlone := chain[0], len(chain) == 1 && len(file.Stmts) == 1
	words := staticWords(stmt)
	switch {
	case len(words) == 0:
		return Patched{}, false
	case words[0] == "apply_patch" || words[0] == "applypatch":
		if p.Text, found = patchOf(command, stmt, words[1:]); !found {
			return Patched{}, false
		}
		p.Rest, found = sourceOf(command, chain[1:], file.Stmts[1:])
		return p, found
	case isAlone && p.Dir == "" && len(words) == 3 && slices.Contains([]string{"bash", "sh", "zsh"}, words[0]) &&
		(words[1] == "-lc" || words[1] == "-c") && len(stmt.Redirs) == 0:
		return Patch(words[2])
	}
	return Patched{}, false
}

// andChain returns the commands that && joins, or the statement alone.
func andChain(stmt *syntax.Stmt) []*syntax.Stmt {
	both, ok := stmt.Cmd.(*syntax.BinaryCmd)
	if !ok || both.Op != syntax.AndStmt || !isPlainStmt(stmt) || len(stmt.Redirs) > 0 {
		return []*syntax.Stmt{stmt}
	}
	return append(andChain(both.X), andChain(both.Y)...)
}

// sourceOf returns the source of commands that && joins, and of the statements after them. ok is false for a here-document in
// the first ones, whose text stands elsewhere.
func sourceOf(command string, chain, after []*syntax.Stmt) (source string, ok bool) {
	var parts []string
	for _, stmt := range chain {
		ok = true
		syntax.Walk(stmt, func(n syntax.Node) bool {
			r, isRedirect := n.(*syntax.Redirect)
			ok = ok && (!isRedirect || r.Hdoc == nil)
			return ok
		})
		if !ok {
			return "", false
		}
		parts = append(parts, command[stmt.Pos().Offset():stmt.End().Offset()])
	}
	source = strings.Join(parts, " && ")
	if len(after) > 0 {
		source += "\n" + command[after[0].Pos().Offset():]
	}
	return strings.TrimSpace(source), true
}

// patchOf returns the here-document or the argument of apply_patch.
func patchOf(command string, stmt *syntax.Stmt, args []string) (string, bool) {
	switch {
	case len(args) == 1 && len(stmt.Redirs) == 0:
		return args[0], true
	case len(args) > 0 || len(stmt.Redirs) != 1:
		return "", false
	}
	doc := stmt.Redirs[0]
	if doc.Op != syntax.Hdoc || doc.Hdoc == nil || doc.N != nil {
		return "", false
	}
	// The text as it is written: models forget to quote the word after <<. The parser's end is that
	// of the line with this word.
	text := command[doc.Hdoc.Pos().Offset():min(doc.Hdoc.End().Offset(), uint(len(command)))]
	return text[:strings.LastIndexByte(text, '\n')+1], true
}

// staticWords returns the words of a simple command, nil if the statement is anything else.
func staticWords(stmt *syntax.Stmt) []string {
	c, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Assigns) > 0 || !isPlainStmt(stmt) {
		return nil
	}
	var words []string
	for _, w := range c.Args {
		word, ok := static(w)
		if !ok {
			return nil
		}
		words = append(words, word)
	}
	return words
}

func isPlainStmt(stmt *syntax.Stmt) bool { return !stmt.Negated && !stmt.Background && !stmt.Coprocess }
