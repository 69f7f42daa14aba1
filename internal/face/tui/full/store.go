package full

import (
	"strings"

	"pollux/internal/face/tui/styled"
)

// store keeps the finished lines of the conversation in a compact form. Beyond its limits it drops the oldest lines.
type store struct {
	lines  []line
	first  int // number of the oldest line that is kept; lines are numbered from 0 since the beginning
	count  int // lines since the beginning, those of blocks as they were made
	size   int // bytes of the lines
	styles []styled.Style
	known  map[styled.Style]uint32 // index in styles
}

// Limits of the store: the whole conversation is in the viewer.
const (
	maxLines = 100_000
	maxSize  = 16 << 20 // bytes
	maxText  = 64 << 10 // bytes of a line: a longer one becomes several
	overhead = 128      // bytes of a line without its text

	blockOverhead = 256 // bytes of a block more, without its source
)

// line is a line of text with its styles, or a block of lines, between which its text has line breaks.
type line struct {
	text   string
	spans  []span
	links  []string // of spans, in order
	before int      // lines before it since the beginning, those of blocks as they were made

	fit   func(width int) []styled.Line // of a block
	width int                           // that a block fits
}

// span is the end of a text of one style in the text of its line.
type span struct {
	end, style uint32
	hasLink    bool
}

func (l *line) size() int {
	n := overhead + len(l.text) + 12*len(l.spans)
	if l.fit != nil { // keeps its source
		n += blockOverhead + len(l.text)
	}
	for _, link := range l.links {
		n += 16 + len(link)
	}
	return n
}

// end returns the number of the next line.
func (s *store) end() int { return s.first + len(s.lines) }

// before returns how many lines there were before a line, those of blocks counted one by one.
func (s *store) before(n int) int {
	if n >= s.end() {
		return s.count
	}
	return s.at(n).before
}

// refit fits a block to a width, unless it has that.
func (s *store) refit(n, width int) {
	l := s.at(n)
	if l.fit == nil || l.width == width {
		return
	}
	s.size -= l.size()
	fitted := s.pack(l.fit(width))
	l.text, l.spans, l.links, l.width = fitted.text, fitted.spans, fitted.links, width
	s.size += l.size()
}

// at returns a line by its number.
func (s *store) at(n int) *line { return &s.lines[n-s.first] }

// add adds a line. It ignores one that is no text: this screen keeps neither marks nor images.
func (s *store) add(l styled.Line) {
	if b := l.Block(); b != nil {
		packed := s.pack(b.Lines)
		packed.fit, packed.width = b.Fit, b.Width
		s.put(packed, len(b.Lines))
		return
	}
	if len(l) == 1 && l[0].Object != nil {
		return
	}
	for rest := len(l.String()); rest > maxText; {
		var head styled.Line
		head, l = l.Split(maxText / 8)
		if len(head) == 0 {
			return
		}
		rest -= len(head.String())
		s.put(s.pack([]styled.Line{head}), 1)
	}
	s.put(s.pack([]styled.Line{l}), 1)
}

// pack returns lines in one, with line breaks between.
func (s *store) pack(lines []styled.Line) (packed line) {
	var text strings.Builder
	for i, l := range lines {
		if i > 0 {
			text.WriteByte('\n')
			packed.spans = append(packed.spans, span{end: uint32(text.Len()), style: s.styleOf(styled.Style{})})
		}
		for _, part := range l {
			text.WriteString(part.Text)
			packed.spans = append(packed.spans, span{uint32(text.Len()), s.styleOf(part.Style), part.Link != ""})
			if part.Link != "" {
				packed.links = append(packed.links, part.Link)
			}
		}
	}
	packed.text = text.String()
	return packed
}

// put adds a line that stands for so many.
func (s *store) put(l line, count int) {
	l.before = s.count
	s.count += count
	s.lines = append(s.lines, l)
	s.size += l.size()
	for len(s.lines) > maxLines || s.size > maxSize && len(s.lines) > 1 {
		s.size -= s.lines[0].size()
		s.lines[0] = line{}
		s.lines = s.lines[1:]
		s.first++
	}
}

// styleOf returns the index of a style.
func (s *store) styleOf(style styled.Style) uint32 {
	n, ok := s.known[style]
	if !ok {
		if s.known == nil {
			s.known = map[styled.Style]uint32{}
		}
		n = uint32(len(s.styles))
		s.known[style] = n
		s.styles = append(s.styles, style)
	}
	return n
}

// part returns the bytes of a line from start to end.
func (s *store) part(n, start, end int) (out styled.Line) {
	l := s.at(n)
	at, links := 0, l.links
	for _, p := range l.spans {
		one := styled.Span{Style: s.styles[p.style]}
		if p.hasLink {
			one.Link, links = links[0], links[1:]
		}
		if from, to := max(at, start), min(int(p.end), end); from < to {
			one.Text = l.text[from:to]
			out = append(out, one)
		}
		at = int(p.end)
	}
	return out
}

// clear drops all lines.
func (s *store) clear() {
	s.first = s.end()
	s.lines, s.size = nil, 0
}
