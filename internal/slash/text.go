package slash

import (
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/terminal"
)

// formatTable returns rows as a table that fits the terminal; see [terminal.Table]. It indents
// each line by four spaces, so that Markdown shows the table as code and keeps the alignment.
// head may be nil.
func (s *Runner) formatTable(head []string, rows ...[]string) string {
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
	for line := range strings.Lines(terminal.Table(head, cells, s.tableWidth())) {
		out.WriteString(strings.TrimRight(tableIndent+line, " \n") + "\n")
	}
	return out.String()
}

// tableIndent is what a table has before each line.
const tableIndent = "    "

// tableWidth returns the number of columns of a table, 0 if there is no limit.
func (s *Runner) tableWidth() int {
	if s.Terminal == nil {
		return 0
	}
	return max(0, s.Terminal.OutWidth()-len(tableIndent))
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
