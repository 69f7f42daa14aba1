package file

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"pollux/tool"
)

// errMade is the cause of the failure of an edit that repeats one of the session.
var errMade = errors.New("the edit was made before")

// madeEdits are the edits of a session. A model repeats a call now and then, and the text to replace is gone then, or is that of a
// similar place.
type madeEdits struct {
	mu   sync.Mutex
	keys []editKey // the latest ones, oldest first
}

// editKey identifies a file, a text to replace and its new text.
type editKey [sha256.Size]byte

func keyOf(path, old, text string) editKey {
	return sha256.Sum256([]byte(path + "\x00" + old + "\x00" + text))
}

// maxMade is the number of edits that are remembered.
const maxMade = 1000

func (m *madeEdits) add(key editKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.keys) == maxMade {
		m.keys = slices.Delete(m.keys, 0, maxMade/2)
	}
	m.keys = append(m.keys, key)
}

func (m *madeEdits) has(key editKey) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.keys, key)
}

// isMade returns the error for an edit that repeats one of the session, nil for another one. If the new text is not there, the edit may
// have been taken back.
func (c *replaceCall) isMade(q *query) error {
	if !c.made.has(c.key) {
		return nil
	}
	where, text := "", strings.Trim(q.new, "\n")
	if strings.TrimSpace(text) != "" {
		lines := q.linesWith(text)
		if len(lines) == 0 {
			return nil
		}
		where = " new_string is at " + atLines(lines, len(lines)) + "."
	}
	return &failure{tool.Error{Type: tool.ErrEditNoChange, Message: fmt.Sprintf("No change was made, because none is needed: you have made this edit of %s before, "+
		"and old_string is no longer there.%s Do not repeat it.", c.path, where)}, errMade}
}

// minMeant is the number of letters and digits from which on a new text without lines of the old one is not there by chance.
const minMeant = 20

// there returns a sentence about the places where the new text is already, "" if there are none, or if it may be there by chance.
func (q *query) there() string {
	text := strings.Trim(q.new, "\n")
	if strings.TrimSpace(text) == "" || strings.Contains(q.old, text) || !q.sharesLine() && countWord(text) < minMeant {
		return ""
	}
	lines := q.linesWith(text)
	if len(lines) == 0 {
		return ""
	}
	return " new_string is there already, at " + atLines(lines, len(lines)) + ": if that is the place that you mean, the edit is done."
}

// linesWith returns the first and last lines of the places with a text.
func (q *query) linesWith(text string) (lines [][2]int) {
	for from := 0; len(lines) < maxMade; {
		at := strings.Index(q.text[from:], text)
		if at < 0 {
			break
		}
		first := 1 + strings.Count(q.text[:from+at], "\n")
		lines = append(lines, [2]int{first, first + strings.Count(text, "\n")})
		from += at + len(text)
	}
	return lines
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
