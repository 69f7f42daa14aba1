package shellcmd

import "strings"

// Substitutes reports whether bash, given the command, would run another one
// for its output: $( ), backticks, <( ), >( ). The shell tool refuses such
// commands whatever the policy says, since what they run does not show in
// what a person approved (spec/safety.md §2.6.2).
//
// It says yes if a scan of the quotes or the parser does, and for a command
// that can't be parsed if the characters are there at all: bash runs the lines
// before a syntax error. An arithmetic expansion counts, as it begins with $(.
func Substitutes(command string) bool {
	if !suspicious(command) {
		return false
	}
	if scan(command) {
		return true
	}
	// A split operator is among the errors.
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

// suspicious reports whether the command holds anything that could begin a
// substitution. What it lets through costs nothing more.
func suspicious(command string) bool {
	if strings.IndexByte(command, '`') >= 0 {
		return true
	}
	for _, s := range []string{"$(", "<(", ">(", "${ ", "${\t", "${\n", "${|"} {
		if strings.Contains(command, s) {
			return true
		}
	}
	return split(command)
}

// scan looks for substitutions outside of quotes that forbid them.
func scan(command string) bool {
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

// split reports whether a line continuation stands inside of an operator that
// begins a substitution. Bash joins the lines, in heredocs too; nobody has an
// honest reason to write that.
func split(command string) bool {
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
