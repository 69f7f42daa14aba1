package diff

import (
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/rivo/uniseg"

	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/styled"
)

// painter styles the lines of a change.
type painter struct {
	styles   Styles
	hunks    []hunk
	digits   int                       // of the largest line number
	old, new map[int][]highlight.Token // of shown lines, by number
}

func newPainter(c Change, s Styles) *painter {
	if c.IsRejected {
		s = Styles{Number: s.Number, Gap: s.Gap}
	}
	p := &painter{styles: s, hunks: c.hunks()}
	most := 0
	for _, h := range p.hunks {
		for _, l := range h.lines {
			most = max(most, l.old, l.new)
		}
	}
	p.digits = len(strconv.Itoa(most))
	if language := highlight.ForFile(c.FileName); language != "" && s.Code != nil {
		p.new = p.highlight(language, c.After, func(l line) int { return l.new })
		if c.Before != nil {
			p.old = p.highlight(language, *c.Before, func(l line) int { return l.old })
		}
	}
	return p
}

// highlight returns the tokens of the shown lines of a version, by their numbers. They are nil if the version is too large.
func (p *painter) highlight(language, text string, number func(line) int) map[int][]highlight.Token {
	const most = 1 << 20
	if len(text) > most {
		return nil
	}
	tokens, last := map[int][]highlight.Token{}, 0
	for _, h := range p.hunks {
		for _, l := range h.lines {
			tokens[number(l)], last = nil, max(last, number(l))
		}
	}
	scanner, n := highlight.NewScanner(language), 0
	for text := range strings.Lines(text) {
		if n++; n > last {
			break
		}
		line := scanner.Line(strings.TrimRight(text, "\r\n"))
		if _, isShown := tokens[n]; isShown {
			tokens[n] = line
		}
	}
	return tokens
}

// gutter returns the number of a line and the sign of its kind.
func (p *painter) gutter(kind change, number int) styled.Line {
	style := p.styles.Number
	switch kind {
	case removed:
		style = p.styles.Removed
	case added:
		style = p.styles.Added
	}
	text := strconv.Itoa(number)
	return styled.Line{
		{Text: strings.Repeat(" ", max(0, p.digits-len(text))) + text + " ", Style: p.styles.Number},
		{Text: string(kind) + " ", Style: style},
	}
}

// gutterWidth returns the width of a gutter.
func (p *painter) gutterWidth() int { return p.digits + len(" + ") }

// text returns the text of a line. partner is the other version of the line, nil if there is none.
func (p *painter) text(l line, partner *line) styled.Line {
	spans := p.code(l)
	style, word := styled.Style{}, styled.Style{}
	switch l.kind {
	case removed:
		style, word = p.styles.Removed, p.styles.RemovedWord
	case added:
		style, word = p.styles.Added, p.styles.AddedWord
	default:
		return spans
	}
	for i := range spans {
		spans[i].Style = over(spans[i].Style, style)
	}
	if partner == nil {
		return spans
	}
	for _, r := range changedWords(safe(l.text), safe(partner.text)) {
		spans = emphasize(spans, r, word)
	}
	return spans
}

// over returns a style of code on the background of a changed line.
func over(code, line styled.Style) styled.Style {
	if code.Fg == nil {
		code.Fg = line.Fg
	}
	code.Bg = line.Bg
	code.Attrs |= line.Attrs
	return code
}

// code returns the text of a line, highlighted if it is that of the file.
func (p *painter) code(l line) styled.Line {
	text := safe(l.text)
	if text == "" {
		return nil
	}
	tokens := p.new[l.new]
	if l.kind == removed {
		tokens = p.old[l.old]
	}
	var spans styled.Line
	var whole strings.Builder
	for _, t := range tokens {
		shown := styled.Text(t.Text)
		whole.WriteString(shown)
		if shown != "" {
			spans = append(spans, styled.Span{Text: shown, Style: p.styles.Code(t.Kind)})
		}
	}
	if whole.String() != text {
		return styled.Plain(text)
	}
	return spans
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// changedWords returns the parts of a line that its other version lacks, nil if so much differs that emphasis would not
// help.
func changedWords(text, other string) (parts []span) {
	const most = 500 // bytes to compare
	if len(text) > most || len(other) > most || text == "" || other == "" {
		return nil
	}
	changed := 0
	for _, e := range udiff.Strings(text, other) {
		if e.Start == e.End {
			continue
		}
		from, to := widen(text, e.Start, e.End)
		if n := len(parts); n > 0 && from <= parts[n-1].to {
			from = parts[n-1].from
			changed -= parts[n-1].to - from
			parts = parts[:n-1]
		}
		parts = append(parts, span{from, to})
		changed += to - from
	}
	if changed*5 > len(strings.TrimSpace(text))*3 {
		return nil
	}
	return parts
}

// widen extends a part of a text to whole clusters and ASCII words.
func widen(text string, from, to int) (int, int) {
	for at, state, rest := 0, -1, text; rest != "" && at < to; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		end := at + len(cluster)
		if at < from && from < end {
			from = at
		}
		if at < to && to < end {
			to = end
		}
		at = end
	}
	for from > 0 && isWord(text[from-1]) && isWord(text[from]) {
		from--
	}
	for to < len(text) && isWord(text[to-1]) && isWord(text[to]) {
		to++
	}
	return from, to
}

// isWord reports whether a byte is an ASCII letter, a digit or an underscore.
func isWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// emphasize adds the attributes and the background of a style to a part of a line.
func emphasize(line styled.Line, part span, style styled.Style) styled.Line {
	var out styled.Line
	at := 0
	for _, s := range line {
		from, to := max(part.from-at, 0), min(part.to-at, len(s.Text))
		at += len(s.Text)
		if from >= to {
			out = append(out, s)
			continue
		}
		before, inside, after := s, s, s
		before.Text, inside.Text, after.Text = s.Text[:from], s.Text[from:to], s.Text[to:]
		inside.Style.Attrs |= style.Attrs
		inside.Style.Underline = max(inside.Style.Underline, style.Underline)
		if style.Bg != nil {
			inside.Style.Bg = style.Bg
		}
		for _, piece := range []styled.Span{before, inside, after} {
			if piece.Text != "" {
				out = append(out, piece)
			}
		}
	}
	return out
}
