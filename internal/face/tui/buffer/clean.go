package buffer

import (
	"strings"

	"pollux/internal/terminal"
)

// clean returns foreign text as a buffer keeps it: valid UTF-8 whose only control characters are tabs and line feeds.
// All characters that begin a new line become line feeds.
func clean(text string) string {
	text = terminal.Clean(text)
	for _, end := range [...]string{"\r\n", "\r", "\v", "\f", "\u2028", "\u2029"} {
		if strings.Contains(text, end) {
			text = strings.ReplaceAll(text, end, "\n")
		}
	}
	return text
}
