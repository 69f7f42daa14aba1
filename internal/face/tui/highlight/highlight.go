// Package highlight divides source code into tokens for coloring. One small scanner reads all languages; a table row
// describes each of them. The tokens of a line always join to the line itself.
package highlight

import (
	"strings"
	"unicode/utf8"
)

// Kind is the role of a token in its language.
type Kind uint8

// The kinds of tokens. In a diff, Number marks added lines, and Variable removed ones.
const (
	Plain Kind = iota
	Keyword
	String
	Number
	Comment
	Type
	Function
	Variable // a variable with a sigil, a key, an attribute
	Operator
	Meta // a decorator, a preprocessor directive, a section
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{Plain, Keyword, String, Number, Comment, Type, Function, Variable, Operator, Meta}
}

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	switch k {
	case Keyword:
		return "keyword"
	case String:
		return "string"
	case Number:
		return "number"
	case Comment:
		return "comment"
	case Type:
		return "type"
	case Function:
		return "function"
	case Variable:
		return "variable"
	case Operator:
		return "operator"
	case Meta:
		return "meta"
	}
	return "plain"
}

// Token is a part of a line.
type Token struct {
	Kind Kind
	Text string
}

// The limits of highlighting. Longer code is plain text.
const (
	MaxLines   = 2000
	MaxColumns = 2000 // in characters
)

// Lines returns the tokens of each line of code, divided at line feeds. The tokens have no line feeds. An empty line
// has no tokens. An unknown language, and code of more than MaxLines lines, gives plain tokens.
func Lines(language, code string) [][]Token {
	if strings.Count(strings.TrimSuffix(code, "\n"), "\n") >= MaxLines {
		language = ""
	}
	s := NewScanner(language)
	lines := strings.Split(code, "\n")
	tokens := make([][]Token, len(lines))
	for i, line := range lines {
		tokens[i] = s.Line(line)
	}
	return tokens
}

// Scanner highlights code line by line. A copy of a Scanner continues independently from the same line. The zero
// Scanner returns plain tokens.
type Scanner struct {
	language *language
	lines    int  // number of lines before
	open     int  // 1 + index of the delimiter that is open in language.delimiters, 0 for none
	depth    int  // nesting of the open comment
	inTag    bool // in a tag of a markup language
}

// NewScanner returns a Scanner for a language, by name or alias, at the first line of code.
func NewScanner(language string) Scanner { return Scanner{language: find(language)} }

// Line returns the tokens of the next line, which has no line feed. Lines after the first MaxLines are plain.
func (s *Scanner) Line(line string) []Token {
	if line == "" {
		s.lines++
		return nil
	}
	if s.language == nil || s.lines >= MaxLines || len(line) > MaxColumns && utf8.RuneCountInString(line) > MaxColumns {
		s.lines++
		return []Token{{Plain, line}}
	}
	t := tokens{line: line}
	switch s.language.mode {
	case modeMarkup:
		s.markup(&t)
	case modeDiff:
		t.add(diffKind(line), len(line))
	case modeMarkdown:
		s.markdown(&t)
	default:
		s.code(&t)
	}
	s.lines++
	t.add(Plain, len(line))
	return t.list
}

// tokens collects the tokens of a line. Neighbors of one kind are joined.
type tokens struct {
	line string
	at   int // end of the last token
	list []Token
}

// add ends a token at an offset of the line.
func (t *tokens) add(kind Kind, end int) {
	if end <= t.at {
		return
	}
	if n := len(t.list); n > 0 && t.list[n-1].Kind == kind {
		from := t.at - len(t.list[n-1].Text)
		t.list[n-1].Text = t.line[from:end]
	} else {
		t.list = append(t.list, Token{kind, t.line[t.at:end]})
	}
	t.at = end
}

// rest returns the part of the line that has no token yet.
func (t *tokens) rest() string { return t.line[t.at:] }
