package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// collector gathers the commands of a syntax tree for Parse.
type collector struct {
	source        string
	readsTexts    bool // takes literal texts for static ones, see literalText
	commands      []found
	redirects     []redirect
	pipes         []place  // the outermost first
	substitutions []string // see [Script.Substitutions]
	evaluated     string   // see [Script.Evaluates]
	texts         bool     // there are literal texts
	arithmetic    bool     // $(( ))
	expands       int      // place of the first substitution or arithmetic expansion

	// open are the numbers of the substitutions around the node, from 1, by depth in the tree.
	open []int
	last int // number of the last substitution
	// stores reports whether variables may hold the output of substitutions.
	stores bool
}

// found is a command and its place in the source.
type found struct {
	Command
	at, end int
	in      int // number of the substitution around it, 0 for none
	words   []*syntax.Word
	cut     []redirect // inside the command's text span, but not part of Text
}

type redirect struct {
	Redirection
	at, end int
	in      int // number of the substitution around it, 0 for none
}

// place is a part of the source.
type place struct{ at, end int }

// walk visits the tree. It returns an error if the script's text does not show its commands.
func (c *collector) walk(file *syntax.File) error {
	var err error
	// Calls whose text belongs to a larger command: the "ls" of "time ls".
	owned := map[*syntax.CallExpr]bool{}
	syntax.Walk(file, func(node syntax.Node) bool {
		if node == nil {
			c.open = c.open[:len(c.open)-1]
			return true
		}
		if len(c.open) > maxTree {
			err = errTooDeep
		}
		if err != nil {
			return false
		}
		if n, ok := node.(*syntax.CmdSubst); ok && c.addText(n) {
			return false
		}
		in := c.in()
		if err = c.visit(node, owned); err != nil {
			return false
		}
		switch node.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			c.last++
			in = c.last
		}
		c.open = append(c.open, in)
		return true
	})
	return err
}

// in returns the number of the innermost substitution around the node, 0 for none.
func (c *collector) in() int {
	if len(c.open) == 0 {
		return 0
	}
	return c.open[len(c.open)-1]
}

// visit collects the parts of a node.
func (c *collector) visit(node syntax.Node, owned map[*syntax.CallExpr]bool) error {
	if c.evaluated == "" {
		c.evaluated = c.evaluation(node)
	}
	switch n := node.(type) {
	case *syntax.Stmt:
		c.stmt(n, owned)
	case *syntax.Redirect:
		c.redirects = append(c.redirects, c.redirect(n))
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			at, end := span(n)
			c.pipes = append(c.pipes, place{at, end})
		}
	case *syntax.CmdSubst, *syntax.ProcSubst:
		c.expand(n)
		if c.in() == 0 {
			c.substitutions = append(c.substitutions, c.script(n))
		}
	case *syntax.ArithmExp:
		c.expand(n)
		c.arithmetic = c.arithmetic || !n.Bracket
	case *syntax.CoprocClause:
		// Of "coproc a= b=", the parser takes a= for a word, and b= for an assignment.
		if call, ok := n.Stmt.Cmd.(*syntax.CallExpr); ok && len(call.Assigns) > 0 {
			return errNotShell
		}
	case *syntax.ExtGlob:
		return errExtGlob
	case *syntax.ParamExp:
		if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && strings.Contains(c.text(n.Exp.Word), "P") {
			return errPrompt
		}
	}
	c.stores = c.stores || stores(node)
	return nil
}

// script returns the script in a substitution.
func (c *collector) script(n syntax.Node) string {
	at, end := span(n)
	text := c.source[at:end]
	if text[0] == '`' {
		return text[1 : len(text)-1]
	}
	return text[2 : len(text)-1]
}

// addText collects the command of a substitution that prints a literal text. It returns false for
// other substitutions.
func (c *collector) addText(n *syntax.CmdSubst) bool {
	if _, ok := c.literalText(n); !ok {
		return false
	}
	at, _ := span(n.Stmts[0].Cmd)
	c.texts = true
	c.commands = append(c.commands, found{
		Command: Command{Name: "cat", Text: "cat", Plain: "cat", Words: []Word{{Text: "cat", Value: "cat", Static: true}}, PrintsText: true, IsNested: true},
		at:      at, end: at + len("cat"), in: -1,
	})
	return true
}

// expand records the place of a substitution or an arithmetic expansion.
func (c *collector) expand(n syntax.Node) {
	if len(c.substitutions) == 0 && !c.arithmetic {
		c.expands, _ = span(n)
	}
}

// stmt collects the command of a statement, if it runs one.
func (c *collector) stmt(s *syntax.Stmt, owned map[*syntax.CallExpr]bool) {
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		if !owned[cmd] && len(cmd.Args) > 0 {
			c.call(cmd, s.Redirs)
		}
	case *syntax.TimeClause:
		c.prefixed("time", cmd.Pos(), cmd.Stmt, owned)
	case *syntax.CoprocClause:
		c.prefixed("coproc", cmd.Pos(), cmd.Stmt, owned)
	case *syntax.DeclClause:
		c.verbatim(cmd.Variant.Value, cmd)
	case *syntax.LetClause:
		c.verbatim("let", cmd)
	case *syntax.TestClause:
		c.verbatim("[[", cmd)
	case *syntax.ArithmCmd:
		c.verbatim("((", cmd)
	}
}

// call collects a simple command.
func (c *collector) call(call *syntax.CallExpr, redirects []*syntax.Redirect) {
	f := found{in: c.in()}
	f.at, f.end = span(call)
	f.Text = c.textWithout(&f, redirects)
	f.Assigns = len(call.Assigns) > 0
	for _, w := range call.Args {
		word := c.word(w)
		f.Words = append(f.Words, word)
		f.Computed = f.Computed || word.Computed
	}
	f.IsNested = f.in != 0
	f.words = call.Args
	args := f.Args()
	f.Name, f.Plain = args[0], strings.Join(args, " ")
	f.Inner, _ = c.inner(call)
	c.commands = append(c.commands, f)
	if behind := behindPrefix(call.Args); len(behind) > 0 {
		c.call(&syntax.CallExpr{Args: behind}, nil)
	}
}

// behindPrefix returns the words of the command that a builtin runs in its own place: "rm x" of
// "command rm x". It returns nil if there is none.
func behindPrefix(args []*syntax.Word) []*syntax.Word {
	name, ok := static(args[0])
	if !ok || name != "command" && name != "builtin" && name != "exec" {
		return nil
	}
	for i := 1; i < len(args); i++ {
		value, ok := static(args[i])
		switch {
		case !ok || !strings.HasPrefix(value, "-"):
			return args[i:]
		case name == "command" && strings.ContainsAny(value, "vV"):
			return nil // only describes it
		case value == "--":
			return args[i+1:]
		case name == "exec" && strings.HasSuffix(value, "a"):
			i++ // the name that the program gets
		}
	}
	return nil
}

// textWithout returns the text of a command without its redirections, which may be between the
// words. It keeps herestrings, and extends f.end to include them.
func (c *collector) textWithout(f *found, redirects []*syntax.Redirect) string {
	var words, herestrings strings.Builder
	from, end := f.at, f.end
	for _, redir := range redirects {
		r := c.redirect(redir)
		herestring := redir.Op == syntax.WordHdoc
		switch {
		case herestring && r.at >= end:
			herestrings.WriteString(" " + c.source[r.at:r.end])
			f.end = r.end
		case herestring:
		case r.at >= from && r.end <= end:
			words.WriteString(strings.TrimRight(c.source[from:r.at], " \t"))
			from = r.end
			fallthrough
		default:
			f.cut = append(f.cut, r)
		}
	}
	return words.String() + c.source[from:end] + herestrings.String()
}

// prefixed collects a command after a reserved word such as "time". A compound command there
// is split like any other.
func (c *collector) prefixed(name string, pos syntax.Pos, stmt *syntax.Stmt, owned map[*syntax.CallExpr]bool) {
	if stmt == nil {
		return
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || name == "coproc" && len(call.Assigns) > 0 {
		return
	}
	owned[call] = true
	n := len(c.commands)
	c.call(call, stmt.Redirs)
	f := &c.commands[n]
	at := int(pos.Offset())
	f.Text = c.source[at:f.at] + f.Text
	f.at = at
	f.Name = name
	f.Words = nil
}

// verbatim collects a command that is not split into words.
func (c *collector) verbatim(name string, node syntax.Node) {
	at, end := span(node)
	text := c.source[at:end]
	c.commands = append(c.commands, found{Command: Command{Name: name, Text: text, Plain: text, IsNested: c.in() != 0}, at: at, end: end, in: c.in()})
}

func (c *collector) redirect(r *syntax.Redirect) redirect {
	at := int(r.Pos().Offset())
	end := int(r.OpPos.Offset()) + len(r.Op.String())
	var target Word
	if r.Word != nil {
		end = int(r.Word.End().Offset())
		target = c.word(r.Word)
	}
	return redirect{Redirection{r.Op.String(), target}, at, min(end, len(c.source)), c.in()}
}

func (c *collector) word(w *syntax.Word) Word {
	word := Word{Text: c.text(w)}
	if word.Value, word.Static = value(w, c.literalText); word.Static {
		return word
	}
	word.Variables = variables(w)
	if substitutes(w) {
		c.compute(&word, w)
	}
	return word
}

func (c *collector) text(node syntax.Node) string {
	if w, ok := node.(*syntax.Word); node == nil || (ok && w == nil) {
		return ""
	}
	at, end := span(node)
	return c.source[at:min(end, len(c.source))]
}

func span(node syntax.Node) (at, end int) {
	return int(node.Pos().Offset()), int(node.End().Offset())
}
