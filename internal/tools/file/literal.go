package file

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fixed is an element of a line that old_string must have as the file has it.
type fixed struct {
	text  string // "" for an element that may differ
	value bool   // whether it is text in quotes
}

// fixedElements returns for each element of a line what of it must not differ: the digits of
// numbers and names, operators, words such as "not" and "true", and text in quotes. In a
// comment, that is only the digits.
func fixedElements(line string) []fixed {
	parts, kinds := elements(line), kindsOfText(line)
	all := make([]fixed, len(parts))
	at := 0
	for i, part := range parts {
		kind, number := kinds[at], digits(part)
		at += len(part)
		switch {
		case blank(part) || part == `\`:
		case number != "" && kind == inQuotes:
			all[i].text = part
		case number != "":
			all[i].text = number
		case kind == inQuotes:
			all[i] = fixed{part, true}
		case strings.Contains(".,", part) && i > 0 && i+1 < len(parts) && digits(parts[i-1]) != "" && digits(parts[i+1]) != "":
			all[i].text = part // a part of a number
		case kind == inCode && (strings.Contains("+-*/%<>=!&|^~?", part) || logical[strings.ToLower(part)]):
			all[i].text = part
		}
	}
	return all
}

var logical = map[string]bool{
	"not": true, "and": true, "or": true, "xor": true, "no": true, "never": true, "true": true, "false": true, "yes": true,
	"none": true, "null": true, "nil": true, "undefined": true,
}

// digits returns the digits of a word.
func digits(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, word)
}

// Kinds of text.
const (
	inCode byte = iota
	inQuotes
	inComment
)

// kindsOfText returns the kind of each byte of a line. Quotes are code.
func kindsOfText(line string) []byte {
	kinds := make([]byte, len(line))
	fill := func(from, to int, kind byte) {
		for i := from; i < to; i++ {
			kinds[i] = kind
		}
	}
	for i := 0; i < len(line); i++ {
		if startsComment(line, i) {
			fill(i, len(line), inComment)
			break
		}
		if end := quoteEnd(line, i); end > 0 {
			fill(i+1, end, inQuotes)
			i = end
		}
	}
	return kinds
}

// startsComment reports whether a comment begins at an offset of a line, in one of the usual
// languages.
func startsComment(line string, at int) bool {
	rest, first := line[at:], blank(line[:at])
	switch {
	case strings.HasPrefix(rest, "//"):
		return at == 0 || line[at-1] != ':' // as in a URL
	case strings.HasPrefix(rest, "/*"), strings.HasPrefix(rest, "<!--"):
		return true
	case rest[0] == '#':
		return (first || line[at-1] == ' ' || line[at-1] == '\t') && (len(rest) == 1 || strings.IndexByte(" #!\t", rest[1]) >= 0)
	}
	return first && (strings.HasPrefix(rest, "-- ") || strings.HasPrefix(rest, "* "))
}

// quoteEnd returns the offset of the quote that ends the text in quotes that begins at an
// offset of a line, or -1. An apostrophe is no quote.
func quoteEnd(line string, at int) int {
	quote := line[at]
	if strings.IndexByte("\"'`", quote) < 0 || at > 0 && line[at-1] == '\\' {
		return -1
	}
	if r, _ := utf8.DecodeLastRuneInString(line[:at]); quote == '\'' && at > 0 && elementKind(r) == 'w' {
		start := at
		for start > 0 && wordByte(line[start-1]) {
			start--
		}
		if at-start > 2 || strings.Trim(line[start:at], "rbfuRBFU") != "" {
			return -1
		}
	}
	for i := at + 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quote != '`':
			i++
		case line[i] == quote:
			return i
		}
	}
	return -1
}

// changesMeaning reports whether a slip is in something that must not differ: any is true if it
// is, and number is true if it is not only in text in quotes.
func (s slip) changesMeaning(given, file []fixed) (any, number bool) {
	of := func(all []fixed, values bool) []string {
		var texts []string
		for _, f := range all {
			if f.text != "" && (values || !f.value) {
				texts = append(texts, f.text)
			}
		}
		return texts
	}
	given, file = given[s.from:s.to], file[s.fileFrom:s.fileTo]
	return !slices.Equal(of(given, true), of(file, true)), !slices.Equal(of(given, false), of(file, false))
}
