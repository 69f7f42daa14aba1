package shellcmd

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Fill replaces each mark in a command by value, so that the shell takes value as text, whatever quotes the
// mark stands in. Outside of quotes the value is one word; an empty value is no word. The value must not
// have line ends.
func Fill(command, mark, value string) string {
	if !strings.Contains(command, mark) {
		return command
	}
	name := "ARGS"
	for n := 0; strings.Contains(command, name); n++ {
		name = "ARGS" + strconv.Itoa(n)
	}
	p := places{name: name, quoting: map[int]quoting{}, heredocs: map[*syntax.Word]quotes{}}
	marked := strings.ReplaceAll(command, mark, name)
	if file, err := read(marked); err == nil {
		p.source = marked
		syntax.Walk(file, p.visit)
	} // else the shell reports the error
	var b strings.Builder
	for at := 0; ; {
		n := strings.Index(marked[at:], name)
		if n < 0 {
			return b.String() + marked[at:]
		}
		b.WriteString(marked[at:at+n] + p.quoting[at+n].escape(value))
		at += n + len(name)
	}
}

// quoting is the quotes around a place in a command.
type quoting struct {
	kind quotes
	// backquotes is the number of backquotes around the place.
	backquotes int
}

type quotes int

const (
	unquoted       quotes = iota
	singleQuotes          // '...'
	dollarQuotes          // $'...'
	doubleQuotes          // "..."
	heredoc               // the text of <<EOF
	literalHeredoc        // the text of <<'EOF'
)

func (q quoting) escape(value string) string {
	switch q.kind {
	case unquoted:
		if value != "" {
			value = Quote(value)
		}
	case singleQuotes:
		value = strings.ReplaceAll(value, "'", `'\''`)
	case dollarQuotes:
		value = backslash(value, `\'`)
	case doubleQuotes:
		value = backslash(value, "\\\"$`")
	case heredoc:
		value = backslash(value, "\\$`")
	case literalHeredoc:
	}
	for range q.backquotes {
		value = backslash(value, "\\$`")
	}
	return value
}

// backslash puts a backslash before each of some characters.
func backslash(text, special string) string {
	var b strings.Builder
	for i := range len(text) {
		if strings.IndexByte(special, text[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// places finds the quoting of the occurrences of a name in a command.
type places struct {
	name, source string
	quoting      map[int]quoting // by offset
	stack        []quoting
	heredocs     map[*syntax.Word]quotes
}

// visit is a visitor of [syntax.Walk].
func (p *places) visit(node syntax.Node) bool {
	if node == nil {
		p.stack = p.stack[:len(p.stack)-1]
		return true
	}
	var now quoting
	if len(p.stack) > 0 {
		now = p.stack[len(p.stack)-1]
	}
	switch n := node.(type) {
	case *syntax.CmdSubst:
		now.kind = unquoted
		if n.Backquotes {
			now.backquotes++
		}
	case *syntax.ProcSubst:
		now.kind = unquoted
	case *syntax.DblQuoted:
		now.kind = doubleQuotes
	case *syntax.SglQuoted:
		now.kind = singleQuotes
		if n.Dollar {
			now.kind = dollarQuotes
		}
	case *syntax.Redirect:
		if n.Hdoc != nil {
			p.heredocs[n.Hdoc] = heredoc
			if from, to := span(n.Word); strings.ContainsAny(p.source[from:to], `'"\`) {
				p.heredocs[n.Hdoc] = literalHeredoc
			}
		}
	case *syntax.Word:
		if kind, ok := p.heredocs[n]; ok {
			now.kind = kind
		}
	}
	p.stack = append(p.stack, now)
	switch node.(type) {
	case *syntax.Lit, *syntax.SglQuoted:
		p.note(node, now)
	}
	return true
}

// note records the quoting of the occurrences of the name in a node.
func (p *places) note(node syntax.Node, now quoting) {
	from, to := span(node)
	for at := from; at < to; {
		n := strings.Index(p.source[at:to], p.name)
		if n < 0 {
			return
		}
		p.quoting[at+n] = now
		at += n + len(p.name)
	}
}
