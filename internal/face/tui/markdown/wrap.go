package markdown

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
)

// wrap breaks a line at spaces, and beside wide characters, into lines of at most width columns. A word that is wider
// is broken anywhere. It takes time in proportion to the length of the line.
func wrap(line styled.Line, width int) []styled.Line {
	f := flow{line: line, width: max(width, 1)}
	for i, s := range line {
		f.addSpan(i, s.Text)
	}
	f.endWord()
	if len(f.row) > 0 || len(f.lines) == 0 {
		f.endRow()
	}
	return f.lines
}

// piece is a part of the text of a span.
type piece struct{ span, from, to int }

// flow fills lines with words.
type flow struct {
	line  styled.Line
	width int
	lines []styled.Line

	row, gap, word                []piece
	rowWidth, gapWidth, wordWidth int
	last                          string // the last character of the word
}

// addSpan adds the text of a span.
func (f *flow) addSpan(span int, text string) {
	state := -1
	for at := 0; at < len(text); {
		n, width := 1, 1
		if text[at] >= utf8.RuneSelf || at+1 < len(text) && text[at+1] >= utf8.RuneSelf {
			var cluster string
			cluster, _, width, state = uniseg.FirstGraphemeClusterInString(text[at:], state)
			n = len(cluster)
		} else {
			state = -1
		}
		p := piece{span, at, at + n}
		at += n
		if text[p.from:p.to] == " " {
			f.endWord()
			f.gap, f.gapWidth = extend(f.gap, p), f.gapWidth+1
			continue
		}
		f.addCluster(p, width, text[p.from:p.to])
	}
}

// addCluster adds a character to the word. A line may end beside a wide character; see [terminal.MayBreak].
func (f *flow) addCluster(p piece, width int, text string) {
	if len(f.word) > 0 && terminal.MayBreak(f.last, text) {
		f.endWord()
	}
	if f.wordWidth+width > f.width && len(f.word) > 0 { // a word that no line can have
		f.endWord()
		f.endRow()
	}
	f.word, f.wordWidth, f.last = extend(f.word, p), f.wordWidth+width, text
}

// endWord adds the word to the row, or to the next row if it does not fit.
func (f *flow) endWord() {
	if len(f.word) == 0 {
		return
	}
	if f.rowWidth > 0 && f.rowWidth+f.gapWidth+f.wordWidth > f.width {
		f.endRow()
	} else if f.gapWidth+f.wordWidth <= f.width {
		for _, p := range f.gap {
			f.row = extend(f.row, p)
		}
		f.rowWidth += f.gapWidth
	}
	for _, p := range f.word {
		f.row = extend(f.row, p)
	}
	f.rowWidth += f.wordWidth
	f.gap, f.gapWidth, f.word, f.wordWidth, f.last = f.gap[:0], 0, f.word[:0], 0, ""
}

// endRow adds the row to the lines.
func (f *flow) endRow() {
	row := make(styled.Line, len(f.row))
	for i, p := range f.row {
		row[i] = f.line[p.span]
		row[i].Text = row[i].Text[p.from:p.to]
	}
	f.lines = append(f.lines, row)
	f.row, f.rowWidth = f.row[:0], 0
	f.gap, f.gapWidth = f.gap[:0], 0
}

// extend adds a piece, as a part of the last one if it follows directly.
func extend(list []piece, p piece) []piece {
	if n := len(list); n > 0 && list[n-1].span == p.span && list[n-1].to == p.from {
		list[n-1].to = p.to
		return list
	}
	return append(list, p)
}

// joined returns lines behind a prefix: first before the first line, and rest before the others.
func joined(first, rest styled.Line, lines []styled.Line) []styled.Line {
	for i, l := range lines {
		prefix := rest
		if i == 0 {
			prefix = first
		}
		if len(prefix) > 0 {
			lines[i] = trimRight(slices.Concat(prefix, l))
		}
	}
	return lines
}

// trimRight returns the line without spaces at its end.
func trimRight(l styled.Line) styled.Line {
	for n := len(l); n > 0; n-- {
		text := strings.TrimRight(l[n-1].Text, " ")
		if text != "" {
			l = l[:n]
			if text != l[n-1].Text {
				l = slices.Clone(l)
				l[n-1].Text = text
			}
			return l
		}
	}
	return nil
}
