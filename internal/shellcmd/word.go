package shellcmd

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// static returns the argument that a program gets for a word. ok is false if the shell has
// something to expand in it: variables, globs, braces, a tilde or substitutions. An arithmetic
// expansion without variables is static.
func static(w *syntax.Word) (string, bool) { return value(w, nil) }

// value is [static] for a word with substitutions in double quotes, whose output is that of known.
func value(w *syntax.Word, known func(*syntax.CmdSubst) (string, bool)) (string, bool) {
	var b strings.Builder
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") || expandsTilde(b.String(), p.Value) {
				return "", false
			}
			if !unescape(&b, p.Value, "", "*?[{}") {
				return "", false
			}
		case *syntax.SglQuoted:
			if !p.Dollar {
				b.WriteString(p.Value)
			} else if !ansiC(&b, p.Value) {
				return "", false
			}
		case *syntax.DblQuoted:
			if p.Dollar {
				return "", false // a string to translate
			}
			for _, q := range p.Parts {
				if !quoted(&b, q, known) {
					return "", false
				}
			}
		case *syntax.ArithmExp:
			n, ok := number(p.X)
			if !ok {
				return "", false
			}
			b.WriteString(strconv.Itoa(n))
		default:
			return "", false
		}
	}
	return b.String(), true
}

// expandsTilde reports whether bash may expand a tilde in a literal that follows a text in the same word, as in a=~/b and
// a=b:~/c, which it does in arguments that look like assignments.
func expandsTilde(before, literal string) bool {
	last, isAssigned := byte(0), strings.Contains(before, "=")
	if before != "" {
		last = before[len(before)-1]
	}
	for i := 0; i < len(literal); i++ {
		c := literal[i]
		switch {
		case c == '\\':
			i++
		case c == '~' && isAssigned && (last == '=' || last == ':'):
			return true
		}
		isAssigned = isAssigned || c == '='
		last = c
	}
	return false
}

// quoted writes the value of a part of a word in double quotes. It returns false if that is not known.
func quoted(b *strings.Builder, part syntax.WordPart, known func(*syntax.CmdSubst) (string, bool)) bool {
	switch p := part.(type) {
	case *syntax.Lit:
		return unescape(b, p.Value, "$`\"\\", "")
	case *syntax.ArithmExp:
		n, ok := number(p.X)
		b.WriteString(strconv.Itoa(n))
		return ok
	case *syntax.CmdSubst:
		if known == nil {
			return false
		}
		text, ok := known(p)
		b.WriteString(text)
		return ok
	}
	return false
}

// number returns the value of an arithmetic expression with small decimal numbers. ok is false for
// others.
func number(x syntax.ArithmExpr) (n int, ok bool) {
	const most = 1 << 30
	switch x := x.(type) {
	case *syntax.Word:
		text := x.Lit()
		if text == "" || len(text) > 9 || strings.Trim(text, "0123456789") != "" || text[0] == '0' && text != "0" {
			return 0, false
		}
		n, err := strconv.Atoi(text)
		return n, err == nil
	case *syntax.ParenArithm:
		return number(x.X)
	case *syntax.BinaryArithm:
		a, ok := number(x.X)
		b, isNumber := number(x.Y)
		if !ok || !isNumber {
			return 0, false
		}
		switch x.Op {
		case syntax.Add:
			n = a + b
		case syntax.Sub:
			n = a - b
		case syntax.Mul:
			n = a * b
		case syntax.Quo:
			if b == 0 {
				return 0, false
			}
			n = a / b
		case syntax.Rem:
			if b == 0 {
				return 0, false
			}
			n = a % b
		default:
			return 0, false
		}
		return n, -most < n && n < most
	}
	return 0, false
}

// variables returns the names of the variables in a word, nil if the shell expands something else in
// it, too.
func variables(w *syntax.Word) []string {
	var names []string
	isPlain := true
	for _, part := range w.Parts {
		parts := []syntax.WordPart{part}
		if q, ok := part.(*syntax.DblQuoted); ok && !q.Dollar {
			parts = q.Parts
		}
		for _, p := range parts {
			if param, ok := p.(*syntax.ParamExp); ok && isPlainParameter(param) {
				names = append(names, param.Param.Value)
				continue
			}
			inner := &syntax.Word{Parts: []syntax.WordPart{p}}
			if _, isQuotedPart := part.(*syntax.DblQuoted); isQuotedPart {
				inner.Parts = []syntax.WordPart{&syntax.DblQuoted{Parts: inner.Parts}}
			}
			_, ok := static(inner)
			isPlain = isPlain && ok
		}
	}
	if !isPlain {
		return nil
	}
	return names
}

// isPlainParameter reports whether an expansion is $NAME or ${NAME}.
func isPlainParameter(p *syntax.ParamExp) bool {
	return p.Param != nil && !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil &&
		p.Repl == nil && p.Names == 0 && p.Exp == nil
}

// unescape writes s without the backslashes that the shell removes: those before a character
// of special, or before any character if special is empty. It returns false if s contains an
// unescaped character of stop.
func unescape(b *strings.Builder, s, special, stop string) bool {
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s) && s[i+1] == '\n':
			i++
		case c == '\\' && i+1 < len(s) && (special == "" || strings.IndexByte(special, s[i+1]) >= 0):
			i++
			b.WriteByte(s[i])
		case strings.IndexByte(stop, c) >= 0:
			return false
		default:
			b.WriteByte(c)
		}
	}
	return true
}

// ansiC writes the value of $'s'. It returns false for unknown escape sequences, for characters that are others in some
// locales, and for a NUL byte, which ends the text.
func ansiC(b *strings.Builder, s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		if i == len(s) {
			return false
		}
		if j := strings.IndexByte("abeEfnrtv\\'\"?", s[i]); j >= 0 {
			b.WriteByte("\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[j])
			continue
		}
		digits, base, width := s[i:], 8, 3
		switch s[i] {
		case 'x':
			digits, base, width = s[i+1:], 16, 2
			i++
		case 'u':
			digits, base, width = s[i+1:], 16, 4
			i++
		case 'U':
			digits, base, width = s[i+1:], 16, 8
			i++
		}
		n := 0
		for n < min(width, len(digits)) && isDigit(digits[n], base) {
			n++
		}
		v, err := strconv.ParseUint(digits[:n], base, 32)
		if err != nil || byte(v) == 0 || width > 3 && v >= utf8.RuneSelf {
			return false
		}
		b.WriteByte(byte(v))
		i += n - 1
	}
	return true
}

func isDigit(c byte, base int) bool {
	_, err := strconv.ParseUint(string(c), base, 8)
	return err == nil
}
