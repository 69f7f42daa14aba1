package file

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"pollux/tool"
)

// errMade is the cause of the failure of an edit that the file has already: it repeats one that was made.
var errMade = errors.New("the file already has the new text")

// minMade is the number of letters and digits from which on a new text without lines of the old one is not there by chance.
const minMade = 20

// made returns the first and last line of the place where the new text is already, while the old one is nowhere. It is not ok if the new
// text is there more than once, or may be there by chance.
func (q *query) made() (lines [2]int, ok bool) {
	text := strings.Trim(q.new, "\n")
	if strings.TrimSpace(text) == "" || strings.Contains(q.text, strings.Trim(q.old, "\n")) {
		return lines, false
	}
	at := strings.Index(q.text, text)
	if at < 0 || strings.Contains(q.text[at+1:], text) && !q.multiple || !q.sharesLine() && countWord(text) < minMade {
		return lines, false
	}
	first := 1 + strings.Count(q.text[:at], "\n")
	return [2]int{first, first + strings.Count(text, "\n")}, true
}

// sharesLine reports whether the old text and the new one begin or end with the same line, which shows where the edit belongs.
func (q *query) sharesLine() bool {
	old, text := strings.Split(strings.Trim(q.old, "\n"), "\n"), strings.Split(strings.Trim(q.new, "\n"), "\n")
	isShared := func(a, b string) bool { return a == b && countWord(a) > 0 }
	return isShared(old[0], text[0]) || isShared(old[len(old)-1], text[len(text)-1])
}

// countWord returns the number of letters and digits of a text.
func countWord(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// isMade returns the error for an edit that was made before, nil for another one.
func (c *replaceCall) isMade(q *query) error {
	lines, ok := q.made()
	if !ok {
		return nil
	}
	return &failure{tool.Error{Type: tool.ErrEditNoChange, Message: fmt.Sprintf("No change was made, because none is needed: %s already has new_string, at %s, and old_string is not in it. "+
		"The edit was made before; do not repeat it.", c.path, atLines([][2]int{lines}, 1))}, errMade}
}
