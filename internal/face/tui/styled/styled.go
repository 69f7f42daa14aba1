// Package styled has lines of text with colors and attributes: the form in which each part of the terminal user
// interface gives its share of the screen, and which the renderer writes.
//
// A [Line] holds neither line breaks nor control characters: [Text] removes them. Its width counts grapheme clusters as
// terminals show them, as [terminal.Width] does.
package styled

import (
	"slices"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/rivo/uniseg"

	"pollux/internal/terminal"
)

// Style is the colors and attributes of a text. The zero value is plain text.
type Style = uv.Style

// Attributes of [Style.Attrs].
const (
	Bold          = uv.AttrBold
	Faint         = uv.AttrFaint
	Italic        = uv.AttrItalic
	Reverse       = uv.AttrReverse
	Strikethrough = uv.AttrStrikethrough
)

// Span is text of one style.
type Span struct {
	Text  string
	Style Style
	Link  string // the URL that the text leads to, "" for none
	// Object is set in the only span of a line that is no text.
	Object *Object
}

// Object is a line that is no text: control sequences of Pollux itself, such as a mark or an image, or a block. Only finished lines can
// have one.
type Object struct {
	Control string // has no part that anyone else has written
	Rows    int    // that the line takes: 0 for a mark
	Block   *Block // nil for control sequences
}

// Line returns the line of the object.
func (o Object) Line() Line { return Line{{Object: &o}} }

// Block is lines of text that a screen can fit to another width. It takes the place of a line on screens that draw finished lines again.
type Block struct {
	Lines []Line                 // at least one
	Width int                    // that they were made for
	Fit   func(width int) []Line // makes them for another width
}

// Line returns the line that stands for the block.
func (b Block) Line() Line { return Object{Block: &b}.Line() }

// Unblocked returns lines with those of blocks in place of these.
func Unblocked(lines []Line) []Line {
	if !slices.ContainsFunc(lines, func(l Line) bool { return l.Block() != nil }) {
		return lines
	}
	var all []Line
	for _, l := range lines {
		if b := l.Block(); b != nil {
			all = append(all, b.Lines...)
		} else {
			all = append(all, l)
		}
	}
	return all
}

// Block returns the block that the line stands for, nil for none.
func (l Line) Block() *Block {
	if len(l) != 1 || l[0].Object == nil {
		return nil
	}
	return l[0].Object.Block
}

// Line is one line of text. A nil Line is an empty line.
type Line []Span

// Plain returns a line of plain text. The text must be clean; see [Text].
func Plain(text string) Line { return Line{{Text: text}} }

// Of returns a line of text in one style. The text must be clean; see [Text].
func Of(text string, s Style) Line { return Line{{Text: text, Style: s}} }

// Text makes foreign text safe to show within a line: it removes escape sequences, control characters and bidirectional
// overrides. A line break becomes a space, a tab four spaces.
func Text(s string) string {
	return blanks.Replace(terminal.Text(s))
}

var blanks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", "    ")

// Width returns the number of columns that the line takes.
func (l Line) Width() (n int) {
	for _, s := range l {
		n += terminal.Width(s.Text)
	}
	return n
}

// String returns the text of the line without its styles.
func (l Line) String() string {
	if len(l) == 1 {
		return l[0].Text
	}
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Cut returns at most width columns of the line. A longer line ends in "…".
func (l Line) Cut(width int) Line {
	if l.Width() <= width {
		return l
	}
	if width <= 0 {
		return nil
	}
	head, _ := l.Split(width - 1)
	style := Style{}
	if len(head) > 0 {
		style = head[len(head)-1].Style
	}
	return append(head, Span{Text: "…", Style: style})
}

// Split returns the first columns of the line, at most width, and the rest. It splits between grapheme clusters. Neither
// part shares memory with the line that an append would overwrite.
func (l Line) Split(width int) (head, tail Line) {
	for i, s := range l {
		n, w := prefix(s.Text, width)
		width -= w
		if n == len(s.Text) {
			head = append(head, s)
			continue
		}
		before, after := s, s
		before.Text, after.Text = s.Text[:n], s.Text[n:]
		if n > 0 {
			head = append(head, before)
		}
		return head, append(Line{after}, l[i+1:]...)
	}
	return head, nil
}

// prefix returns the length in bytes and the columns of the clusters of text that fit in width columns.
func prefix(text string, width int) (n, columns int) {
	for state := -1; n < len(text); {
		w, size := 1, 1
		if !isNarrow(text[n:]) {
			var cluster string
			cluster, _, w, state = uniseg.FirstGraphemeClusterInString(text[n:], state)
			size = len(cluster)
		} else {
			state = -1
		}
		if columns+w > width {
			break
		}
		n, columns = n+size, columns+w
	}
	return n, columns
}

// isNarrow reports whether text begins with a cluster of one ASCII character.
func isNarrow(text string) bool {
	return text[0] < utf8.RuneSelf && text[0] >= ' ' && (len(text) == 1 || text[1] < utf8.RuneSelf)
}

// Wrap breaks the line at spaces, and beside wide characters, into lines of at most width columns. A word that is wider is broken anywhere. Lines
// after the first one begin with indent, unless it leaves less than two columns. In a single column, "…" stands for a wide
// character.
func (l Line) Wrap(width int, indent Line) []Line {
	room := max(width, 1)
	if l.Width() <= room {
		return []Line{l}
	}
	var lines []Line
	next := room - indent.Width()
	if next < 2 {
		indent, next = nil, room
	}
	for rest := l; ; room = next {
		head, tail := rest.breakAt(room)
		if len(lines) > 0 {
			head = append(append(Line{}, indent...), head...)
		}
		lines = append(lines, head)
		if len(tail) == 0 {
			return lines
		}
		rest = tail
	}
}

// breakAt splits the line at the last space, or beside the last wide character, that leaves at most width columns before it, without
// the spaces there. It splits within a word if there is no such place, and takes one cluster at least: "…" in its place if it is too wide.
func (l Line) breakAt(width int) (head, tail Line) {
	head, tail = l.Split(width)
	if len(tail) == 0 {
		return head, nil
	}
	if len(head) == 0 { // a wide character in one column
		n := len(firstCluster(tail[0].Text))
		return Line{{Text: "…", Style: tail[0].Style, Link: tail[0].Link}}, tail.from(n)
	}
	if strings.HasPrefix(tail[0].Text, " ") {
		return head.trimRight(), tail.trimLeft()
	}
	i, at := head.lastBreak(firstCluster(tail[0].Text))
	if i == len(head) {
		return head, tail
	}
	span := head[i]
	before, after := span, span
	before.Text, after.Text = span.Text[:at], span.Text[at:]
	rest := append(append(Line{after}, head[i+1:]...), tail...)
	return append(append(Line{}, head[:i]...), before).trimRight(), rest.trimLeft()
}

// lastBreak returns the last place in the line at which it may end if next follows, as a span and a place in its text: a space
// behind the indentation, or the place beside a wide character. It is the end of the line if there is no other.
func (l Line) lastBreak(next string) (span, at int) {
	span = len(l)
	last, hasText := "", false
	for i, s := range l {
		for from, n := 0, 0; from < len(s.Text); from += n {
			cluster := firstCluster(s.Text[from:])
			n = len(cluster)
			switch {
			case cluster == " ":
				if hasText {
					span, at = i, from
				}
			case last != "" && last != " " && terminal.MayBreak(last, cluster):
				span, at = i, from
			}
			last, hasText = cluster, hasText || cluster != " "
		}
	}
	if last != "" && terminal.MayBreak(last, next) {
		return len(l), 0
	}
	return span, at
}

// from returns the line without the first n bytes of its first span.
func (l Line) from(n int) Line {
	rest := append(Line{}, l...)
	if rest[0].Text = rest[0].Text[n:]; rest[0].Text == "" {
		rest = rest[1:]
	}
	return rest
}

func (l Line) trimLeft() Line {
	for len(l) > 0 {
		text := strings.TrimLeft(l[0].Text, " ")
		if text != "" {
			return append(Line{{Text: text, Style: l[0].Style, Link: l[0].Link}}, l[1:]...)
		}
		l = l[1:]
	}
	return nil
}

func (l Line) trimRight() Line {
	for n := len(l); n > 0; n-- {
		text := strings.TrimRight(l[n-1].Text, " ")
		if text != "" {
			last := l[n-1]
			last.Text = text
			return append(append(Line{}, l[:n-1]...), last)
		}
	}
	return nil
}

func firstCluster(text string) string {
	if isNarrow(text) {
		return text[:1]
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	return cluster
}
