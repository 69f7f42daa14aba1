package plain

import (
	"fmt"
	"strings"

	"pollux/internal/terminal"
	"pollux/tool"
)

const (
	// maxColumns is how many characters of a line are shown of what may be long.
	maxColumns = 2000
	// maxTail is how much of the end of an output is looked at, in bytes.
	maxTail = 64 << 10
)

// head returns the first lines of a text, cleaned, and how many are behind them. 0
// lines are all of it. Lines may have so many characters, 0 for any number.
func head(text string, lines, columns int) (kept []string, hidden int) {
	kept = strings.Split(strings.TrimRight(terminal.Text(text), "\n"), "\n")
	if lines > 0 && len(kept) > lines {
		kept, hidden = kept[:lines], len(kept)-lines
	}
	return clip(kept, columns), hidden
}

// tail returns the last lines of a text, cleaned, and how many are before them.
func tail(text string, lines int) (kept []string, hidden int) {
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
	return clip(kept, maxColumns), hidden
}

func clip(lines []string, columns int) []string {
	for i, line := range lines {
		if columns > 0 && len(line) > columns {
			if runes := []rune(line); len(runes) > columns {
				lines[i] = fmt.Sprintf("%s... (%d more characters)", string(runes[:columns]), len(runes)-columns)
			}
		}
	}
	return lines
}

// more says that something was left out, if it was.
func more(hidden int) []string {
	switch hidden {
	case 0:
		return nil
	case 1:
		return []string{"(1 more line)"}
	}
	return []string{fmt.Sprintf("(%d more lines)", hidden)}
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// diffText is a change as text: a unified diff without its headers, its signs in
// words where it is spoken (spec/tui.md §8.4).
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

// hunks returns the lines of a unified diff from its first change on.
func hunks(diff string) []string {
	lines := strings.Split(strings.TrimRight(diff, "\n"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "@@") {
			return lines[i:]
		}
	}
	return nil
}

// changes counts what a diff changes.
func changes(diff string) string {
	added, removed := 0, 0
	for _, line := range hunks(diff) {
		switch {
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return plural(added, "line") + " added, " + plural(removed, "line") + " removed"
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
