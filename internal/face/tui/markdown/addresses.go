package markdown

import (
	"strings"

	"pollux/internal/urltext"
)

// maxParentheses is the number of nested parentheses in the URL of a link.
const maxParentheses = 32

// linkTarget returns the URL in the part of a link behind its text, such as (url "title"), and the length of that
// part. The length is 0 if the source begins with no such part.
func linkTarget(source string) (target string, length int) {
	if !strings.HasPrefix(source, "(") {
		return "", 0
	}
	from := skipSpace(source, 1)
	end := from + destinationLength(source[from:])
	target = source[from:end]
	if strings.HasPrefix(target, "<") {
		target = target[1 : len(target)-1]
	}
	i := skipSpace(source, end)
	if i > end {
		i = skipSpace(source, i+titleLength(source[i:]))
	}
	if i == len(source) || source[i] != ')' {
		return "", 0
	}
	return target, i + 1
}

// skipSpace returns the place of the first character from a place on that is no white space.
func skipSpace(source string, from int) int {
	for from < len(source) && strings.IndexByte(" \t\r\n", source[from]) >= 0 {
		from++
	}
	return from
}

// destinationLength returns the length of the URL of a link, with the angle brackets around it. It is 0 if there is
// none.
func destinationLength(source string) int {
	isAngled := strings.HasPrefix(source, "<")
	depth := 0
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\' && i+1 < len(source) && isPunctuation(source[i+1]):
			i++
		case isAngled:
			if c == '>' {
				return i + 1
			}
			if c == '\n' || c == '<' && i > 0 {
				return 0
			}
		case c == ')' && depth == 0 || c <= ' ':
			if depth > 0 {
				return 0
			}
			return i
		case c == '(':
			if depth++; depth > maxParentheses {
				return 0
			}
		case c == ')':
			depth--
		}
	}
	return 0
}

// titleLength returns the length of a title with its marks, 0 if there is none.
func titleLength(source string) int {
	if source == "" || strings.IndexByte(`"'(`, source[0]) < 0 {
		return 0
	}
	closing := source[0]
	if closing == '(' {
		closing = ')'
	}
	for i := 1; i < len(source); i++ {
		switch source[i] {
		case '\\':
			i++
		case closing:
			return i + 1
		case '(':
			if closing == ')' {
				return 0
			}
		}
	}
	return 0
}

// autolink handles a URL or an email address in angle brackets.
func (p *parser) autolink() bool {
	rest := p.source[p.at+1:]
	n := strings.IndexFunc(rest, func(r rune) bool { return r <= ' ' || r == '<' || r == '>' })
	if n < 0 || rest[n] != '>' {
		return false
	}
	text := rest[:n]
	target := text
	switch {
	case isEmail(text):
		target = "mailto:" + text
	case !hasScheme(text):
		return false
	}
	p.add(node{kind: addressNode, text: text, target: target}, p.at, p.at+n+2)
	return true
}

// hasScheme reports whether a text begins with the scheme of a URL, such as "https:".
func hasScheme(text string) bool {
	scheme, _, hasColon := strings.Cut(text, ":")
	if !hasColon || len(scheme) < 2 || len(scheme) > 32 || !isLetter(scheme[0]) {
		return false
	}
	return containsOnly(scheme, "+.-")
}

// isEmail reports whether a text is an email address.
func isEmail(text string) bool {
	local, domain, hasAt := strings.Cut(text, "@")
	if !hasAt || local == "" || !containsOnly(local, ".!#$%&'*+/=?^_`{|}~-") {
		return false
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > 63 || !containsOnly(label, "-") || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return true
}

// containsOnly reports whether a text has only ASCII letters, digits, and some marks.
func containsOnly(text, marks string) bool {
	for i := range len(text) {
		if !isLetter(text[i]) && !isDigit(text[i]) && strings.IndexByte(marks, text[i]) < 0 {
			return false
		}
	}
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// url handles a URL without marks around it, from its first colon, or from the first dot in "www.".
func (p *parser) url() bool {
	rest := p.source[p.at:]
	before := p.source[p.from:p.at]
	scheme := before[len(before)-schemeLength(before, rest):]
	if scheme == "" {
		return false
	}
	n := urltext.Length(rest)
	if n < 4 {
		return false
	}
	start, end := p.at-len(scheme), p.at+n
	text := p.source[start:end]
	target := text
	if rest[0] == '.' {
		target = "http://" + text
	}
	p.add(node{kind: addressNode, text: text, target: target}, start, end)
	return true
}

// schemeLength returns the length of the end of a text that, with the rest of the source, begins a URL, 0 for none.
func schemeLength(before, rest string) int {
	schemes := []string{"https", "http", "file"}
	if rest[0] == '.' {
		schemes = []string{"www"}
	} else if !strings.HasPrefix(rest, "://") {
		return 0
	}
	for _, s := range schemes {
		head := len(before) - len(s)
		if head >= 0 && strings.EqualFold(before[head:], s) && (head == 0 || !isLetter(before[head-1]) && !isDigit(before[head-1])) {
			return len(s)
		}
	}
	return 0
}
