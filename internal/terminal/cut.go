package terminal

import "unicode/utf8"

// Cut returns text, or its first n bytes with an ellipsis behind them where it is
// longer. It does not cut a character in two.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
