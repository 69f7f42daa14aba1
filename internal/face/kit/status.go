package kit

import (
	"fmt"
	"strings"
	"time"

	"pollux/internal/terminal"
	"pollux/tool"
)

// StatusText returns the label of a call, for how long it has run, and its last line of output; of several calls, their
// number and the time of the first one. It fits a number of columns.
func StatusText(running []*Call, names Names, now time.Time, columns int) string {
	first := running[0]
	label := first.Label(names)
	if len(running) > 1 {
		label = fmt.Sprintf("%d tools", len(running))
	}
	elapsed := fmt.Sprintf(" (%s)", now.Sub(first.Began).Truncate(time.Second))
	last := ""
	if text, ok := tool.DisplayText(first.Output); ok && len(running) == 1 {
		if lines, _ := LastLines(strings.TrimSpace(text), 1); len(lines) == 1 {
			last = ": " + terminal.Line(lines[0])
		}
	}
	if last != "" {
		label = FitColumns(label, columns/2)
	}
	return FitColumns(FitColumns(label, columns-terminal.Width(elapsed))+elapsed+last, columns)
}

// FitColumns returns text, or the beginning of it that fits a number of columns, with "..." behind it.
func FitColumns(text string, columns int) string {
	if terminal.Width(text) <= columns {
		return text
	}
	runes := []rune(text)
	runes = runes[:min(len(runes), max(0, columns))]
	for len(runes) > 0 && terminal.Width(string(runes))+3 > columns {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "..."
}

const (
	// maxColumns is the number of characters shown of a line of output.
	maxColumns = 2000
	// maxTail is how many bytes at the end of an output are examined.
	maxTail = 64 << 10
)

// LastLines returns the last lines of a text, cleaned, and the number of lines before them.
func LastLines(text string, lines int) (kept []string, hidden int) {
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
