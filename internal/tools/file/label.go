package file

import (
	"strings"
	"unicode/utf8"

	"pollux/tool"
)

// maxLabel limits each side of the label of a change, in characters.
const maxLabel = 30

// changeLabel returns the beginnings of the first lines of two texts, or of the parts that differ if those are alike.
func changeLabel(before, after string) string {
	x, y := firstLine(before), firstLine(after)
	if strings.TrimSuffix(x, "...") == strings.TrimSuffix(y, "...") && before != after {
		before, after = strings.TrimSpace(before), strings.TrimSpace(after)
		i, j := difference(before, after)
		if i == len(before) && j == len(after) {
			return "white space of " + x
		}
		x, y = pieceAt(before, i), pieceAt(after, j)
	}
	return x + " => " + y
}

// difference returns where two texts differ first, apart from the amount of white space between words.
func difference(a, b string) (i, j int) {
	for i < len(a) && j < len(b) {
		if a[i] == b[j] && a[i] > ' ' {
			i, j = i+1, j+1
			continue
		}
		switch n, m := spaces(a[i:]), spaces(b[j:]); {
		case n > 0 && m > 0:
			i, j = i+n, j+m
		case a[i] != b[j]:
			return i, j
		default:
			i, j = i+1, j+1
		}
	}
	return i, j
}

const spaceCharacters = " \t\r\n\f\v"

// spaces returns the number of white space characters at the beginning of a text.
func spaces(s string) int { return len(s) - len(strings.TrimLeft(s, spaceCharacters)) }

// pieceAt returns a piece of a text in one line. It begins a few characters, and if possible a word, before a byte.
func pieceAt(text string, at int) string {
	const before, after = 10, 4 * maxLabel
	start, end := max(0, at-before), min(len(text), at+after)
	for start > 0 && start < len(text) && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	lead := ""
	if start > 0 {
		lead = "..."
		if i := strings.IndexAny(text[start:at], spaceCharacters); i >= 0 {
			start += i + 1
		}
	}
	piece := strings.Join(strings.Fields(text[start:end]), " ")
	if end < len(text) {
		piece += "\n" // there is more
	}
	return lead + firstLine(piece)
}

// firstLine returns the beginning of the first line of a text, with an ellipsis if there is more.
func firstLine(s string) string {
	line, _, more := strings.Cut(s, "\n")
	if head := tool.First(line, maxLabel); len(head) < len(line) {
		line, more = head, true
	}
	if more {
		line = strings.TrimRight(line, ". ") + "..."
	}
	return line
}
