package hook

import (
	"slices"
	"strings"
)

// variable is a variable that hooks get, and that is also replaced in their commands.
type variable struct{ name, value string }

func (s *Set) variables() []variable {
	return []variable{
		{"GEMINI_PROJECT_DIR", s.o.Dir},
		{"GEMINI_PLANS_DIR", s.o.PlansDir()},
		{"GEMINI_CWD", s.o.Dir},
		{"GEMINI_SESSION_ID", s.o.SessionID()},
		{"CLAUDE_PROJECT_DIR", s.o.Dir},
	}
}

// expand replaces variables in a command by their values, so that a value with spaces needs no
// quotes, as in Gemini CLI. In quotes the value is escaped, so that it means itself there, too.
func expand(command string, vars []variable) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(command); i++ {
		c := command[i]
		if c == '$' {
			isNamed := func(v variable) bool { return strings.HasPrefix(command[i+1:], v.name) }
			if n := slices.IndexFunc(vars, isNamed); n >= 0 {
				b.WriteString(quoteFor(vars[n].value, quote))
				i += len(vars[n].name)
				continue
			}
		}
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(command):
			b.WriteByte(c)
			i++
			c = command[i]
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		}
		b.WriteByte(c)
	}
	return b.String()
}

// quoteFor returns the text that bash reads as value inside quote, 0 for no quotes.
func quoteFor(value string, quote byte) string {
	switch quote {
	case '"':
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`").Replace(value)
	case '\'':
		return strings.ReplaceAll(value, "'", `'\''`)
	}
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%+=:,./_-", r)
	}
	if value != "" && strings.IndexFunc(value, func(r rune) bool { return !safe(r) }) < 0 {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
