package texttool

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"pollux/llm"
)

// readPython returns the calls in code such as
//
//	print(default_api.read_file(file_path="a.go", limit=5))
//
// that consists of calls with literal arguments only. Arguments without a name have
// those of the tool's parameters, in their order. It returns false if the code contains
// anything else.
func readPython(code string, tools toolSet) ([]writtenCall, bool) {
	p := python{rest: code, tools: tools}
	var calls []writtenCall
	for p.skip(); p.rest != ""; p.skip() {
		before := p.rest
		call, ok := p.call()
		if !ok {
			return nil, false
		}
		calls = append(calls, writtenCall{call, before[:len(before)-len(p.rest)]})
		p.space()
		if p.rest != "" && p.rest[0] != ';' && p.rest[0] != '\n' && p.rest[0] != '#' {
			return nil, false
		}
	}
	return calls, len(calls) > 0
}

// python is code that is being read.
type python struct {
	rest  string
	tools toolSet
	depth int
}

// skip skips white space, comments and semicolons.
func (p *python) skip() {
	for {
		p.rest = strings.TrimLeft(p.rest, whiteSpace+";")
		if !strings.HasPrefix(p.rest, "#") {
			return
		}
		_, p.rest, _ = strings.Cut(p.rest, "\n")
	}
}

// space skips white space within a line.
func (p *python) space() { p.rest = strings.TrimLeft(p.rest, " \t\r") }

// take skips white space and then token, and reports whether it was there.
func (p *python) take(token string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, whiteSpace), token)
	if ok {
		p.rest = rest
	}
	return ok
}

// word reads a name with its dots, "" if there is none.
func (p *python) word() string {
	rest := strings.TrimLeft(p.rest, whiteSpace)
	n := 0
	for n < len(rest) && (rest[n] == '_' || rest[n] == '.' || 'a' <= rest[n]|0x20 && rest[n]|0x20 <= 'z' || n > 0 && '0' <= rest[n] && rest[n] <= '9') {
		n++
	}
	p.rest = rest[n:]
	return rest[:n]
}

// call reads a call, which may be the argument of print.
func (p *python) call() (llm.FunctionCall, bool) {
	name := p.word()
	if name == "" || !p.take("(") {
		return llm.FunctionCall{}, false
	}
	if name == "print" && !p.tools.has(name) {
		call, ok := p.call()
		return call, ok && p.take(")")
	}
	if !p.tools.has(name) {
		name = name[strings.LastIndexByte(name, '.')+1:]
	}
	args, ok := p.arguments(name)
	return llm.FunctionCall{Name: name, Args: args}, ok && name != ""
}

// arguments reads the arguments of a call and its closing bracket.
func (p *python) arguments(tool string) (json.RawMessage, bool) {
	names := p.tools.properties(tool)
	args, given := []byte{'{'}, map[string]bool{}
	for n := 0; !p.take(")"); n++ {
		before := p.rest
		name := p.word()
		if name == "" || !p.take("=") {
			p.rest = before
			if n >= len(names) {
				return nil, false
			}
			name = names[n]
		}
		if given[name] || strings.Contains(name, ".") {
			return nil, false
		}
		given[name] = true
		if n > 0 {
			args = append(args, ',')
		}
		var ok bool
		if args, ok = p.value(append(llm.AppendString(args, name), ':')); !ok {
			return nil, false
		}
		if !p.take(",") && !strings.HasPrefix(strings.TrimLeft(p.rest, whiteSpace), ")") {
			return nil, false
		}
	}
	return append(args, '}'), true
}

// value appends the JSON of a literal to out.
func (p *python) value(out []byte) ([]byte, bool) {
	p.rest = strings.TrimLeft(p.rest, whiteSpace)
	if p.rest == "" || p.depth > maxNesting*8 {
		return nil, false
	}
	p.depth++
	defer func() { p.depth-- }()
	switch c := p.rest[0]; {
	case c == '[' || c == '(':
		p.rest = p.rest[1:]
		return p.items(out, map[byte]string{'[': "]", '(': ")"}[c])
	case c == '{':
		p.rest = p.rest[1:]
		return p.members(out)
	case c == '-' || '0' <= c && c <= '9':
		n := 1
		for n < len(p.rest) && strings.IndexByte("0123456789.eE+-", p.rest[n]) >= 0 {
			n++
		}
		number := p.rest[:n]
		p.rest = p.rest[n:]
		return append(out, number...), json.Valid([]byte(number))
	}
	if s, ok := p.text(); ok {
		return llm.AppendString(out, strings.ToValidUTF8(s, "\uFFFD")), true
	}
	switch p.word() {
	case "True", "true":
		return append(out, "true"...), true
	case "False", "false":
		return append(out, "false"...), true
	case "None", "null":
		return append(out, "null"...), true
	}
	return nil, false
}

// items appends the JSON of a list whose opening bracket was read.
func (p *python) items(out []byte, closing string) ([]byte, bool) {
	out = append(out, '[')
	for n := 0; !p.take(closing); n++ {
		if n > 0 {
			if !p.take(",") {
				return nil, false
			}
			if p.take(closing) {
				break
			}
			out = append(out, ',')
		}
		var ok bool
		if out, ok = p.value(out); !ok {
			return nil, false
		}
	}
	return append(out, ']'), true
}

// members appends the JSON of a dictionary whose opening bracket was read.
func (p *python) members(out []byte) ([]byte, bool) {
	out = append(out, '{')
	for n := 0; !p.take("}"); n++ {
		if n > 0 {
			if !p.take(",") {
				return nil, false
			}
			if p.take("}") {
				break
			}
			out = append(out, ',')
		}
		p.rest = strings.TrimLeft(p.rest, whiteSpace)
		key, ok := p.text()
		if !ok || !p.take(":") {
			return nil, false
		}
		if out, ok = p.value(append(llm.AppendString(out, strings.ToValidUTF8(key, "\uFFFD")), ':')); !ok {
			return nil, false
		}
	}
	return append(out, '}'), true
}

// text reads string literals that follow each other, as one string.
func (p *python) text() (string, bool) {
	var b strings.Builder
	for n := 0; ; n++ {
		before := p.rest
		rest := strings.TrimLeft(p.rest, whiteSpace)
		prefix := 0
		for prefix < len(rest) && prefix < 2 && strings.IndexByte("rbfuRBFU", rest[prefix]) >= 0 {
			prefix++
		}
		if prefix == len(rest) || rest[prefix] != '"' && rest[prefix] != '\'' {
			p.rest = before
			return b.String(), n > 0
		}
		p.rest = rest[prefix:]
		if !p.literal(&b, strings.ContainsAny(rest[:prefix], "rR")) {
			return "", false
		}
	}
}

// literal reads one string literal, which begins with its quote.
func (p *python) literal(b *strings.Builder, isRaw bool) bool {
	quote := p.rest[:1]
	if triple := quote + quote + quote; strings.HasPrefix(p.rest, triple) {
		quote = triple
	}
	s := p.rest[len(quote):]
	for s != "" {
		switch {
		case strings.HasPrefix(s, quote):
			p.rest = s[len(quote):]
			return true
		case s[0] == '\\' && len(s) > 1 && isRaw:
			b.WriteString(s[:2])
			s = s[2:]
		case s[0] == '\\' && len(s) > 1:
			s = s[unescape(b, s):]
		case s[0] == '\n' && len(quote) == 1:
			return false
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return false
}

// unescape writes the character that the escape at the start of s stands for, and
// returns the size of the escape. An escape that Python does not know is a backslash.
func unescape(b *strings.Builder, s string) int {
	if i := strings.IndexByte("ntrbfva\\'\"", s[1]); i >= 0 {
		b.WriteByte("\n\t\r\b\f\v\a\\'\""[i])
		return 2
	}
	if s[1] == '\n' {
		return 2
	}
	if digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]; digits > 0 && len(s) >= 2+digits {
		if r, err := strconv.ParseUint(s[2:2+digits], 16, 32); err == nil && utf8.ValidRune(rune(r)) {
			b.WriteRune(rune(r))
			return 2 + digits
		}
	}
	b.WriteByte('\\')
	return 1
}
