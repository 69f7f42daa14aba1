package shellcmd

import (
	"errors"
	"strings"

	"pollux/llm/ellipsis"
)

// Unreadable returns the text of the first characters in a command that begin, or could begin, a
// substitution, if the command cannot be parsed: bash runs the lines before a syntax error.
func Unreadable(command string) (text string, found bool) {
	at := suspicion(command)
	if at < 0 {
		return "", false
	}
	if _, err := Parse(command); err == nil || errors.Is(err, errNothing) {
		return "", false
	}
	return excerpt(command[at:]), true
}

// Substitution returns the text of the first substitution in a command, for people: $( ),
// backticks, <( ), >( ), with which bash would run another command for its output. It is for
// users who want all of them refused, as Gemini CLI does.
//
// It finds one if either a scan of the quotes or the parser does, and in a command that cannot be
// parsed if the characters are there at all. An arithmetic expansion counts, because it begins
// with $(.
func Substitution(command string) (text string, found bool) {
	at := suspicion(command)
	if at < 0 {
		return "", false
	}
	if i := scan(command); i >= 0 {
		return excerpt(command[i:]), true
	}
	// read also fails for a split operator.
	file, err := read(command)
	if err != nil {
		return excerpt(command[at:]), true
	}
	c := collector{source: command}
	switch err := c.walk(file); {
	case err != nil:
		return excerpt(command[at:]), true
	case len(c.substitutions) > 0 || c.arithmetic:
		return excerpt(command[c.expands:]), true
	}
	return "", false
}

// excerpt returns the substitution that text begins with on one line, shortened if it is long.
func excerpt(text string) string {
	const most = 60
	end, depth := len(text), 0
scan:
	for i, c := range []byte(text) {
		switch {
		case text[0] == '`' && c == '`' && i > 0:
			end = i + 1
			break scan
		case text[0] == '`':
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			if depth--; depth <= 0 {
				end = i + 1
				break scan
			}
		}
	}
	return ellipsis.Runes(strings.Join(strings.Fields(strings.ToValidUTF8(text[:min(end, 4*most)], "")), " "), most)
}

// suspicion returns the place of the first characters that could begin a substitution, -1 if there
// are none. It is a cheap first check: most commands need no other.
func suspicion(command string) int {
	first := -1
	for _, s := range []string{"`", "$(", "<(", ">(", "${ ", "${\t", "${\n", "${|"} {
		if i := strings.Index(command, s); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	if first < 0 && splitsOperator(command) {
		return max(0, strings.Index(command, "\\\n")-1)
	}
	return first
}

// scan returns the place of the first substitution outside of quotes that prevent it, -1 if there
// is none.
func scan(command string) int {
	var quote byte
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case quote == '\'':
			if c == '\'' {
				quote = 0
			}
		case c == '\\':
			i++
		case c == '`', c == '$' && strings.HasPrefix(command[i+1:], "("):
			return i
		case quote == 0 && (c == '<' || c == '>') && strings.HasPrefix(command[i+1:], "("):
			return i
		case c == '"' && quote == c:
			quote = 0
		case (c == '"' || c == '\'') && quote == 0:
			quote = c
		}
	}
	return -1
}

// splitsOperator reports whether a line continuation is inside an operator that begins a
// substitution. Bash joins the lines, in heredocs too. There is no legitimate reason to write
// that.
func splitsOperator(command string) bool {
	var last byte // before the line continuation
	for part := range strings.SplitSeq(command, "\\\n") {
		if part == "" {
			continue
		}
		if strings.IndexByte("$<>", last) >= 0 && strings.IndexByte("({", part[0]) >= 0 {
			return true
		}
		last = part[len(part)-1]
	}
	return false
}
