package markdown

import "strings"

// maxMath is the length of the longest formula.
const maxMath = 1000

// formula handles a formula between marks: $...$, $$...$$, \(...\), \[...\].
func (p *parser) formula() bool {
	rest := p.source[p.at:min(len(p.source), p.at+maxMath)]
	delimiter, length := formulaLength(rest)
	if length == 0 {
		return false
	}
	text := unicodeMath(rest[delimiter : length-delimiter])
	p.add(node{kind: verbatimNode, text: text}, p.at, p.at+length)
	return true
}

// command handles a LaTeX command outside a formula, such as \alpha, at the beginning of a word.
func (p *parser) command() bool {
	rest := p.source[p.at:min(len(p.source), p.at+maxMath)]
	n := 1
	for n < len(rest) && isLetter(rest[n]) {
		n++
	}
	before := p.runeBefore(p.at)
	if n < 3 || strings.ContainsRune(`\/.:-_`, before) || before < 0x80 && (isLetter(byte(before)) || isDigit(byte(before))) {
		return false // no command, or a path
	}
	text := symbol(rest[1:n])
	if text == "" || n < len(rest) && strings.IndexByte(`\/_-`, rest[n]) >= 0 {
		return false
	}
	p.add(node{kind: verbatimNode, text: text}, p.at, p.at+n)
	return true
}

// formulaLength returns the length of the delimiters and of the formula with them. The length is 0 if none begins here.
func formulaLength(rest string) (delimiter, length int) {
	var closing string
	switch {
	case strings.HasPrefix(rest, "$$"):
		closing = "$$"
	case rest[0] == '$':
		return 1, dollars(rest)
	case strings.HasPrefix(rest, `\(`):
		closing = `\)`
	case strings.HasPrefix(rest, `\[`):
		closing = `\]`
	default:
		return 0, 0
	}
	n := strings.Index(rest[2:], closing)
	if n <= 0 || closing[0] == '\\' && !isFormula(rest[2:2+n]) {
		return 0, 0
	}
	if closing[1] == ']' && !strings.ContainsAny(rest[2:2+n], `\^_=+<>{`) {
		return 0, 0 // an escaped bracket
	}
	return 2, n + 4
}

// dollars returns the length of a formula between single dollars, 0 if the dollar is an amount or a variable.
func dollars(rest string) int {
	if len(rest) < 3 || strings.IndexByte(" \n{", rest[1]) >= 0 {
		return 0
	}
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '`':
			return 0
		case '$':
			isInWord := i+1 < len(rest) && (isLetter(rest[i+1]) || isDigit(rest[i+1]))
			if rest[i-1] == ' ' || isInWord || i < 2 || !isFormula(rest[1:i]) {
				return 0
			}
			return i + 1
		}
	}
	return 0
}

// isFormula reports whether a text looks like a formula rather than like prose.
func isFormula(source string) bool {
	source = strings.TrimSpace(source)
	return len(source) <= 2 && len(source) > 0 || strings.ContainsAny(source, `\^_=+*/<>{`) || strings.IndexByte(source, ' ') < 0 && strings.ContainsAny(source, "-()|")
}
