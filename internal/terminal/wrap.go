package terminal

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Wrap breaks the lines of a text at spaces, so that no line is wider than width columns unless it is a single word.
// Continuation lines are indented like the text of their line: behind the marker of a list item, else below the first
// word. Wrap does not change blocks of code: lines between Markdown fences, and lines indented by four columns or more
// outside a list. It does not break a line within 'quotes' or `backticks`, in which texts have commands to copy, if
// they fit in a line. It returns the text unchanged if width is less than [MinWidth].
func Wrap(text string, width int) string {
	if width < MinWidth {
		return text
	}
	return new(Wrapper).wrap(text, width)
}

// WrapBelow wraps text like [Wrap], and indents all its lines but the first by margin columns,
// even if width is less than [MinWidth].
func WrapBelow(text string, width, margin int) string {
	w := &Wrapper{Margin: margin}
	w.Label("")
	return w.wrap(text, width)
}

// wrap wraps a whole text, and keeps quotes in one line.
func (w *Wrapper) wrap(text string, width int) string {
	joined := text
	if width >= MinWidth {
		joined = joinQuoted(text, width-w.Margin)
	}
	wrapped := w.wrapWords(joined, width)
	if joined == text {
		return wrapped
	}
	return strings.ReplaceAll(wrapped, joint, " ")
}

// wrapWords wraps a whole text, and breaks lines within quotes, too.
func (w *Wrapper) wrapWords(text string, width int) string {
	return w.Add(text, width) + w.Flush(width) + string(w.spaces)
}

// joint stands for a space at which a line must not be broken. It takes one column, and does not
// occur in text without control characters.
const joint = "\x1f"

// quoted matches a text of several words in quotes or backticks, with the characters before and
// after it. Other quotation marks are apostrophes.
var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(^\\(?| \\(?)('[^' \\t\\n](?:[^'\\n]*[^' \\t\\n])?'|`[^` \\t\\n](?:[^`\\n]*[^` \\t\\n])?`)([.,;:)?]*(?:[ \\n]|$))")
})

// joinQuoted replaces the spaces within quotes and backticks with joints, where they fit in a line of this width.
func joinQuoted(text string, width int) string {
	if !strings.ContainsAny(text, "'`") || strings.Contains(text, joint) {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		indent := len(line) - len(strings.TrimLeft(line, " ")) + len("10. ") // of a list item at most
		lines[i] = quoted().ReplaceAllStringFunc(line, func(match string) string {
			if strings.Contains(match, "\t") || Width(strings.Trim(match, " \n"))+indent > width {
				return match
			}
			m := quoted().FindStringSubmatch(match)
			return m[1] + strings.ReplaceAll(m[2], " ", joint) + m[3]
		})
	}
	return strings.Join(lines, "")
}

// Hang returns text behind a prefix, wrapped like [Wrap], with continuation lines below the
// text. If less than half of the width is left for the text, it begins on a line of its own.
func Hang(prefix, text string, width int) string {
	indent := Width(prefix)
	if width >= MinWidth && indent > width/2 {
		prefix, indent = Wrap(strings.TrimRight(prefix, " "), width)+"\n    ", 4
	}
	if width > 0 { // too narrow for the text is too narrow for wrapping
		width -= indent
	}
	return prefix + strings.ReplaceAll(Wrap(text, width), "\n", "\n"+strings.Repeat(" ", indent))
}

// MinWidth is the smallest width at which text is wrapped.
const MinWidth = 10

// Width returns the number of columns that a text without control characters takes: two for
// wide characters, none for combining ones.
func Width(s string) int {
	if n, isNarrow := narrowWidth(s); isNarrow {
		return n
	}
	return uniseg.StringWidth(s)
}

// narrowWidth returns the number of characters of s if each is a cluster of one column.
func narrowWidth(s string) (n int, isNarrow bool) {
	for _, r := range s {
		if r >= firstCombining {
			return 0, false
		}
		n++
	}
	return n, true
}

// firstCombining is the first character that may join others or take other than one column.
const firstCombining = 0x300

// Wrapper wraps a stream of text like [Wrap]. The result does not depend on how the stream is
// split: an incomplete word is held back until it is complete, or wider than the rest of the
// line, unless it begins a line. The zero Wrapper is at the beginning of a line.
type Wrapper struct {
	// Margin is the number of columns before each line of text that has no label. Empty lines stay empty.
	Margin int

	column int    // of the cursor
	label  int    // width of the label or margin before the line
	hang   int    // indentation of continuation lines
	spaces []byte // white space before the next word
	word   string // the part of the current word that is held back
	isOpen bool   // a part of the current word has been returned

	hasMargin  bool   // the line has its margin or a label
	hasWord    bool   // the line has a word
	hasMarker  bool   // the word before the next one is the marker of a list item
	isVerbatim bool   // the line is code
	fence      string // the fence that began a block of code; "" outside
	inList     bool   // the last line without indentation belongs to a list
	hasText    bool   // the last line has text that is not code
	out        strings.Builder
}

// Add returns the text of s that can be shown, preceded by text that was held back before. s contains no parts of UTF-8
// sequences. width is the current number of columns; less than [MinWidth] breaks no lines.
func (w *Wrapper) Add(s string, width int) string {
	w.out.Reset()
	w.out.Grow(len(s) + len(s)/16)
	for s != "" {
		i := strings.IndexAny(s, " \t\n")
		if i < 0 {
			i = len(s)
		}
		if w.word == "" {
			w.word = s[:i]
		} else {
			w.word += s[:i]
		}
		if i == len(s) {
			break
		}
		w.endWord(width)
		if s[i] == '\n' {
			w.endLine(width)
		} else {
			w.spaces = append(w.spaces, s[i])
		}
		s = s[i+1:]
	}
	w.placeWord(width, false)
	return w.out.String()
}

// Flush returns the part of a word that was held back. The rest of the word can follow.
func (w *Wrapper) Flush(width int) string {
	w.out.Reset()
	if w.word != "" {
		w.placeWord(width, true)
		w.isOpen = true
	}
	return w.out.String()
}

// IsHolding reports whether a part of a word is held back.
func (w *Wrapper) IsHolding() bool { return w.word != "" }

// Label records that a label, which is not a part of the text, was written at the beginning of the line.
func (w *Wrapper) Label(label string) {
	w.label, w.column, w.hasMargin = Width(label), Width(label), true
}

// Restart records that other text was written and the cursor is at the beginning of a line.
func (w *Wrapper) Restart() { w.label, w.spaces, w.isOpen, w.hasMargin = 0, w.spaces[:0], false, false }

func (w *Wrapper) endWord(width int) {
	w.placeWord(width, true)
	w.isOpen = false
}

func (w *Wrapper) endLine(width int) {
	if width < MinWidth || w.isVerbatim || w.fence != "" {
		w.out.Write(w.spaces)
	}
	w.out.WriteByte('\n')
	w.hasText = w.hasWord && !w.isVerbatim
	w.hasWord, w.hasMarker, w.isVerbatim = false, false, false
	w.label, w.hang, w.spaces, w.hasMargin = 0, 0, w.spaces[:0], false
}

// longestWord is the length in bytes at which an incomplete word is returned where lines are not broken.
const longestWord = 64

// longestCharacter is the length in bytes at which a character is returned even if combining ones may follow.
const longestCharacter = 512

// placeWord writes the pieces of the word. If the word is not complete, it holds back the last piece until it is known
// to be wider than the rest of the line, and the last character, which may be incomplete, in any case.
func (w *Wrapper) placeWord(width int, isComplete bool) {
	if !w.hasMargin {
		w.column, w.label = w.Margin, w.Margin
	}
	for w.word != "" {
		n, columns, tail, tailColumns := firstPiece(w.word)
		if n < len(w.word) || isComplete {
			w.place(w.word[:n], columns, width)
			w.word, w.isOpen = w.word[n:], false
			continue
		}
		head := columns - tailColumns
		isDecided := afterSpaces(w.column, w.spaces)+head > width
		if width < MinWidth || w.isVerbatim || !w.hasWord {
			isDecided = tail >= longestWord || width >= MinWidth && isPlainWord(w.word)
		}
		if len(w.word) > longestCharacter {
			tail, head = len(w.word), columns
		}
		if tail > 0 && (w.isOpen || isDecided || tail == len(w.word)) {
			w.place(w.word[:tail], head, width)
			w.word, w.isOpen = w.word[tail:], true
		}
		return
	}
}

// place writes a piece of a word after the spaces before it, or on a new line.
func (w *Wrapper) place(piece string, columns, width int) {
	start := afterSpaces(w.column, w.spaces)
	if !w.hasWord {
		w.beginLine(piece, start-w.label, width)
	} else if w.hasMarker {
		w.hasMarker = false
		w.setHang(start-w.label, width)
	}
	wraps := width >= MinWidth && !w.isVerbatim && !w.isOpen && w.hasWord
	if hang := w.Margin + w.hang; wraps && start+columns > width && start > hang {
		w.out.WriteByte('\n')
		w.indent(hang)
		start = hang
	} else {
		if !w.hasMargin {
			w.indent(w.Margin)
		}
		w.out.Write(w.spaces)
	}
	w.hasMargin = true
	w.out.WriteString(piece)
	w.column, w.spaces, w.hasWord = start+columns, w.spaces[:0], true
}

func (w *Wrapper) indent(columns int) {
	for range columns {
		w.out.WriteByte(' ')
	}
}

// setHang sets the indentation of continuation lines, unless that would leave less than half of the width.
func (w *Wrapper) setHang(columns, width int) {
	if columns <= width/2 {
		w.hang = columns
	}
}

// beginLine decides how the line that begins with this word is wrapped.
func (w *Wrapper) beginLine(word string, indent, width int) {
	const codeIndent = 4
	w.setHang(indent, width)
	switch {
	case w.fence != "":
		w.isVerbatim = true
		if strings.HasPrefix(word, w.fence) && strings.Trim(word, w.fence[:1]) == "" {
			w.fence = ""
		}
	case fenceOf(word) != "":
		w.isVerbatim, w.fence = true, fenceOf(word)
	case indent >= codeIndent && !w.inList && !w.hasText:
		w.isVerbatim = true
	case isMarker(word):
		w.inList, w.hasMarker = true, true
	case indent == 0 && !w.hasText:
		w.inList = false
	}
}

// fenceOf returns the fence that a word begins, "" if it begins none.
func fenceOf(word string) string {
	const shortest, longest = 3, 10
	if word[0] != '`' && word[0] != '~' {
		return ""
	}
	info := strings.TrimLeft(word, word[:1])
	if n := len(word) - len(info); n >= shortest && !strings.Contains(info, "`") {
		return word[:min(n, longest)]
	}
	return ""
}

// isPlainWord reports whether a word that begins so has no meaning for the line that it begins.
func isPlainWord(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsLetter(r)
}

// isMarker reports whether a word at the beginning of a line is the marker of a list item.
func isMarker(word string) bool {
	const maxDigits = 9
	switch word {
	case "-", "*", "+", "•":
		return true
	}
	digits := strings.TrimRight(word, ".)")
	return len(word) == len(digits)+1 && digits != "" && len(digits) <= maxDigits && strings.Trim(digits, "0123456789") == ""
}

// afterSpaces returns the column after spaces and tabs that begin at a column.
func afterSpaces(column int, spaces []byte) int {
	const tabStop = 8
	for i := range len(spaces) {
		if column++; spaces[i] == '\t' {
			column = (column + tabStop - 1) / tabStop * tabStop
		}
	}
	return column
}

// firstPiece returns the length and the columns of the first part of a word that cannot be broken, and the start and
// the columns of the last character in it. Only words with wide characters have more than one part.
func firstPiece(word string) (n, columns, tail, tailColumns int) {
	if count, isNarrow := narrowWidth(word); isNarrow {
		_, size := utf8.DecodeLastRuneInString(word)
		return len(word), count, len(word) - size, 1
	}
	state, last := -1, ""
	for rest := word; rest != ""; {
		var cluster string
		var width int
		cluster, rest, width, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if n > 0 && (isWide(last, tailColumns) || isWide(cluster, width)) && isBreakable(last, cluster) {
			break
		}
		tail, tailColumns, last = n, width, cluster
		n, columns = n+len(cluster), columns+width
	}
	return n, columns, tail, tailColumns
}

// firstWide is the first character that can stand alone.
const firstWide = 0x1100

// isWide reports whether a character is an ideograph or another one that can stand alone.
func isWide(cluster string, columns int) bool {
	r, _ := utf8.DecodeRuneInString(cluster)
	return columns == 2 && r >= firstWide
}

// MayBreak reports whether a line may end between two characters of a word: at least one of them is wide, the first is no
// opening punctuation, and the second no closing one. Characters are grapheme clusters.
func MayBreak(before, after string) bool {
	if before < string(rune(firstWide)) && after < string(rune(firstWide)) {
		return false // as in most texts
	}
	return (isWide(before, Width(before)) || isWide(after, Width(after))) && isBreakable(before, after)
}

// isBreakable reports whether a line may end between two characters, at least one of which is
// wide: not after opening punctuation, nor before closing punctuation and sound marks.
func isBreakable(before, after string) bool {
	first, _ := utf8.DecodeRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return !unicode.In(first, unicode.Ps, unicode.Pi) && !unicode.In(next, unicode.Pe, unicode.Pf, unicode.Po, unicode.Lm, unicode.Mn, unicode.Sk)
}
