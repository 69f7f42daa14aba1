package shellcmd

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file finds the constructs in which bash evaluates a text a second time: "eval" runs its
// arguments, and wherever bash expects a number, it evaluates the value of a variable, which may
// be an array element with a command substitution in its subscript. Text in single quotes or in a
// variable can run programs that way, although no program is visible in the command.

// evaluation returns the text of the node if bash evaluates something in it twice, or if it changes
// how bash finds or runs the commands after it. Otherwise it returns "".
func (c *collector) evaluation(node syntax.Node) string {
	found := false
	switch n := node.(type) {
	case *syntax.ArithmExp:
		found = !isConstant(n.X)
	case *syntax.ArithmCmd:
		found = !isConstant(n.X)
	case *syntax.CStyleLoop:
		found = !isConstant(n.Init) || !isConstant(n.Cond) || !isConstant(n.Post)
	case *syntax.LetClause:
		found = slices.ContainsFunc(n.Exprs, func(x syntax.ArithmExpr) bool { return !isConstant(x) })
	case *syntax.UnaryTest:
		found = n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar
	case *syntax.BinaryTest:
		found = isNumeric(n.Op) && !(isNumber(n.X) && isNumber(n.Y))
	case *syntax.ParamExp:
		found = expandsTwice(n)
	case *syntax.Assign:
		found = !isSubscript(n.Index) || n.Array != nil && slices.ContainsFunc(n.Array.Elems,
			func(e *syntax.ArrayElem) bool { return !isSubscript(e.Index) })
	case *syntax.Redirect:
		at, _ := span(n)
		found = n.N != nil && strings.HasPrefix(n.N.Value, "{") && !isPrivate(strings.Trim(n.N.Value, "{}")) ||
			at > 0 && c.source[at-1] == '}' // {name[subscript]}>file, which the parser takes for a word
	case *syntax.WordIter:
		found = !isPrivate(n.Name.Value)
	case *syntax.CoprocClause:
		found = n.Name != nil
	case *syntax.DeclClause:
		found = declares(n)
	case *syntax.CallExpr:
		// Assignments before a command end with it; alone they stay.
		found = callsEvaluator(n) || slices.ContainsFunc(n.Assigns, func(a *syntax.Assign) bool {
			return isInteger(a.Name.Value) || len(n.Args) == 0 && !isPrivate(a.Name.Value)
		})
	}
	if !found {
		return ""
	}
	return excerpt(c.text(node))
}

// isConstant reports whether an arithmetic expression has no variables. A nil expression has none.
func isConstant(x syntax.ArithmExpr) bool {
	switch n := x.(type) {
	case nil:
		return true
	case *syntax.Word:
		return isDigits(n)
	case *syntax.BinaryArithm:
		return isConstant(n.X) && isConstant(n.Y)
	case *syntax.UnaryArithm:
		return isConstant(n.X)
	case *syntax.ParenArithm:
		return isConstant(n.X)
	}
	return false
}

// isSubscript reports whether an index is missing, a number, "@" or "*".
func isSubscript(x syntax.ArithmExpr) bool {
	if w, ok := x.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		return true
	}
	return isConstant(x)
}

// isDigits reports whether a word is a number as written, for example 010.
func isDigits(w *syntax.Word) bool {
	value, ok := static(w)
	return ok && value != "" && strings.Trim(value, "0123456789") == ""
}

func isNumber(x syntax.TestExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && isDigits(w)
}

func isNumeric(op syntax.BinTestOperator) bool {
	switch op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		return true
	}
	return false
}

// expandsTwice reports whether a ${...} evaluates an expression, or the value of a variable, or sets
// a variable that is not private.
func expandsTwice(p *syntax.ParamExp) bool {
	switch {
	case p.Excl:
		// ${!prefix*} and ${!array[@]} only list names.
		listed := p.Names != 0 || (p.Index != nil && isSubscript(p.Index) && !isConstant(p.Index))
		return !listed
	case !isSubscript(p.Index):
		return true
	case p.Slice != nil:
		return !isConstant(p.Slice.Offset) || !isConstant(p.Slice.Length)
	case p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
		return p.Param == nil || !isPrivate(p.Param.Value)
	}
	return false
}

// isPrivate reports whether a variable means something only to the script that sets it. bash and
// the programs that it starts read others: PATH, IFS, PS4, GIT_PAGER, http_proxy. bash evaluates
// values of RANDOM, OPTIND and the like as numbers.
func isPrivate(name string) bool {
	if !syntax.ValidName(name) || strings.HasSuffix(name, "_proxy") {
		return false
	}
	return len(name) == 1 || strings.ToUpper(name) != name
}

// isInteger reports whether bash evaluates the values of a variable as numbers.
func isInteger(name string) bool {
	switch name {
	case "RANDOM", "SRANDOM", "OPTIND", "HISTCMD", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME":
		return true
	}
	return false
}

// declares reports whether a declaration evaluates a value or a subscript, now or at a later
// assignment, or changes variables that programs read. The latter is no reason for "export", whose
// purpose it is: it is a command of its own, which a rule must allow.
func declares(d *syntax.DeclClause) bool {
	for _, a := range d.Args {
		switch {
		case a.Name == nil:
			// A flag, or a word whose value may be an assignment.
			value, ok := static(a.Value)
			if !ok || !strings.HasPrefix(value, "-") && !strings.HasPrefix(value, "+") && !syntax.ValidName(value) ||
				strings.ContainsAny(value, "inaA") {
				return true
			}
		case a.Index != nil, a.Array != nil && d.Variant.Value != "declare" && d.Variant.Value != "local":
			return true
		case a.Naked:
		case isInteger(a.Name.Value), d.Variant.Value != "export" && !isPrivate(a.Name.Value):
			return true
		}
	}
	return false
}

// callsEvaluator reports whether a simple command is a builtin that evaluates its arguments, or
// changes how the commands after it are found.
func callsEvaluator(call *syntax.CallExpr) bool {
	if len(call.Args) == 0 {
		return false
	}
	name, ok := static(call.Args[0])
	if !ok {
		name = call.Args[0].Lit() // "[" is a pattern, and the name of a builtin
	}
	args := call.Args[1:]
	if behind := behindPrefix(call.Args); len(behind) > 0 {
		return callsEvaluator(&syntax.CallExpr{Args: behind})
	}
	switch name {
	case "eval", ".", "source", "trap", "fc", "history", "bind", "complete", "compgen", "compopt", "enable", "alias", "shopt":
		return true
	case "hash", "jobs":
		return len(args) > 0
	case "set":
		// -a exports every variable; -k takes assignments from behind the command.
		return slices.ContainsFunc(args, func(w *syntax.Word) bool {
			value, ok := static(w)
			return !ok || strings.HasPrefix(value, "-") && strings.ContainsAny(value, "ak") || value == "keyword" || value == "allexport"
		})
	case "test", "[":
		return testsVariable(args)
	case "printf":
		return printsIntoVariable(args)
	case "read", "mapfile", "readarray", "getopts", "wait", "unset":
		return slices.ContainsFunc(args, func(w *syntax.Word) bool {
			value, ok := static(w)
			return !ok || strings.Contains(value, "[") || syntax.ValidName(value) && !isPrivate(value) || namesVariable(value) ||
				(name == "mapfile" || name == "readarray") && runsCallback(value)
		})
	}
	return false
}

// testsVariable reports whether "test" may evaluate the name of a variable: with -v, -R, or a word
// that could become one of them.
func testsVariable(args []*syntax.Word) bool {
	compares := false
	for _, w := range args {
		switch value, _ := static(w); value {
		case "-v", "-R":
			return true
		case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-f", "-d", "-e", "-n", "-z", "-r", "-w", "-x", "-s", "-h", "-L":
			compares = true
		}
	}
	return slices.ContainsFunc(args, func(w *syntax.Word) bool {
		_, ok := static(w)
		return !ok && (!compares || !isQuoted(w))
	})
}

// printsIntoVariable reports whether "printf" with these arguments may set a variable that is not private, or evaluate a
// subscript: with -v, or with %n in its format, which stores the number of characters in the variable that an argument names.
func printsIntoVariable(args []*syntax.Word) bool {
	if len(args) == 0 {
		return false
	}
	format, isStatic := static(args[0])
	switch {
	case strings.HasPrefix(format, "-v"), !isStatic && (!isQuoted(args[0]) || len(args) > 1 && !beginsWithText(args[0])):
		return true
	case format == "--":
		if args = args[1:]; len(args) == 0 {
			return false
		}
		format, isStatic = static(args[0])
	}
	if isStatic && !storesCount(format) {
		return false
	}
	return slices.ContainsFunc(args[1:], func(w *syntax.Word) bool {
		name, ok := static(w)
		return !ok || strings.Contains(name, "[") || syntax.ValidName(name) && !isPrivate(name)
	})
}

// storesCount reports whether a format of printf has a %n, such as %n, %-5hn or %.*n.
func storesCount(format string) bool {
	for {
		_, rest, ok := strings.Cut(format, "%")
		if !ok {
			return false
		}
		if strings.HasPrefix(strings.TrimLeft(rest, "#'-+ 0123456789.*$hjlLqtz"), "n") {
			return true
		}
		format = rest
	}
}

// namesVariable reports whether a word is a flag that may have the name of a variable that is not private behind its letter,
// such as -aPATH.
func namesVariable(word string) bool {
	if !strings.HasPrefix(word, "-") {
		return false
	}
	for i := 2; i < len(word); i++ {
		if syntax.ValidName(word[i:]) && !isPrivate(word[i:]) {
			return true
		}
	}
	return false
}

// runsCallback reports whether a word is a flag of "mapfile" that makes it evaluate a text.
func runsCallback(word string) bool {
	return strings.HasPrefix(word, "-") && strings.Contains(word, "C")
}

// beginsWithText reports whether a word in double quotes begins with text that the shell does not change.
func beginsWithText(w *syntax.Word) bool {
	q := w.Parts[0].(*syntax.DblQuoted)
	if len(q.Parts) == 0 {
		return false
	}
	_, ok := q.Parts[0].(*syntax.Lit)
	return ok
}

// isQuoted reports whether the whole word is in double quotes, so that it stays one word.
func isQuoted(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	_, ok := w.Parts[0].(*syntax.DblQuoted)
	return ok
}
