package slash

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"pollux/internal/terminal"
)

// formatTable returns rows as a table that fits the terminal; see [terminal.Table]. It indents
// each line by four spaces, so that Markdown shows the table as code and keeps the alignment.
// head may be nil.
func (s *Runner) formatTable(head []string, rows ...[]string) string {
	const indent = "    "
	width := 0
	if s.Terminal != nil {
		width = max(0, s.Terminal.OutWidth()-len(indent))
	}
	clean := func(row []string) []string {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.NewReplacer("\n", " ", "\t", " ").Replace(terminal.Text(cell))
		}
		return cells
	}
	cells := make([][]string, len(rows))
	for i, row := range rows {
		cells[i] = clean(row)
	}
	if head != nil {
		head = clean(head)
	}
	var out strings.Builder
	for line := range strings.Lines(terminal.Table(head, cells, width)) {
		out.WriteString(strings.TrimRight(indent+line, " \n") + "\n")
	}
	return out.String()
}

// formatNumber returns n in decimal, with commas between thousands.
func formatNumber(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// formatPercent returns part as a percentage of whole, with one decimal. It returns "0.0%"
// if whole is not positive.
func formatPercent(part, whole float64) string {
	if whole <= 0 {
		return "0.0%"
	}
	return fmt.Sprintf("%.1f%%", 100*part/whole)
}

// formatDuration returns d in one or two units, such as "250ms", "1.5s", "2m 3s" or "1h 4m".
func formatDuration(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm %ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh %dm", int(d.Hours()), int(d.Minutes())%60)
}
