package workspace

import (
	"strconv"
	"strings"
)

// ExpandGlob rewrites a glob as Gemini CLI takes it in the forms that package doublestar has: "@(a|b)" and "?(a)" become
// braces, as do ranges such as "{1..3}"; named classes such as "[[:alpha:]]" become ranges, and "//" becomes "/". For a glob with
// "!(a)", it returns the globs with any name and with "a" in its place: paths match that match the first, and not the second. Else
// the second is "". The forms "+(a)" and "*(a)" stay as they are.
func ExpandGlob(glob string) (expanded, except string) {
	before, options, after, found := cutNegation(glob)
	if !found {
		return expandGlob(glob), ""
	}
	name := "*"
	if strings.HasSuffix(before, "*") || strings.HasPrefix(after, "*") {
		name = ""
	}
	return expandGlob(before + name + after), expandGlob(before + "@(" + options + ")" + after)
}

// cutNegation cuts a glob around its first "!(…)".
func cutNegation(glob string) (before, options, after string, found bool) {
	for i := 0; i < len(glob); i++ {
		switch {
		case glob[i] == '\\':
			i++
		case strings.HasPrefix(glob[i:], "!("):
			if end := closingParenthesis(glob[i+2:]); end >= 0 {
				return glob[:i], glob[i+2 : i+2+end], glob[i+2+end+1:], true
			}
		}
	}
	return glob, "", "", false
}

func expandGlob(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		rest := glob[i:]
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(rest[:2])
			i++
		case rest[0] == '/' && i > 0 && glob[i-1] == '/':
		case rest[0] == '[':
			i += expandClass(&b, rest) - 1
		case strings.HasPrefix(rest, "@("), strings.HasPrefix(rest, "?("):
			end := closingParenthesis(rest[2:])
			if end < 0 {
				b.WriteByte(rest[0])
				continue
			}
			b.WriteByte('{')
			if rest[0] == '?' {
				b.WriteByte(',')
			}
			expandOptions(&b, rest[2:2+end])
			b.WriteByte('}')
			i += end + len("@()") - 1
		case rest[0] == '{':
			list, n := expandRange(rest)
			b.WriteString(list)
			i += n - 1
		default:
			b.WriteByte(rest[0])
		}
	}
	return b.String()
}

// closingParenthesis returns the place of the ")" that closes the options at the beginning of a glob, -1 if there is none.
func closingParenthesis(glob string) int {
	depth := 0
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return -1
}

// expandOptions writes options that "|" separates as those in braces.
func expandOptions(b *strings.Builder, options string) {
	depth, from := 0, 0
	write := func(option string) {
		b.WriteString(strings.ReplaceAll(expandGlob(option), ",", `\,`))
	}
	if strings.ContainsAny(options, "({") { // the commas of inner options separate them
		write = func(option string) { b.WriteString(expandGlob(option)) }
	}
	for i := 0; i < len(options); i++ {
		switch options[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			depth--
		case '|':
			if depth == 0 {
				write(options[from:i])
				b.WriteByte(',')
				from = i + 1
			}
		}
	}
	write(options[from:])
}

// expandClass writes the class at the beginning of a glob with ranges in place of its names, and returns its length in the glob.
func expandClass(b *strings.Builder, glob string) (n int) {
	b.WriteByte('[')
	for i := 1; i < len(glob); i++ {
		rest := glob[i:]
		if name, _, ok := strings.Cut(strings.TrimPrefix(rest, "[:"), ":]"); ok && strings.HasPrefix(rest, "[:") && classRanges(name) != "" {
			b.WriteString(classRanges(name))
			i += len("[::]") + len(name) - 1
			continue
		}
		b.WriteByte(rest[0])
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteByte(rest[1])
			i++
		case rest[0] == ']':
			return i + 1
		}
	}
	return len(glob)
}

// classRanges returns the members of a named class of ASCII, "" if the name is unknown.
func classRanges(name string) string {
	switch name {
	case "alnum":
		return "0-9A-Za-z"
	case "alpha":
		return "A-Za-z"
	case "blank":
		return " \t"
	case "digit":
		return "0-9"
	case "lower":
		return "a-z"
	case "space":
		return " \t\n\v\f\r"
	case "upper":
		return "A-Z"
	case "word":
		return "0-9A-Z_a-z"
	case "xdigit":
		return "0-9A-Fa-f"
	}
	return ""
}

// expandRange returns the range in braces at the beginning of a glob as a list, and its length. If there is none, it is the brace
// alone.
func expandRange(glob string) (list string, n int) {
	end := strings.IndexByte(glob, '}')
	if end < 0 {
		return glob[:1], 1
	}
	ends := strings.Split(glob[1:end], "..")
	if len(ends) != 2 && len(ends) != 3 {
		return glob[:1], 1
	}
	first, isNumber := rangeEnd(ends[0])
	last, isSame := rangeEnd(ends[1])
	step := 1
	if len(ends) == 3 {
		step, _ = strconv.Atoi(ends[2])
		step = max(step, -step)
	}
	const most = 1024
	if isNumber != isSame || first < 0 || last < 0 || step < 1 || max(first-last, last-first)/step >= most {
		return glob[:1], 1
	}
	if first > last {
		step = -step
	}
	var b strings.Builder
	for at := first; step > 0 && at <= last || step < 0 && at >= last; at += step {
		b.WriteByte(map[bool]byte{true: '{', false: ','}[at == first])
		if !isNumber {
			b.WriteByte(byte(at))
			continue
		}
		text := strconv.Itoa(at)
		if width := max(len(ends[0]), len(ends[1])); strings.HasPrefix(ends[0], "0") && len(ends[0]) > 1 {
			text = strings.Repeat("0", max(width-len(text), 0)) + text
		}
		b.WriteString(text)
	}
	return b.String() + "}", end + 1
}

// rangeEnd returns an end of a range: a number, or a letter as its code. It is negative if the text is neither.
func rangeEnd(text string) (at int, isNumber bool) {
	if n, err := strconv.Atoi(text); err == nil {
		return n, true
	}
	if len(text) == 1 && (text[0]|0x20) >= 'a' && (text[0]|0x20) <= 'z' {
		return int(text[0]), false
	}
	return -1, false
}

// HasManyAlternatives reports whether the braces of a valid glob have so many alternatives that matching takes too long.
func HasManyAlternatives(glob string) bool { return alternatives(glob) > maxAlternatives }

// maxAlternatives limits the number of alternatives in a pattern's braces, because matching
// tries each of them.
const maxAlternatives = 1024

// alternatives returns an upper bound for the number of patterns that the braces of a valid
// pattern expand to. Above maxAlternatives the number is not exact.
func alternatives(pattern string) int {
	n := 1
	var open []int // number of alternatives so far in each open brace
	for i := 0; i < len(pattern) && n <= maxAlternatives; i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			open = append(open, 1)
		case ',':
			if len(open) > 0 {
				open[len(open)-1]++
			}
		case '}':
			if len(open) > 0 {
				n *= open[len(open)-1]
				open = open[:len(open)-1]
			}
		}
	}
	return n
}
