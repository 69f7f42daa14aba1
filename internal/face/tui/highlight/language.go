package highlight

import (
	"strings"
	"sync"
)

// mode selects the scanner of a language.
type mode uint8

const (
	modeCode mode = iota
	modeMarkup
	modeDiff
	modeMarkdown
)

// row describes a language. Its lists are separated by spaces.
type row struct {
	names string // the name, then aliases, in lower case
	files string // extensions with their dot, and whole file names, in lower case
	mode  mode

	line  string // starts of comments until the end of the line
	block string // pairs of starts and ends of comments
	// quotes are delimiters of strings: OPEN[~CLOSE]:FLAGS. Flags: e for backslash escapes, m if a string may have
	// several lines, c for a character literal, whose quote has other uses as well.
	quotes string

	keywords, types, literals, functions string

	sigils    string // characters that begin a variable
	symbols   string // characters that begin a literal word, such as :name
	directive string // characters that begin a directive at the start of a line
	decorator string // characters that begin a decorator
	letters   string // characters of words besides letters, digits and _
	keys      string // characters that follow a key
	prefixes  string // words that belong to the string behind them

	isNested  bool // comments nest
	isSpaced  bool // a comment begins a word
	isFolded  bool // words are case-insensitive
	isUpper   bool // a capitalized word is a type
	isLeading bool // a keyword is the first word of a line
	noCalls   bool // a word before a parenthesis is no function
}

// delimiter is the start and end of a comment or string.
type delimiter struct {
	open, close string
	isComment   bool
	hasEscapes  bool
	isMultiline bool
	isCharacter bool
}

// language is a row, prepared for scanning.
type language struct {
	row
	delimiters []delimiter
	words      map[string]Kind
	prefixed   map[string]bool
	starts     [256]bool // first bytes of comments and strings
	line       []string
}

// find returns the language with a name or alias, nil if there is none.
func find(name string) *language {
	i := rowOf(name)
	if i < 0 {
		return nil
	}
	if l, ok := prepared.Load(i); ok {
		return l.(*language)
	}
	l, _ := prepared.LoadOrStore(i, prepare(&rows[i]))
	return l.(*language)
}

// prepared holds the languages in use, by the index of their row.
var prepared sync.Map

// rowOf returns the index of the row with a name, -1 if there is none.
func rowOf(name string) int {
	name = strings.ToLower(name)
	if name == "" || len(name) > 32 {
		return -1
	}
	for i := range rows {
		if hasWord(rows[i].names, name) {
			return i
		}
	}
	return -1
}

// hasWord reports whether a list that is separated by spaces has a word.
func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, " ") {
		if w == word {
			return true
		}
	}
	return false
}

// prepare returns the language of a row.
func prepare(r *row) *language {
	l := &language{row: *r, words: map[string]Kind{}, prefixed: map[string]bool{}, line: strings.Fields(r.line)}
	for _, w := range strings.Fields(r.prefixes) {
		l.prefixed[w] = true
	}
	addWords := func(list string, kind Kind) {
		for _, w := range strings.Fields(list) {
			if r.isFolded {
				w = strings.ToLower(w)
			}
			l.words[w] = kind
		}
	}
	addWords(r.functions, Function)
	addWords(r.types, Type)
	addWords(r.literals, Number)
	addWords(r.keywords, Keyword)
	for pair := strings.Fields(r.block); len(pair) >= 2; pair = pair[2:] {
		l.delimiters = append(l.delimiters, delimiter{open: pair[0], close: pair[1], isComment: true, isMultiline: true})
	}
	for _, spec := range strings.Fields(r.quotes) {
		at := strings.LastIndexByte(spec, ':')
		flags := spec[at+1:]
		open, end, isPair := strings.Cut(spec[:at], "~")
		if !isPair {
			end = open
		}
		l.delimiters = append(l.delimiters, delimiter{
			open: open, close: end,
			hasEscapes:  strings.Contains(flags, "e"),
			isMultiline: strings.Contains(flags, "m"),
			isCharacter: strings.Contains(flags, "c"),
		})
	}
	for _, d := range l.delimiters {
		l.starts[d.open[0]] = true
	}
	for _, s := range l.line {
		l.starts[s[0]] = true
		if r.isFolded {
			l.starts[strings.ToUpper(s)[0]] = true
		}
	}
	return l
}
