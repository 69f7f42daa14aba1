package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file checks the parser where a mistake would hide a command: every place in the text where
// characters could begin a substitution must be one that the parser has found, or one where quotes
// prevent it.

// The kinds of places in a command.
const (
	plain   byte = iota
	begins       // a substitution or an arithmetic expansion begins or ends here
	inert        // in single quotes, a comment or a heredoc with a quoted delimiter
	doubled      // in double quotes or a heredoc, where <( and >( are text
)

// hidesSubstitution reports whether bash may run a substitution that the parser has not found.
func (c *collector) hidesSubstitution(file *syntax.File) bool {
	if suspicion(c.source) < 0 {
		return false
	}
	kinds, ok := c.kinds(file)
	if !ok {
		return true
	}
	escaped := false
	for i := 0; i < len(c.source); i++ {
		b, kind := c.source[i], kinds[i]
		wasEscaped := escaped
		escaped = b == '\\' && !wasEscaped && kind != inert
		if kind == begins || kind == inert || wasEscaped {
			continue
		}
		rest := c.source[i+1:]
		switch {
		case b == '`',
			b == '$' && strings.HasPrefix(rest, "("),
			b == '$' && len(rest) > 1 && rest[0] == '{' && strings.IndexByte(" \t\n|", rest[1]) >= 0,
			(b == '<' || b == '>') && kind != doubled && strings.HasPrefix(rest, "("):
			return true
		}
	}
	return false
}

// kinds returns the kind of each place. It returns false for a backquoted command with backslashes or
// backquotes in it: bash removes some of the backslashes before it parses the command.
func (c *collector) kinds(file *syntax.File) (kinds []byte, ok bool) {
	kinds, ok = make([]byte, len(c.source)+1), true
	fill := func(n syntax.Node, kind byte) {
		from, to := span(n)
		for i := from; i < min(to, len(kinds)); i++ {
			kinds[i] = kind
		}
	}
	// Single quotes in a ${...} that is in double quotes are text for bash, and the parser takes them
	// for quotes.
	isText := map[*syntax.SglQuoted]bool{}
	look := func(w *syntax.Word) {
		if w == nil {
			return
		}
		for _, part := range w.Parts {
			if q, ok := part.(*syntax.SglQuoted); ok {
				isText[q] = true
			}
		}
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Comment:
			fill(n, inert)
		case *syntax.SglQuoted:
			if !isText[n] {
				fill(n, inert)
			}
		case *syntax.DblQuoted:
			for _, part := range n.Parts {
				if lit, ok := part.(*syntax.Lit); ok {
					fill(lit, doubled)
				}
			}
		case *syntax.ParamExp:
			if n.Exp != nil {
				look(n.Exp.Word)
			}
			if n.Repl != nil {
				look(n.Repl.Orig)
				look(n.Repl.With)
			}
		case *syntax.Redirect:
			if n.Hdoc == nil {
				break
			}
			if isQuotedDelimiter(c.text(n.Word)) {
				fill(n.Hdoc, inert)
				break
			}
			for _, part := range n.Hdoc.Parts {
				if lit, ok := part.(*syntax.Lit); ok {
					fill(lit, doubled)
				}
			}
		case *syntax.ArithmExp:
			at, _ := span(n)
			kinds[at] = begins
		case *syntax.ProcSubst:
			at, _ := span(n)
			kinds[at] = begins
		case *syntax.CmdSubst:
			at, end := span(n)
			if n.TempFile || n.ReplyVar {
				break
			}
			kinds[at] = begins
			if n.Backquotes {
				kinds[end-1] = begins
				ok = ok && !strings.ContainsAny(c.source[at+1:end-1], "\\`")
			}
		}
		return true
	})
	return kinds, ok
}

// isQuotedDelimiter reports whether the delimiter of a heredoc has quotes, so that bash expands nothing in the heredoc.
func isQuotedDelimiter(word string) bool { return strings.ContainsAny(word, `'"\`) }
