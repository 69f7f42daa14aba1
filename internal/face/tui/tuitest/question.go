package tuitest

import (
	"regexp"
	"strings"
	"sync"
)

// listsKeys matches the row with which a question lists its keys, also one without a key that confirms.
var listsKeys = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(Enter|Esc) [a-z]+( · |$)`) })

// question looks for an open question of Pollux in the rows of a screen. isReady reports whether it takes answers: it
// lists its keys from then on.
func question(rows []string) (isShown, isReady bool) {
	for i, row := range rows {
		switch {
		case strings.HasPrefix(row, "? "):
			isShown = true
		case listsKeys().MatchString(row):
			isReady = isShown
		case i > 0 && !isReady && isEdge(rows[i-1]) && strings.ContainsAny(row[:min(len(row), 1)], ">!*"):
			return false, false // the input is there
		case isShown && strings.HasPrefix(row, "A command has the keyboard."):
			return false, false
		}
	}
	return isShown, isReady
}

// isEdge reports whether a row is the upper edge of the input.
func isEdge(row string) bool {
	return strings.HasPrefix(row, "──") || strings.HasPrefix(row, "▄▄")
}
