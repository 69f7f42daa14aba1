package files

import (
	"runtime"
	"strings"
	"unicode"

	"pollux/internal/face/tui/completion/paths"
)

// ends are the characters that end a path without quotes, beside white space.
const ends = ",;!?()[]{}\"'`<>|" + "，。、；：！？（）「」『』【】〔〕《》〈〉“”‘’…"

func isEnd(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(ends, r) }

// special are further characters with a backslash before them, because they mean something in shells.
const special = `\$&*#=^~`

// Mention returns the text that mentions a path, with the @ and without a space behind it. It returns false for a
// path that no text mentions.
func Mention(path string) (string, bool) { return mentionOn(runtime.GOOS, path) }

func mentionOn(goos, path string) (string, bool) {
	if path == "" || !paths.IsTypable(path) {
		return "", false
	}
	needsEscapes := strings.ContainsFunc(path, func(r rune) bool { return isEnd(r) || strings.ContainsRune(special, r) })
	if needsQuotes(path) || goos == "windows" && needsEscapes {
		return `@"` + path + `"`, !strings.Contains(path, `"`)
	}
	if !needsEscapes {
		return "@" + path, true
	}
	var b strings.Builder
	b.WriteByte('@')
	for _, r := range path {
		if isEnd(r) || strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String(), true
}

// needsQuotes reports whether a prompt without quotes may mention a shorter path: the punctuation of the sentence, or
// Chinese text, may follow a path without a space.
func needsQuotes(path string) bool {
	if strings.HasSuffix(path, ".") || strings.HasSuffix(path, ":") {
		return true
	}
	hasPeriod, before := false, rune(0)
	for _, r := range path {
		if hasPeriod && isCJK(r) && !isCJK(before) {
			return true
		}
		hasPeriod, before = hasPeriod || r == '.', r
	}
	return false
}
