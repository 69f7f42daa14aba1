package rows

import (
	"pollux/internal/face/tui/markdown"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/transcript"
)

// maxMarkdown is the number of bytes from which on an answer is shown as plain text: to show its end, all of it must be
// read.
const maxMarkdown = 256 << 10

// maxBlocks is the number of blocks of a piece.
const maxBlocks = 40

// blocksPiece is some blocks of an answer.
type blocksPiece struct {
	blocks []markdown.Block
	bytes  int
	code   int              // the number of code blocks before and in the first block
	place  transcript.Place // of the first block
}

// answerSource returns the pieces of an answer.
func answerSource(text string) source {
	if len(text) > maxMarkdown {
		return texts(text, output)
	}
	b := &blocks{rest: text}
	return b.next
}

// blocks divides an answer into pieces.
type blocks struct {
	splitter markdown.Splitter
	rest     string // that the splitter has not got
	isEnded  bool
	found    []markdown.Block
	code     int
	place    transcript.Place // of the next block
}

// next is a [source].
func (b *blocks) next() (piece, bool) {
	p := &blocksPiece{place: b.place}
	for {
		for len(b.found) > 0 {
			if p.isFull(&b.found[0]) {
				return p, true
			}
			b.add(p)
		}
		if b.isEnded {
			return p, len(p.blocks) > 0
		}
		b.read()
	}
}

// read gives more of the answer to the splitter.
func (b *blocks) read() {
	n := min(len(b.rest), usualPiece)
	b.found = b.splitter.Add(b.rest[:n])
	if b.rest = b.rest[n:]; b.rest == "" {
		b.found = append(b.found, b.splitter.End()...)
		b.isEnded = true
	}
}

// add moves a block to a piece.
func (b *blocks) add(p *blocksPiece) {
	block := b.found[0]
	b.found = b.found[1:]
	if block.Kind == markdown.Code && !block.Continues {
		b.code++
	}
	if len(p.blocks) == 0 {
		p.code = b.code
	}
	b.place = b.place.After(block, block.Kind != markdown.Blank)
	p.blocks = append(p.blocks, block)
	p.bytes += len(block.Source)
}

// isFull reports whether a block belongs to the next piece.
func (p *blocksPiece) isFull(next *markdown.Block) bool {
	n := len(p.blocks)
	return n > 0 && (n >= maxBlocks || p.bytes+len(next.Source) > usualPiece)
}

func (p *blocksPiece) size() int { return p.bytes }

func (p *blocksPiece) rows(l *Look) (rows []Row) {
	place := p.place
	code := p.code
	for i, b := range p.blocks {
		lines := l.parts().Block(b, place, l.LineNumbers)
		isGapped := b.HasGap && place != transcript.AtStart
		if l.IsRaw {
			for _, line := range lines {
				rows = append(rows, l.fit(line, nil)...)
			}
		} else if b.Kind != markdown.Code {
			rows = append(rows, l.proseRows(b, lines, isGapped)...)
		} else {
			if i > 0 && !b.Continues {
				code++
			}
			skip := 0 // lines that are no code
			if isGapped || place == transcript.AtStart && len(lines) > 0 {
				skip = 1
			}
			for j, line := range lines {
				for _, row := range l.fit(line, nil) {
					if j >= skip {
						row.Code = code
					}
					rows = append(rows, row)
				}
			}
		}
		place = place.After(b, len(lines) > 0)
	}
	return rows
}

// proseRows returns the rows of the lines of a block other than code.
func (l *Look) proseRows(b markdown.Block, lines []styled.Line, isGapped bool) (rows []Row) {
	if isGapped && len(lines) > 0 {
		rows, lines = append(rows, l.fit(lines[0], nil)...), lines[1:]
	}
	if b.Kind == markdown.Paragraph || b.Kind == markdown.Heading {
		return append(rows, l.wrapped(lines)...)
	}
	for _, line := range lines {
		rows = append(rows, l.fit(line, nil)...)
	}
	return rows
}
