package plain

import (
	"fmt"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/tool"
)

const (
	// maxColumns is the number of characters shown of a line of output.
	maxColumns = 2000
	// maxTail is how many bytes at the end of an output are examined.
	maxTail = 64 << 10
)

// excerpt returns the first n lines of a text.
func excerpt(text string, n int) string {
	lines, _ := kit.FirstLines(text, n)
	return strings.Join(lines, "\n")
}

// lastLines returns the last lines of a text, cleaned, and the number of lines before
// them.
func lastLines(text string, lines int) (kept []string, hidden int) {
	if len(text) > maxTail {
		hidden = strings.Count(text[:len(text)-maxTail], "\n")
		text = strings.ToValidUTF8(text[len(text)-maxTail:], "")
	}
	text = strings.Trim(terminal.Text(text), "\n")
	if isBlank(text) {
		return nil, hidden
	}
	kept = strings.Split(text, "\n")
	if n := len(kept) - lines; n > 0 {
		kept, hidden = kept[n:], hidden+n
	}
	for i, line := range kept {
		if runes := []rune(line); len(runes) > maxColumns {
			kept[i] = fmt.Sprintf("%s... (%d more characters)", string(runes[:maxColumns]), len(runes)-maxColumns)
		}
	}
	return kept, hidden
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// diffText returns a unified diff without its file headers. If spoken is set, words
// replace the signs for a screen reader.
func diffText(d *tool.DiffDisplay, spoken bool) string {
	lines := hunks(d.Diff)
	if len(lines) == 0 {
		return "No changes detected."
	}
	if !spoken {
		return strings.Join(lines, "\n")
	}
	for i, line := range lines {
		if line == "" {
			continue
		}
		switch line[0] {
		case '+':
			lines[i] = "add: " + line[1:]
		case '-':
			lines[i] = "del: " + line[1:]
		case '@':
			_, at, _ := strings.Cut(line, "+")
			at = at[:len(at)-len(strings.TrimLeft(at, "0123456789"))]
			lines[i] = "At line " + at + ":"
		default:
			lines[i] = strings.TrimPrefix(line, " ")
		}
	}
	return strings.Join(lines, "\n")
}

// hunks returns the lines of a unified diff after its file headers.
func hunks(diff string) []string {
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "@@") {
			return lines[i:]
		}
	}
	return nil
}

// countChanges describes how many lines a diff adds and removes.
func countChanges(diff string) string {
	added, removed := 0, 0
	for _, line := range hunks(diff) {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return wording.Count(added, "line") + " added, " + wording.Count(removed, "line") + " removed"
}
