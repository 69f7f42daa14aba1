package shellcmd

import (
	"strings"

	"pollux/llm/ellipsis"
)

// Substitutes reports whether bash would run another command for its output when it runs this
// one: $( ), backticks, <( ), >( ). See [Substitution].
func Substitutes(command string) bool {
	_, found := Substitution(command)
	return found
}

// Substitution returns the text of the first substitution in a command, for people: $( ),
// backticks, <( ), >( ), with which bash would run another command for its output. The shell tool
// refuses such commands whatever the policy decides, because what they run is not visible in what
// the user approved.
//
// It finds one if either a scan of the quotes or the parser does, and in a command that cannot be
// parsed if the characters are there at all: bash runs the lines before a syntax error. An
// arithmetic expansion counts, because it begins with $(.
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
	case c.substitutes || c.arithmetic:
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
		case c == '"' && quote == 0:
			quote = c
		case c == '"':
			quote = 0
		case c == '\'' && quote == 0:
			quote = c
		}
	}
	return -1
}

// splitsOperator reports whether a line continuation is inside an operator that begins a
// substitution. Bash joins the lines, in heredocs too. There is no legitimate reason to write
// that.
func splitsOperator(command string) bool {
	for i := 0; ; i++ {
		j := strings.Index(command[i:], "\\\n")
		if j < 0 {
			return false
		}
		i += j
		if i > 0 && strings.IndexByte("$<>", command[i-1]) >= 0 {
			rest := command[i:]
			for strings.HasPrefix(rest, "\\\n") {
				rest = rest[2:]
			}
			if rest != "" && strings.IndexByte("({", rest[0]) >= 0 {
				return true
			}
		}
	}
}
