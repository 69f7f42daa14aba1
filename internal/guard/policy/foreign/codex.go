package foreign

import (
	"errors"
	"strconv"
	"strings"
)

// ReadCodex adds the rules for commands in a file of Codex, which is a program in Starlark, to the permissions. It reads calls of prefix_rule
// with nothing but texts, and names all other statements as unread. A file with these allows nothing: they may decide whether a rule counts.
// name is that of the file.
func (p *Permissions) ReadCodex(name, text string) {
	s := scanner{text: text, line: 1}
	var allow, unread []string
	for s.space(true); s.at < len(s.text); s.space(true) {
		begin := s
		rule, err := s.prefixRule()
		if err != nil {
			s = begin
			unread = append(unread, name+", line "+strconv.Itoa(s.line))
			s.skip()
			continue
		}
		list := map[string]*[]string{"forbidden": &p.Deny, "prompt": &p.Ask, "allow": &allow}[rule.decision]
		*list = append(*list, rule.prefixes...)
	}
	p.Unread = append(p.Unread, unread...)
	if len(unread) > 0 {
		p.Doubtful = append(p.Doubtful, allow...)
		return
	}
	p.Allow = append(p.Allow, allow...)
}

// maxPrefixes is the number of prefixes that a rule with alternatives may have.
const maxPrefixes = 100

// prefixRule is a call of prefix_rule.
type prefixRule struct {
	prefixes []string // words with a space between them
	decision string
}

var errStatement = errors.New("it is not a call of prefix_rule with texts")

// scanner reads Starlark.
type scanner struct {
	text string
	at   int
	line int
}

// space skips spaces and comments, and line ends if they do not end a statement.
func (s *scanner) space(lines bool) {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '#':
			if n := strings.IndexByte(s.text[s.at:], '\n'); n >= 0 {
				s.at += n
			} else {
				s.at = len(s.text)
			}
		case c == '\n' && lines:
			s.line++
			s.at++
		case c == ' ', c == '\t', c == '\r':
			s.at++
		default:
			return
		}
	}
}

// take reports whether a text is next, and skips it with the space behind it.
func (s *scanner) take(text string) bool {
	if !strings.HasPrefix(s.text[s.at:], text) {
		return false
	}
	s.at += len(text)
	s.space(true)
	return true
}

// skip skips the lines of a statement: after the first, those that are indented or close it.
func (s *scanner) skip() {
	for s.at < len(s.text) {
		n := strings.IndexByte(s.text[s.at:], '\n')
		if n < 0 {
			s.at = len(s.text)
			return
		}
		s.at += n + 1
		s.line++
		if s.at < len(s.text) && !strings.ContainsRune(" \t\n\r)]}#", rune(s.text[s.at])) {
			return
		}
	}
}

// prefixRule reads a statement.
func (s *scanner) prefixRule() (rule prefixRule, err error) {
	if !s.take("prefix_rule") || !s.take("(") {
		return rule, errStatement
	}
	rule.decision = "allow"
	for !s.take(")") {
		name := s.name()
		if name == "" || !s.take("=") {
			return rule, errStatement
		}
		value, err := s.value(3)
		if err != nil {
			return rule, err
		}
		switch name {
		case "pattern":
			rule.prefixes = prefixesOf(value)
		case "decision":
			rule.decision, _ = value.(string)
		case "justification", "match", "not_match": // for people, and tests of the rule
		default:
			return rule, errStatement
		}
		if !s.take(",") && !strings.HasPrefix(s.text[s.at:], ")") {
			return rule, errStatement
		}
	}
	if rule.prefixes == nil || rule.decision != "allow" && rule.decision != "prompt" && rule.decision != "forbidden" {
		return rule, errStatement
	}
	return rule, nil
}

// name reads a name, "" if none is next.
func (s *scanner) name() string {
	from := s.at
	for s.at < len(s.text) && isNameByte(s.text[s.at]) {
		s.at++
	}
	name := s.text[from:s.at]
	s.space(true)
	return name
}

func isNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// value reads a string, or a list of values, which is nested at most so deep.
func (s *scanner) value(depth int) (any, error) {
	switch {
	case depth == 0 || s.at == len(s.text):
		return nil, errStatement
	case s.take("["):
		list := []any{}
		for !s.take("]") {
			one, err := s.value(depth - 1)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
			if !s.take(",") && !strings.HasPrefix(s.text[s.at:], "]") {
				return nil, errStatement
			}
		}
		return list, nil
	}
	return s.string()
}

// string reads a string of one line, in single or double quotes.
func (s *scanner) string() (string, error) {
	quote := s.text[s.at]
	if quote != '"' && quote != '\'' || strings.HasPrefix(s.text[s.at:], strings.Repeat(string(quote), 3)) {
		return "", errStatement
	}
	var b strings.Builder
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == quote:
			s.at = i + 1
			s.space(true)
			return b.String(), nil
		case c == '\n':
			return "", errStatement
		case c == '\\':
			if i++; i == len(s.text) || !strings.ContainsRune(`\"'`, rune(s.text[i])) {
				return "", errStatement
			}
			b.WriteByte(s.text[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", errStatement
}

// prefixesOf returns the prefixes of a pattern, a list of words and of lists of alternatives. It returns nil if there are too many, or the
// pattern is none.
func prefixesOf(pattern any) []string {
	words, _ := pattern.([]any)
	prefixes := []string{""}
	for _, word := range words {
		alternatives, isList := word.([]any)
		if !isList {
			alternatives = []any{word}
		}
		var longer []string
		for _, prefix := range prefixes {
			for _, one := range alternatives {
				text, ok := one.(string)
				if !ok || text == "" || len(longer) == maxPrefixes {
					return nil
				}
				longer = append(longer, strings.TrimPrefix(prefix+" "+text, " "))
			}
		}
		prefixes = longer
	}
	if len(words) == 0 || len(prefixes) == 0 {
		return nil
	}
	return prefixes
}

// prefix translates a prefix of commands, which Codex compares word by word.
func (t *translation) prefix(text string) {
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _./:=@%+,-") != "" || strings.Contains(text, "  ") {
		t.leave("it has characters that shells quote")
		return
	}
	t.add(Rule{Tools: tools["Bash"], Prefix: text})
}
