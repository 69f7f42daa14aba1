package shellcmd

import "strings"

// Substitutes reports whether bash would run another command for its output when it runs this
// one: $( ), backticks, <( ), >( ). The shell tool refuses such commands whatever the policy
// decides, because what they run is not visible in what the user approved.
//
// It reports true if either a scan of the quotes or the parser finds a substitution, and for a
// command that cannot be parsed if the characters are there at all: bash runs the lines before
// a syntax error. An arithmetic expansion counts, because it begins with $(.
func Substitutes(command string) bool {
	if !isSuspicious(command) {
		return false
	}
	if hasSubstitution(command) {
		return true
	}
	// read also fails for a split operator.
	file, err := read(command)
	if err != nil {
		return true
	}
	c := collector{source: command}
	if err := c.walk(file); err != nil {
		return true
	}
	return c.substitutes || c.arithmetic
}

// isSuspicious reports whether the command contains anything that could begin a substitution.
// It is a cheap first check: most commands need no other.
func isSuspicious(command string) bool {
	if strings.IndexByte(command, '`') >= 0 {
		return true
	}
	for _, s := range []string{"$(", "<(", ">(", "${ ", "${\t", "${\n", "${|"} {
		if strings.Contains(command, s) {
			return true
		}
	}
	return splitsOperator(command)
}

// hasSubstitution reports whether there are substitutions outside of quotes that prevent them.
func hasSubstitution(command string) bool {
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
			return true
		case quote == 0 && (c == '<' || c == '>') && strings.HasPrefix(command[i+1:], "("):
			return true
		case c == '"' && quote == 0:
			quote = c
		case c == '"':
			quote = 0
		case c == '\'' && quote == 0:
			quote = c
		}
	}
	return false
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
