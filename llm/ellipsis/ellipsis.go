// Package ellipsis shortens texts for messages. "..." stands for the part that is left out.
//
// [pollux/tool.First] and [pollux/tool.Truncate] count characters as JavaScript does, for limits
// that Gemini CLI has too. The screen has [pollux/internal/terminal.Cut].
package ellipsis

import "strings"

// Bytes returns text, or its first n bytes with "..." behind them. It does not split a character.
func Bytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "..."
}

// Runes returns text, or its first n characters with "..." behind them.
func Runes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	left := n
	for i := range text {
		if left == 0 {
			return text[:i] + "..."
		}
		left--
	}
	return text
}

// Fit returns text, or its first characters with "..." behind them, n characters in all.
func Fit(text string, n int) string {
	if Runes(text, n) == text {
		return text
	}
	return Runes(text, n-len("..."))
}
