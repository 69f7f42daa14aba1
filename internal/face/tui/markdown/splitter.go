package markdown

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"pollux/internal/face/tui/highlight"
)

// The limits of the text that a Splitter holds, except for a line of code.
const (
	maxPiece = 16 << 10 // bytes of a paragraph
	maxRows  = 200      // of a table
	maxDepth = 16       // of block quotes and list items
)

// Splitter divides a streaming answer into blocks. The blocks do not depend on how the answer is divided into chunks.
// A Splitter takes time in proportion to the length of the answer. The zero Splitter is ready to use.
type Splitter struct {
	pending  []byte // the incomplete line
	isWithin bool   // pending is the rest of a line whose beginning was handled
	lead     []byte // source that shows nothing, for the next block

	leaf  leaf
	stack []container
	ids   int // of containers so far

	hasGap   bool        // an empty line was found since the last block
	hasBlock bool        // a block was emitted
	last     []container // of the last block
	out      []Block
}

// leaf is the block that is open in the innermost container.
type leaf struct {
	kind    Kind // Blank if none is open
	source  []byte
	text    []byte
	isCut   bool // the beginning of the block was emitted
	indents bool // code that is marked by its indentation
	fence   fence
	end     string // that ends HTML
	blanks  string // empty lines, which are part of indented code if more follows
	rows    int    // of a table, without its header
	columns *columns

	language string
	number   int
	scanner  highlight.Scanner
}

// Add takes the next chunk of the answer and returns the blocks that it completes.
func (s *Splitter) Add(chunk string) []Block {
	for chunk != "" {
		n := len(chunk)
		end := strings.IndexByte(chunk, '\n')
		if end >= 0 {
			n = end + 1
		}
		if s.leaf.kind != Code {
			n = min(n, maxPiece-len(s.pending))
		}
		s.pending = append(s.pending, chunk[:n]...)
		chunk = chunk[n:]
		switch {
		case s.pending[len(s.pending)-1] == '\n':
			s.flush()
		case s.leaf.kind != Code && len(s.pending) >= maxPiece:
			s.cut()
		}
	}
	return s.take()
}

// End ends the answer and returns its last blocks.
func (s *Splitter) End() []Block {
	if len(s.pending) > 0 {
		s.flush()
	}
	s.closeLeaf()
	s.close(0)
	if len(s.lead) > 0 {
		s.out = append(s.out, Block{Kind: Blank, Source: string(s.lead), Continues: true})
		s.lead = nil
	}
	return s.take()
}

// Open returns the source of the part of the answer that is in no block yet.
func (s *Splitter) Open() string {
	return string(s.lead) + string(s.leaf.source) + s.leaf.blanks + string(s.pending)
}

// Preview returns the blocks that the open part would be if the answer ended here. It does not change the Splitter. Of
// an incomplete line of code, it has the beginning.
func (s *Splitter) Preview() []Block {
	c := *s
	c.pending = bytes.Clone(s.pending[:min(len(s.pending), maxPiece)])
	c.lead, c.leaf.source, c.leaf.text = bytes.Clone(s.lead), bytes.Clone(s.leaf.source), bytes.Clone(s.leaf.text)
	c.stack, c.out = slices.Clone(s.stack), nil
	return slices.DeleteFunc(c.End(), func(b Block) bool { return b.Kind == Blank })
}

// take returns the blocks since the last call.
func (s *Splitter) take() []Block {
	out := s.out
	s.out = nil
	return out
}

// flush handles the pending text, which is a whole line or the rest of one.
func (s *Splitter) flush() {
	line := string(s.pending)
	s.pending = s.pending[:0]
	if s.isWithin {
		s.isWithin = false
		s.addText(line, withoutEnd(line))
		return
	}
	s.addLine(line, true)
}

// cut handles the first words of the pending text, which is a part of a long line. The line is a paragraph.
func (s *Splitter) cut() {
	n := pieceLength(s.pending)
	piece := string(s.pending[:n])
	s.pending = append(s.pending[:0], s.pending[n:]...)
	if s.isWithin {
		s.addText(piece, piece)
	} else {
		s.isWithin = true
		s.addLine(piece, false)
	}
	if s.leaf.kind == Paragraph {
		s.emitText(false)
	}
}

// withoutEnd returns a line without its line end.
func withoutEnd(line string) string { return strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r") }

// pieceLength returns the length of a first piece of a long text, which ends behind a space if possible.
func pieceLength[T []byte | string](text T) int {
	n := min(len(text), maxPiece)
	for i := n - 1; i > n/2; i-- {
		if text[i] == ' ' {
			return i + 1
		}
	}
	for i := n - 1; i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if i > 0 && text[i] >= utf8.RuneSelf {
				return i
			}
			break
		}
	}
	return n
}

// emit adds a block to the result. It takes its containers and the source before it.
func (s *Splitter) emit(b Block) {
	if len(s.lead) > 0 {
		b.Source = string(s.lead) + b.Source
		s.lead = s.lead[:0]
	}
	b.HasGap = s.hasGap && s.hasBlock && !b.Continues
	for b.shared < min(len(s.stack), len(s.last)) && s.stack[b.shared].id == s.last[b.shared].id {
		b.shared++
	}
	s.hasGap, s.hasBlock = false, true
	if len(s.stack) == 0 {
		s.last = nil
	} else if len(s.last) != len(s.stack) || b.shared < len(s.stack) || slices.ContainsFunc(s.last, isNew) {
		s.last = slices.Clone(s.stack)
		for i := range s.stack {
			s.stack[i].isNew = false
		}
	}
	b.within = s.last
	s.out = append(s.out, b)
}

func isNew(c container) bool { return c.isNew }
