package terminal

import (
	"regexp"
	"strings"
	"sync"
)

// The styles of text, as parameters of the escape sequence SGR.
const (
	Bold   = "1"
	Dim    = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
	Gray   = "90"
)

// Style returns text in a style, for [Writer.Styled].
func Style(style, text string) string {
	if style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

var styleSequences = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\[(?:" + strings.Join([]string{"0", Bold, Dim, Red, Green, Yellow, Cyan, Gray}, "|") + ")m")
})

// cleanStyled cleans the text between the escape sequences of [Style].
func cleanStyled(text string, clean func(string) string) string {
	var out strings.Builder
	for {
		at := styleSequences().FindStringIndex(text)
		if at == nil {
			out.WriteString(clean(text))
			return out.String()
		}
		out.WriteString(clean(text[:at[0]]))
		out.WriteString(text[at[0]:at[1]])
		text = text[at[1]:]
	}
}
