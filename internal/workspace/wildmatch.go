package workspace

import "strings"

// wildmatch reports whether a glob of an ignore file matches all of text, exactly like git's
// function of that name, including its oddities: an unclosed class matches nothing, and
// neither does a backslash at the end. If paths is set, only ** matches a slash, and only
// between slashes.
//
// To avoid git's exponential backtracking, failed steps are remembered once there are many: a
// pattern full of stars costs at most len(pattern) x len(text).
func wildmatch(pattern, text string, paths bool) bool {
	m := wildMatcher{pattern: pattern, text: text, paths: paths}
	return m.match(0, 0)
}

type wildMatcher struct {
	pattern, text string
	paths         bool
	tries         int
	failed        []uint64 // bit p*(len(text)+1)+t: the pattern from p does not match the text from t
}

// memoAfter is a number of tries that no reasonable pattern needs.
const memoAfter = 256

func (m *wildMatcher) match(p, t int) bool {
	for ; p < len(m.pattern); p++ {
		c := m.pattern[p]
		if t == len(m.text) && c != '*' {
			return false
		}
		switch c {
		case '*':
			return m.star(p, t)
		case '?':
			if m.paths && m.text[t] == '/' {
				return false
			}
		case '[':
			in, end := class(m.pattern, p+1, m.text[t])
			if end < 0 || !in || (m.paths && m.text[t] == '/') {
				return false
			}
			p = end
		case '\\':
			p++
			if p == len(m.pattern) || m.pattern[p] != m.text[t] {
				return false
			}
		default:
			if c != m.text[t] {
				return false
			}
		}
		t++
	}
	return t == len(m.text)
}

// star matches from a run of stars at p on.
func (m *wildMatcher) star(p, t int) bool {
	start := p
	for p < len(m.pattern) && m.pattern[p] == '*' {
		p++
	}
	rest := m.pattern[p:]
	crosses := !m.paths // whether the stars match slashes too
	if m.paths && p-start > 1 && (start == 0 || m.pattern[start-1] == '/') &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
		// "a/**/b" matches "a/b": the stars and a slash can match nothing.
		if rest != "" && rest[0] == '/' && m.try(p+1, t) {
			return true
		}
		crosses = true
	}
	if rest == "" {
		return crosses || strings.IndexByte(m.text[t:], '/') < 0
	}
	if !crosses && rest[0] == '/' {
		// Only the next slash can end the star.
		slash := strings.IndexByte(m.text[t:], '/')
		return slash >= 0 && m.match(p, t+slash)
	}
	literal := rest[0] != '?' && rest[0] != '[' && rest[0] != '\\'
	for ; t < len(m.text); t++ {
		if (!literal || m.text[t] == rest[0]) && m.try(p, t) {
			return true
		}
		if !crosses && m.text[t] == '/' {
			return false
		}
	}
	return false
}

// try is match with a memory of failed steps.
func (m *wildMatcher) try(p, t int) bool {
	if m.tries++; m.tries < memoAfter {
		return m.match(p, t)
	}
	width := len(m.text) + 1
	if m.failed == nil {
		m.failed = make([]uint64, (len(m.pattern)+1)*width/64+1)
	}
	bit := p*width + t
	if m.failed[bit/64]&(1<<(bit%64)) != 0 {
		return false
	}
	if m.match(p, t) {
		return true
	}
	m.failed[bit/64] |= 1 << (bit % 64)
	return false
}

// class reports whether c is in the class that begins after the [ at p-1. end is the index of
// its ]; it is negative if the class is malformed.
func class(pattern string, p int, c byte) (in bool, end int) {
	at := func(i int) byte { // git's strings end in a NUL
		if i < len(pattern) {
			return pattern[i]
		}
		return 0
	}
	negated := at(p) == '!' || at(p) == '^'
	if negated {
		p++
	}
	for prev, first := byte(0), true; first || at(p) != ']'; first = false {
		ch := at(p)
		switch {
		case ch == 0:
			return false, -1
		case ch == '\\':
			p++
			if ch = at(p); ch == 0 {
				return false, -1
			}
			in = in || c == ch
		case ch == '-' && prev != 0 && at(p+1) != 0 && at(p+1) != ']':
			p++
			if at(p) == '\\' {
				p++
			}
			high := at(p)
			if high == 0 {
				return false, -1
			}
			in = in || (prev <= c && c <= high)
			ch = 0 // a range cannot begin another range
		case ch == '[' && at(p+1) == ':':
			end := strings.IndexByte(pattern[p+2:], ']')
			if end < 0 {
				return false, -1
			}
			end += p + 2
			if end < p+3 || pattern[end-1] != ':' { // no name: a set that contains [
				in = in || c == '['
				break
			}
			member, known := inNamedClass(pattern[p+2:end-1], c)
			if !known {
				return false, -1
			}
			in = in || member
			p, ch = end, 0
		default:
			in = in || c == ch
		}
		prev = ch
		p++
	}
	return in != negated, p
}

// inNamedClass reports whether c is in a class like [:alpha:]. known is false for an unknown
// class.
func inNamedClass(class string, c byte) (in, known bool) {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	graph := 0x21 <= c && c <= 0x7e
	switch class {
	case "alnum":
		in = lower || upper || digit
	case "alpha":
		in = lower || upper
	case "blank":
		in = c == ' ' || c == '\t'
	case "cntrl":
		in = c < 0x20 || c == 0x7f
	case "digit":
		in = digit
	case "graph":
		in = graph
	case "lower":
		in = lower
	case "print":
		in = graph || c == ' '
	case "punct":
		in = graph && !lower && !upper && !digit
	case "space":
		in = c == ' ' || ('\t' <= c && c <= '\r')
	case "upper":
		in = upper || (foldCase && lower) // text is in lower case then
	case "xdigit":
		in = digit || ('a' <= c && c <= 'f') || ('A' <= c && c <= 'F')
	default:
		return false, false
	}
	return in, true
}
