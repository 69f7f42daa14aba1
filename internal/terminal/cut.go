package terminal

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

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

// The limits of [Brief], in bytes.
const (
	maxWord    = 400 // of a word; a path or a key is shorter
	maxMessage = 4000
)

// Brief returns a message that quotes text of others, such as an error or a warning, in a length that people
// read. It shortens long words in their middle, except addresses, and then the message itself, so that the
// next step at its end stays.
func Brief(message string) string {
	if len(message) <= maxWord {
		return message
	}
	var b strings.Builder
	for rest := message; rest != ""; {
		n := strings.IndexAny(rest, " \n\t")
		if n < 0 {
			n = len(rest)
		}
		word := rest[:n]
		if !strings.Contains(word, "://") {
			word = cutMiddle(word, maxWord)
		}
		b.WriteString(word)
		if n < len(rest) {
			b.WriteByte(rest[n])
			n++
		}
		rest = rest[n:]
	}
	return cutMiddle(b.String(), maxMessage)
}

// cutMiddle returns text, or about n bytes of it, most of them from its beginning, where it is longer.
func cutMiddle(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head, tail := n*3/4, len(text)-n/4
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + "…(" + strconv.Itoa(tail-head) + " bytes)…" + text[tail:]
}
