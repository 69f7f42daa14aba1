package slash

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"pollux/internal/terminal"
)

// table lays rows out in columns. Each line is indented as Markdown has its code, so
// that the columns stay where they are.
func table(rows ...[]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.NewReplacer("\n", " ", "\t", " ").Replace(terminal.Text(cell))
		}
		_, _ = w.Write([]byte(strings.Join(cells, "\t") + "\n")) // memory takes it
	}
	_ = w.Flush()
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	return out.String()
}

// number writes a number as people read long ones.
func number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// percent returns how much of a whole a part is, in percent.
func percent(part, whole float64) string {
	if whole <= 0 {
		return "0.0%"
	}
	return fmt.Sprintf("%.1f%%", 100*part/whole)
}

// took writes a duration as people say it.
func took(d time.Duration) string {
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
