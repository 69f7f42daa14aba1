package shellcmd

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// collector gathers the commands of a syntax tree for Parse.
type collector struct {
	source      string
	commands    []found
	redirects   []redirect
	substitutes bool
	evaluated   string // see [Script.Evaluates]
	arithmetic  bool   // $(( ))
	expands     int    // place of the first of them
}

// found is a command and its place in the source.
type found struct {
	Command
	at, end int
	cut     []redirect // inside the command's text span, but not part of Text
}

type redirect struct {
	Redirection
	at, end int
}

// walk visits the tree. It returns an error if the script's text does not show its commands.
func (c *collector) walk(file *syntax.File) error {
	var err error
	depth := 0
	// Calls whose text belongs to a larger command: the "ls" of "time ls".
	owned := map[*syntax.CallExpr]bool{}
	syntax.Walk(file, func(node syntax.Node) bool {
		if node == nil {
			depth--
			return true
		}
		if depth > maxTree {
			err = errTooDeep
		}
		if err != nil {
			return false
		}
		if c.evaluated == "" {
			c.evaluated = c.evaluation(node)
		}
		switch n := node.(type) {
		case *syntax.Stmt:
			c.stmt(n, owned)
		case *syntax.Redirect:
			c.redirects = append(c.redirects, c.redirect(n))
		case *syntax.CmdSubst, *syntax.ProcSubst:
			c.expand(n)
			c.substitutes = true
		case *syntax.ArithmExp:
			c.expand(n)
			c.arithmetic = c.arithmetic || !n.Bracket
		case *syntax.CoprocClause:
			// Of "coproc a= b=", the parser takes a= for a word, and b= for an assignment.
			if call, ok := n.Stmt.Cmd.(*syntax.CallExpr); ok && len(call.Assigns) > 0 {
				err = errNotShell
			}
		case *syntax.ExtGlob:
			err = errExtGlob
		case *syntax.ParamExp:
			if n.Exp != nil && n.Exp.Op == syntax.OtherParamOps && strings.Contains(c.text(n.Exp.Word), "P") {
				err = errPrompt
			}
		}
		if err != nil {
			return false
		}
		depth++
		return true
	})
	return err
}

// expand records the place of a substitution or an arithmetic expansion.
func (c *collector) expand(n syntax.Node) {
	if !c.substitutes && !c.arithmetic {
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
	f := found{}
	f.at, f.end = span(call)
	f.Text = c.textWithout(&f, redirects)
	f.Assigns = len(call.Assigns) > 0
	for _, w := range call.Args {
		f.Words = append(f.Words, c.word(w))
	}
	f.Name = f.Words[0].Text
	if f.Words[0].Static {
		f.Name = f.Words[0].Value
	}
	f.Plain = spell(f.Words)
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
	c.commands = append(c.commands, found{Command: Command{Name: name, Text: text, Plain: text}, at: at, end: end})
}

func (c *collector) redirect(r *syntax.Redirect) redirect {
	at := int(r.Pos().Offset())
	end := int(r.OpPos.Offset()) + len(r.Op.String())
	var target Word
	if r.Word != nil {
		end = int(r.Word.End().Offset())
		target = c.word(r.Word)
	}
	return redirect{Redirection{r.Op.String(), target}, at, min(end, len(c.source))}
}

func (c *collector) word(w *syntax.Word) Word {
	word := Word{Text: c.text(w)}
	if word.Value, word.Static = static(w); !word.Static {
		word.Variables = variables(w)
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

// spell joins words without the quotes that the shell would remove.
func spell(words []Word) string {
	spelt := make([]string, len(words))
	for i, w := range words {
		spelt[i] = w.Text
		if w.Static {
			spelt[i] = w.Value
		}
	}
	return strings.Join(spelt, " ")
}
