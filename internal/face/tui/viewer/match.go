package viewer

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"pollux/internal/face/tui/viewer/rows"
)

// query is a text to find.
type query struct {
	text    string // in lower case unless isExact
	isExact bool   // capitals matter
}

// newQuery returns the query for a text that the user has typed: capitals matter if it has one.
func newQuery(text string) query {
	isExact := strings.ContainsFunc(text, unicode.IsUpper)
	if !isExact {
		text = string(fold([]byte(text)))
	}
	return query{text, isExact}
}

// span is a part of a row, in bytes.
type span struct{ row, from, to int }

// match is a place where a query was found: a span, or several if the line is wrapped there.
type match []span

// joined is the text of rows as it was before the lines were wrapped.
type joined struct {
	text   []byte
	starts []int // of the rows in text
	skips  []int // bytes of the rows that are not in text
}

func join(all []rows.Row) joined {
	j := joined{starts: make([]int, len(all)), skips: make([]int, len(all))}
	for i := range all {
		text, indent := all[i].Text()
		switch {
		case all[i].Joint == rows.Apart:
			j.text = append(j.text, '\n')
		case all[i].Joint == rows.Spaced:
			j.text = append(j.text, ' ')
		}
		j.starts[i], j.skips[i] = len(j.text), indent
		j.text = append(j.text, text...)
	}
	return j
}

// find returns the places of the query in rows.
func (q query) find(all []rows.Row) (found []match) {
	if q.text == "" {
		return nil
	}
	j := join(all)
	if !q.isExact {
		fold(j.text)
	}
	text := string(j.text)
	for at := 0; ; {
		n := strings.Index(text[at:], q.text)
		if n < 0 {
			return found
		}
		at += n
		if m := j.match(at, at+len(q.text), all); len(m) > 0 {
			found = append(found, m)
		}
		at += len(q.text)
	}
}

// match returns the spans of a part of the text.
func (j *joined) match(from, to int, all []rows.Row) (m match) {
	row := max(sort.SearchInts(j.starts, from+1)-1, 0)
	for ; row < len(all) && j.starts[row] < to; row++ {
		text := all[row].Line.String()
		offset := j.skips[row] - j.starts[row]
		start, end := max(from+offset, j.skips[row]), min(to+offset, len(text))
		if start < end {
			start, end = clusters(text, start, end)
			m = append(m, span{row, start, end})
		}
	}
	return m
}

// clusters extends a part of a text to whole characters, as terminals show them.
func clusters(text string, from, to int) (start, end int) {
	isNarrow := func(r rune) bool { return r < utf8.RuneSelf }
	if strings.IndexFunc(text, func(r rune) bool { return !isNarrow(r) }) < 0 {
		return from, to
	}
	start, state := 0, -1
	for at, rest := 0, text; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		next := at + len(cluster)
		if at <= from && from < next {
			start = at
		}
		if next >= to {
			return start, next
		}
		at = next
	}
	return start, len(text)
}

// fold changes letters to lower case, in place. A letter whose lower case has another length in UTF-8 stays.
func fold(text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				text[i] = c + 'a' - 'A'
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if lower := unicode.ToLower(r); lower != r && utf8.RuneLen(lower) == n {
			utf8.EncodeRune(text[i:], lower)
		}
		i += n
	}
	return text
}
