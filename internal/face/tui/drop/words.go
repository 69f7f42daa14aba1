package drop

import "strings"

// words returns the words of a text as a shell reads them: in quotes, or with backslashes before special characters. On
// Windows, backslashes are parts of names. It returns false if a quote does not end.
func (n *Names) words(text string) (words []string, ok bool) {
	var word strings.Builder
	isOpen := false // a word has begun
	quote := rune(0)
	isEscaped := false
	for _, r := range text {
		switch {
		case isEscaped:
			word.WriteRune(r)
			isEscaped = false
		case r == '\\' && quote != '\'' && n.GOOS != "windows":
			isEscaped, isOpen = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, isOpen = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if isOpen {
				words = append(words, word.String())
			}
			word.Reset()
			isOpen = false
		default:
			word.WriteRune(r)
			isOpen = true
		}
	}
	if isOpen {
		words = append(words, word.String())
	}
	return words, quote == 0 && !isEscaped
}
