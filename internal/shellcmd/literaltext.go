package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// literalText returns the output of a substitution that prints a text of the command itself, as
// $(cat <<'EOF' ... EOF) does. ok is false for every other substitution, and if a function could be
// called cat.
func (c *collector) literalText(n *syntax.CmdSubst) (text string, ok bool) {
	if !c.readsTexts || n.Backquotes || n.TempFile || n.ReplyVar || len(n.Stmts) != 1 {
		return "", false
	}
	stmt := n.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || stmt.Coprocess || stmt.Disown || len(call.Assigns) > 0 ||
		len(call.Args) != 1 || call.Args[0].Lit() != "cat" || len(stmt.Redirs) != 1 {
		return "", false
	}
	r := stmt.Redirs[0]
	if r.N != nil || r.Hdoc == nil || r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc {
		return "", false
	}
	isQuoted := isQuotedDelimiter(c.text(r.Word))
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || !isQuoted && strings.ContainsAny(lit.Value, "\\$`") {
			return "", false
		}
		b.WriteString(lit.Value)
	}
	text = b.String()
	if r.Op == syntax.DashHdoc {
		lines := strings.SplitAfter(text, "\n")
		for i, line := range lines {
			lines[i] = strings.TrimLeft(line, "\t")
		}
		text = strings.Join(lines, "")
	}
	return strings.TrimRight(text, "\n"), true
}

// redefines reports whether a script defines functions or exports variables, so that a name may mean
// another program.
func redefines(file *syntax.File) (found bool) {
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node.(type) {
		case *syntax.FuncDecl, *syntax.DeclClause:
			found = true
		}
		return !found
	})
	return found
}
