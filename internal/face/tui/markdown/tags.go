package markdown

import (
	"slices"
	"strings"
)

// tag handles HTML, which is shown as it is. Only the URLs in it are links.
func (p *parser) tag() bool {
	end := p.at + p.markupLength(p.source[p.at:])
	if end == p.at {
		return false
	}
	p.addText(p.at)
	p.textKind = verbatimNode
	for p.at < end {
		if c := p.source[p.at]; c != ':' && c != '.' || !p.url() {
			p.at++
		}
	}
	p.addText(end)
	p.textKind = textNode
	return true
}

// markupLength returns the length of the tag, comment, or other markup that the rest of the text begins with, 0 if
// there is none.
func (p *parser) markupLength(rest string) int {
	switch {
	case strings.HasPrefix(rest, "<!-->"):
		return len("<!-->")
	case strings.HasPrefix(rest, "<!--->"):
		return len("<!--->")
	case strings.HasPrefix(rest, "<!--"):
		return p.lengthTo("-->", rest)
	case strings.HasPrefix(rest, "<?"):
		return p.lengthTo("?>", rest)
	case strings.HasPrefix(rest, "<![CDATA["):
		return p.lengthTo("]]>", rest)
	case strings.HasPrefix(rest, "<!") && len(rest) > 2 && isLetter(rest[2]):
		return p.lengthTo(">", rest)
	case strings.HasPrefix(rest, "</"):
		return closingTagLength(rest)
	}
	return openingTagLength(rest)
}

// lengthTo returns the length of markup that ends with a text, 0 if the text does not come.
func (p *parser) lengthTo(end, rest string) int {
	if slices.Contains(p.missing, end) {
		return 0
	}
	i := strings.Index(rest[2:], end)
	if i < 0 {
		p.missing = append(p.missing, end)
		return 0
	}
	return 2 + i + len(end)
}

// closingTagLength returns the length of a tag such as </a>, 0 if there is none.
func closingTagLength(rest string) int {
	n := nameLength(rest[2:], "", "-")
	at := skipSpace(rest, 2+n)
	if n == 0 || !strings.HasPrefix(rest[at:], ">") {
		return 0
	}
	return at + 1
}

// openingTagLength returns the length of a tag with its attributes, 0 if there is none. All calls for a text together
// take time in proportion to its length, because a tag has "<" only within quotes.
func openingTagLength(rest string) int {
	n := nameLength(rest[1:], "", "-")
	if n == 0 {
		return 0
	}
	at := 1
	for n > 0 {
		at += n
		n = attributeLength(rest[at:])
	}
	at = skipSpace(rest, at)
	if strings.HasPrefix(rest[at:], "/") {
		at++
	}
	if !strings.HasPrefix(rest[at:], ">") {
		return 0
	}
	return at + 1
}

// attributeLength returns the length of an attribute with the white space before it, 0 if there is none.
func attributeLength(rest string) int {
	space := skipSpace(rest, 0)
	name := nameLength(rest[space:], "_:", "_:.-")
	if space == 0 || name == 0 {
		return 0
	}
	end := space + name
	equals := skipSpace(rest, end)
	if !strings.HasPrefix(rest[equals:], "=") {
		return end
	}
	value := skipSpace(rest, equals+1)
	length := valueLength(rest[value:])
	if length == 0 {
		return 0
	}
	return value + length
}

// valueLength returns the length of the value of an attribute, 0 if there is none.
func valueLength(rest string) int {
	if strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "'") {
		if n := strings.IndexByte(rest[1:], rest[0]); n >= 0 {
			return n + 2
		}
		return 0
	}
	if n := strings.IndexAny(rest, " \t\r\n\"'=<>`"); n >= 0 {
		return n
	}
	return len(rest)
}

// nameLength returns the length of a name of letters, marks, and, behind the first character, digits.
func nameLength(rest, first, marks string) int {
	if rest == "" || isDigit(rest[0]) || !containsOnly(rest[:1], first) {
		return 0
	}
	n := 1
	for n < len(rest) && containsOnly(rest[n:n+1], marks) {
		n++
	}
	return n
}
