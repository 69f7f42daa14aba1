package picture

import (
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/face/tui/buffer"
)

// extensions are those of files that can be shown.
var extensions = [...]string{".png", ".jpg", ".jpeg", ".gif", ".webp"}

// maxMentioned is the number of images of a prompt that are shown.
const maxMentioned = 4

// Mentioned returns the paths of the first images that a prompt mentions, as they are written there, without quotes and
// escapes.
func Mentioned(prompt string) (paths []string) {
	const most = 64 << 10 // bytes; a longer prompt is pasted text
	if len(prompt) > most || !strings.Contains(prompt, "@") {
		return nil
	}
	var b buffer.Buffer
	b.SetText(prompt, 0)
	for _, token := range b.Tokens() {
		if token.Kind != buffer.Path {
			continue
		}
		path := unescaped(strings.TrimPrefix(b.Text(token.Range), "@"))
		if slices.Contains(extensions[:], strings.ToLower(filepath.Ext(path))) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
		if len(paths) == maxMentioned {
			break
		}
	}
	return paths
}

// unescaped returns a path without quotes, or without the backslashes before special characters.
func unescaped(text string) string {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		return strings.TrimSuffix(quoted, `"`)
	}
	var b strings.Builder
	isEscaped := false
	for _, r := range text {
		if isEscaped = r == '\\' && !isEscaped && filepath.Separator != '\\'; !isEscaped {
			b.WriteRune(r)
		}
	}
	return b.String()
}
