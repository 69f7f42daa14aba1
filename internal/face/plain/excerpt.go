package plain

import (
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/wording"
	"pollux/tool"
)

func excerpt(text string, n int) string {
	lines, _ := kit.FirstLines(text, n)
	return strings.Join(lines, "\n")
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// diffText returns a unified diff without its file headers. If spoken is set, words
// replace the signs for a screen reader.
func diffText(d *tool.DiffDisplay, spoken bool) string {
	lines := hunks(d.Diff)
	if len(lines) == 0 {
		return "No changes detected."
	}
	for i, line := range lines {
		if !spoken || line == "" {
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
