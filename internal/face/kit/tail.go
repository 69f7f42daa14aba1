package kit

import (
	"fmt"
	"strings"
)

// MaxText is the size of a text that clients get of a call, in bytes.
const MaxText = 32 << 10

// Tail returns the end of a text, with a line about the part that is left out. omitted lines are left out already.
func Tail(text string, omitted int) string {
	cut := 0
	if n := len(text) - MaxText; n > 0 {
		cut = n
		if i := strings.IndexByte(text[n:], '\n'); i >= 0 && i < MaxText/2 {
			cut = n + i + 1
		}
		text = strings.ToValidUTF8(text[cut:], "")
	}
	switch {
	case cut > 0:
		return fmt.Sprintf("[%d bytes left out]\n%s", cut, text)
	case omitted > 0:
		return fmt.Sprintf("[%d lines left out]\n%s", omitted, text)
	}
	return text
}
