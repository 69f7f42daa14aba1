package markdown

import "strings"

// headingLevel returns the level and the text of an ATX heading, level 0 if the line is none. Indentation has been
// removed.
func headingLevel(line string) (level int, text string) {
	for level < len(line) && line[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level < len(line) && line[level] != ' ' && line[level] != '\t' {
		return 0, ""
	}
	text = strings.Trim(line[level:], " \t")
	if body := strings.TrimRight(text, "#"); body == "" || strings.HasSuffix(body, " ") || strings.HasSuffix(body, "\t") {
		text = strings.TrimRight(body, " \t")
	}
	return level, text
}

// underlineLevel returns the level of the heading that a line below its text makes, 0 if the line is no underline.
func underlineLevel(line string) int {
	line = strings.TrimRight(line, " \t")
	switch {
	case line == "":
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}

// isRule reports whether a line is a thematic break.
func isRule(line string) bool {
	if line == "" || line[0] != '-' && line[0] != '*' && line[0] != '_' {
		return false
	}
	n := 0
	for _, b := range []byte(line) {
		switch b {
		case line[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// fence is the start of a block of code.
type fence struct {
	mark   string // the backticks or tildes, "" for none
	info   string
	indent int // columns to remove before each line of code
}

// fenceStart returns the fence that a line begins.
func fenceStart(line string, indent int) fence {
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return fence{}
	}
	info := strings.TrimLeft(line, line[:1])
	mark := line[:len(line)-len(info)]
	if mark[0] == '`' && strings.Contains(info, "`") {
		return fence{}
	}
	return fence{mark: mark, info: strings.Trim(info, " \t"), indent: indent}
}

// isEnd reports whether a line ends the block of code.
func (f fence) isEnd(line string) bool {
	line = strings.TrimRight(line, " \t")
	return len(line) >= len(f.mark) && strings.Trim(line, f.mark[:1]) == ""
}

// itemMarker returns the marker of a list item, such as "-" or "12.", "" if the line begins none.
func itemMarker(line string) string {
	if line == "" {
		return ""
	}
	n := 0
	if strings.IndexByte("-+*", line[0]) >= 0 {
		n = 1
	} else {
		for n < len(line) && n < 10 && '0' <= line[n] && line[n] <= '9' {
			n++
		}
		if n == 0 || n > 9 || n == len(line) || line[n] != '.' && line[n] != ')' {
			return ""
		}
		n++
	}
	if n < len(line) && line[n] != ' ' && line[n] != '\t' {
		return ""
	}
	return line[:n]
}

// htmlStart returns the text that ends a block of HTML that a line begins: "\n" for an empty line. It returns "" if
// the line begins none.
func htmlStart(line string, isInParagraph bool) string {
	if len(line) < 2 || line[0] != '<' {
		return ""
	}
	switch {
	case strings.HasPrefix(line, "<!--"):
		return "-->"
	case line[1] == '?':
		return "?>"
	case strings.HasPrefix(line, "<![CDATA["):
		return "]]>"
	case line[1] == '!':
		return ">"
	}
	name := strings.TrimPrefix(line[1:], "/")
	n := 0
	for n < len(name) && (isLetter(name[n]) || n > 0 && '0' <= name[n] && name[n] <= '9') {
		n++
	}
	isComplete := n < len(name) && strings.IndexByte(" \t>/", name[n]) >= 0 || n > 0 && n == len(name)
	switch tag := strings.ToLower(name[:n]); {
	case !isComplete:
		return ""
	case line[1] != '/' && (tag == "script" || tag == "pre" || tag == "style" || tag == "textarea"):
		return "</" + tag + ">"
	case isBlockTag(tag):
		return "\n"
	}
	// A line that is one tag.
	if end := strings.TrimRight(line, " \t"); !isInParagraph && strings.IndexByte(end, '>') == len(end)-1 {
		return "\n"
	}
	return ""
}

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

// isBlockTag reports whether an HTML tag begins a block within a paragraph.
func isBlockTag(name string) bool {
	switch name {
	case "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col", "colgroup",
		"dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frame",
		"frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend", "li", "link",
		"main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option", "p", "param", "search", "section",
		"summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "track", "ul":
		return true
	}
	return false
}
