package shellcmd

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Patch returns the patch that a command applies with apply_patch, a program that models know and
// most machines lack: apply_patch with a here-document or with one argument, also after cd DIR &&, and
// in bash -lc. dir is the directory of cd, "" if there is none. found is false for commands that do
// anything else.
func Patch(command string) (text, dir string, found bool) {
	if !strings.Contains(command, "apply_patch") && !strings.Contains(command, "applypatch") {
		return "", "", false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(&boundedReader{rest: command}, "")
	if err != nil || len(file.Stmts) != 1 {
		return "", "", false
	}
	stmt := file.Stmts[0]
	if both, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && both.Op == syntax.AndStmt && isPlainStmt(stmt) {
		words := staticWords(both.X)
		if len(words) != 2 || words[0] != "cd" || len(both.X.Redirs) > 0 || strings.HasPrefix(words[1], "-") || words[1] == "" {
			return "", "", false
		}
		stmt, dir = both.Y, words[1]
	}
	words := staticWords(stmt)
	switch {
	case len(words) == 0:
		return "", "", false
	case words[0] == "apply_patch" || words[0] == "applypatch":
		text, found = patchOf(command, stmt, words[1:])
	case dir == "" && len(words) == 3 && slices.Contains([]string{"bash", "sh", "zsh"}, words[0]) &&
		(words[1] == "-lc" || words[1] == "-c") && len(stmt.Redirs) == 0:
		return Patch(words[2])
	}
	return text, dir, found
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
