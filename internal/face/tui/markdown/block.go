// Package markdown renders Markdown for a terminal while it streams in.
//
// A [Splitter] takes the chunks of an answer and returns each [Block] as soon as no later text can change it. A
// [Renderer] turns a block into styled lines. The lines of all blocks, one after the other, are the rendered answer,
// so that a block can be printed and forgotten.
package markdown

import "pollux/internal/face/tui/highlight"

// Kind is the kind of a block.
type Kind uint8

// The kinds of blocks.
const (
	Blank     Kind = iota // source that shows nothing
	Paragraph             // also a paragraph of a list item
	Heading
	Code // one line of code, in most cases
	Table
	Rule
	HTML // one line
)

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	switch k {
	case Paragraph:
		return "paragraph"
	case Heading:
		return "heading"
	case Code:
		return "code"
	case Table:
		return "table"
	case Rule:
		return "rule"
	case HTML:
		return "html"
	}
	return "blank"
}

// Block is a finished part of an answer. Blocks come from a [Splitter].
type Block struct {
	Kind Kind
	// Source is the Markdown of the block. It includes lines before the block that show nothing, such as empty ones
	// and fences. The sources of all blocks join to the answer.
	Source string
	// Continues reports that the block is a further piece of the one before it: a line of code, a row of a long table.
	Continues bool
	// HasGap reports that the block is separated from the one before it: its first rendered line is a separator.
	HasGap bool
	// Level is the level of a heading, from 1 to 6.
	Level int
	// Language is the name of the language of code, "" if it is unknown.
	Language string

	text    string            // the content, without prefixes of containers; clean, lines joined by "\n"
	number  int               // of the first line of code
	scanner highlight.Scanner // at the first line of code
	columns *columns          // of a table
	isLast  bool              // the table ends here
	within  []container       // from the outermost to the innermost one
	shared  int               // number of containers that the separator is in
}

// IsNested reports whether the block is in a list or a block quote.
func (b *Block) IsNested() bool { return len(b.within) > 0 }

// container is a block quote or a list item that has blocks in it.
type container struct {
	id     int
	marker string // of a list item; "" for a quote
	indent int    // columns of source before the content of a list item
	isNew  bool   // no block of the list item was emitted yet
}

func (c container) isQuote() bool { return c.marker == "" }
