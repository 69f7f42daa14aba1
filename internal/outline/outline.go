// Package outline lists the declarations of a file with their lines, so that a reader of a large
// file can go to the part that matters.
//
// It finds declarations line by line, by expressions for each family of languages, and knows
// comments and long strings. Incomplete and invalid files have outlines too.
package outline

import (
	"path/filepath"
	"strings"

	"pollux/llm/ellipsis"
)

// Line is the line of a declaration.
type Line struct {
	Number int    // from 1
	Level  int    // number of listed declarations around it
	Text   string // the line without its body, or its beginning; not indented
}

// The limits of an outline.
const (
	maxLines = 10_000  // declarations
	maxTried = 200_000 // lines that are compared with expressions, each of which takes a few microseconds
	maxText  = 120     // characters of a declaration
	maxHead  = 400     // bytes of a line to look at
)

// Knows reports whether the language of a file, by its name, can have an outline.
func Knows(name string) bool { return finderOf(name) != nil }

// Of returns the declarations of the text of a file, none for a language that it does not know. It
// ends after 10,000 declarations, and where 200,000 lines outside of functions have been compared:
// its time is bounded, whatever the text is.
func Of(name, text string) []Line {
	find := finderOf(name)
	if find == nil {
		return nil
	}
	return find(text)
}

// finder returns the declarations of a text.
type finder func(text string) []Line

// finderOf returns the finder for a file, nil for an unknown language.
func finderOf(name string) finder {
	switch strings.ToLower(strings.TrimPrefix(filepath.Ext(name), ".")) {
	case "go":
		return golang.find
	case "py", "pyi", "pyw":
		return python.find
	case "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts":
		return javascript.find
	case "java", "kt", "kts", "cs", "scala", "sc", "swift", "groovy", "dart":
		return java.find
	case "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cu":
		return c.find
	case "rs":
		return rust.find
	case "rb", "rake":
		return ruby.find
	case "php":
		return php.find
	case "sh", "bash", "zsh", "ksh":
		return shell.find
	case "sql":
		return sql.find
	case "html", "htm":
		return html.find
	case "yaml", "yml":
		return yaml.find
	case "md", "markdown", "mdx":
		return findHeadings
	case "toml", "ini", "cfg":
		return findSections
	case "json", "jsonc", "json5":
		return findKeys
	}
	return nil
}

// scope is a declaration that has not ended, as far as indentation shows.
type scope struct {
	kind   kind
	indent int
	inner  int // the indentation of its members, 0 if it has none yet
	line   int // index of its line
	level  int
	fields int // number of members that its line names
}

// kind is the kind of a declaration.
type kind int

const (
	leaf      kind = iota // nothing in it is listed
	container             // the declarations in it are listed
	group                 // its line has the names of its members
)

// find returns the declarations of a text. A declaration ends before the next code with the same
// or less indentation.
func (l *language) find(text string) []Line {
	var lines []Line
	var open []scope
	skip := skipper{syntax: &l.syntax}
	number, tried := 0, 0
	for line := range strings.Lines(text) {
		number++
		isCode := !skip.isInside()
		skip.line(line)
		code := strings.TrimLeft(line, " \t")
		if !isCode || code == "" || !l.begins(code) {
			continue
		}
		indent := indentation(line[:len(line)-len(code)])
		if endsScopes(code[0]) && !isLabel(code) {
			for len(open) > 0 && open[len(open)-1].indent >= indent {
				open = open[:len(open)-1]
			}
		}
		code = head(code)
		var parent *scope
		isMember := false
		if len(open) > 0 {
			parent = &open[len(open)-1]
			isMember = parent.contains(indent)
			if parent.kind == leaf {
				continue
			}
			if parent.kind == group {
				if name := l.field.name(code); isMember && name != "" {
					lines[parent.line].add(name, parent.fields)
					parent.fields++
				}
				continue
			}
		}
		if tried++; tried > maxTried || len(lines) == maxLines {
			break
		}
		k, ok := l.kindOf(code, indent, isMember)
		s := scope{kind: k, indent: indent, line: len(lines)}
		if parent != nil {
			s.level = parent.level + 1
		}
		if !ok || l.depth > 0 && s.level >= l.depth {
			continue
		}
		open = append(open, s)
		lines = append(lines, Line{number, s.level, signature(code, k)})
	}
	return lines
}

// contains reports whether code with this indentation is directly in the scope.
func (s *scope) contains(indent int) bool {
	if indent > s.indent && (s.inner == 0 || indent < s.inner) {
		s.inner = indent
	}
	return indent == s.inner
}

// indentation returns the width of white space.
func indentation(space string) (width int) {
	for _, b := range []byte(space) {
		if b == '\t' {
			width += 4 - width%4
		} else {
			width++
		}
	}
	return width
}

// isLabel reports whether a line has the indentation of a declaration that it belongs to.
func isLabel(code string) bool {
	for _, word := range []string{"public:", "private:", "protected:", "signals:", "public slots:", "private slots:", "where", "Q_OBJECT"} {
		if strings.HasPrefix(code, word) {
			return true
		}
	}
	return false
}

// endsScopes reports whether code that begins with this byte ends declarations with the same
// indentation. Parentheses and braces may belong to them.
func endsScopes(b byte) bool { return isWord(b) || strings.IndexByte(`"'<[`, b) >= 0 }

func isWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '$' || b == '@' || b == '~' || b >= 0x80
}

// head returns the beginning of a line, at most maxHead bytes, with single spaces between words.
func head(line string) string {
	if len(line) > maxHead {
		line = line[:maxHead]
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(line, "")), " ")
}

// signature returns a declaration without its body.
func signature(code string, k kind) string {
	if k == group {
		code = strings.TrimRight(code, "({ \t")
	}
	if i := strings.Index(code, " { "); i > 0 && (strings.HasSuffix(code, "}") || strings.HasSuffix(code, "};")) {
		code = code[:i]
	}
	for _, end := range []string{" {}", "{", "=>", ", ()", ", async ()", ", function()", ", function ()", "=", ":", ";"} {
		code = strings.TrimRight(strings.TrimSuffix(code, end), " \t")
	}
	if strings.HasSuffix(code, "(") || strings.HasSuffix(code, ",") || len(code) >= maxHead-len("...") {
		code += "..."
	}
	return ellipsis.Runes(code, maxText)
}

// add adds the name of a member to the line of a group, after the given number of others. Dots
// stand for those that do not fit.
func (l *Line) add(name string, others int) {
	switch {
	case strings.HasSuffix(l.Text, "..."):
	case len(l.Text)+len(": ")+len(name) > maxText:
		l.Text += ", ..."
	case others == 0:
		l.Text += ": " + name
	default:
		l.Text += ", " + name
	}
}
