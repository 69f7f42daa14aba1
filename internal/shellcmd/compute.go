package shellcmd

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file finds the words whose values come from the output of substitutions.

// compute sets what is known about a computed word.
func (c *collector) compute(word *Word, w *syntax.Word) {
	word.Computed, word.IsNumber, word.Splits, word.Begins = true, c.isNumber(w.Parts), false, ""
	known := true
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if param, ok := q.(*syntax.ParamExp); ok && (!isPlainParameter(param) || param.Param.Value == "@") {
					word.Splits = true
				}
				if known {
					var text string
					text, known = value(&syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{q}}}}, c.literalText)
					word.Begins += text
				}
			}
			continue
		case *syntax.ProcSubst:
			if known && word.Begins == "" {
				word.Begins = "/dev/fd/"
			}
			known = false
			continue
		}
		text, ok := static(&syntax.Word{Parts: []syntax.WordPart{part}})
		if word.Splits = word.Splits || !ok; known && ok {
			word.Begins += text
		}
		known = known && ok
	}
	if word.Splits {
		word.Begins = ""
	}
}

// isNumber reports whether each of the parts of a word that the shell expands is a substitution that prints a number or nothing.
func (c *collector) isNumber(parts []syntax.WordPart) bool {
	return !slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		switch p := part.(type) {
		case *syntax.CmdSubst:
			return !c.printsNumber(p)
		case *syntax.DblQuoted:
			return !c.isNumber(p.Parts)
		}
		_, ok := static(&syntax.Word{Parts: []syntax.WordPart{part}})
		return !ok
	})
}

// printsNumber reports whether a substitution prints a number or nothing, as $(nproc) does. It does not if a function could
// have its name.
func (c *collector) printsNumber(n *syntax.CmdSubst) bool {
	if !c.readsTexts || n.TempFile || n.ReplyVar || len(n.Stmts) != 1 {
		return false
	}
	stmt := n.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || stmt.Coprocess || stmt.Disown || len(call.Assigns) > 0 || len(stmt.Redirs) > 0 {
		return false
	}
	var words []string
	for _, w := range call.Args {
		words = append(words, w.Lit())
	}
	switch strings.Join(words, " ") {
	case "nproc", "nproc --all", "getconf _NPROCESSORS_ONLN", "id -u", "id -g":
		return true
	}
	return false
}

// followVariables marks the words with variables as computed if a variable may hold the output of a
// substitution.
func (c *collector) followVariables() {
	if !c.stores || c.last == 0 {
		return
	}
	for i := range c.commands {
		f := &c.commands[i]
		for j, w := range f.words {
			if !substitutes(w) && !strings.Contains(c.text(w), "$") {
				continue
			}
			f.Computed = true
			if f.Words != nil && !f.Words[j].Static {
				c.compute(&f.Words[j], w)
			}
		}
	}
}

// substitutes reports whether there is a command or process substitution in a node.
func substitutes(node syntax.Node) (found bool) {
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

// stores reports whether a node may set a variable or a parameter to the output of a substitution.
func stores(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.FuncDecl:
		return true // the parameters of its calls
	case *syntax.Assign:
		return n.Value != nil && substitutes(n.Value) || n.Array != nil && substitutes(n.Array)
	case *syntax.WordIter:
		return slices.ContainsFunc(n.Items, func(w *syntax.Word) bool { return substitutes(w) })
	case *syntax.ParamExp:
		return n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) && n.Exp.Word != nil && substitutes(n.Exp.Word)
	case *syntax.CallExpr:
		if len(n.Args) == 0 {
			return false
		}
		name, ok := static(n.Args[0])
		return !ok || name == "read" || name == "mapfile" || name == "readarray"
	}
	return false
}
