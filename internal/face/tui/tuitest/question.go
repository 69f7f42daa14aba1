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
			isShown, isReady = true, false
		case listsKeys().MatchString(row):
			isReady = isShown
		case strings.HasPrefix(row, "──") && i+1 < len(rows) && strings.ContainsAny(rows[i+1][:min(len(rows[i+1]), 1)], ">!*"):
			return false, false // the input is below it
		}
	}
	return isShown, isReady
}
