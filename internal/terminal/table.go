package terminal

import "strings"

// Table returns rows as aligned columns, separated by two spaces, one line for each row, that are at most width columns
// wide; 0 is no limit. If the rows are wider, the text of the last column is wrapped. If too little room is left for
// that, each row becomes a block: its first cell, and below it the others, with the cells of head before them. head may
// be nil. A row with a single cell is a heading across all columns. Cells must be clean text without line ends.
func Table(head []string, rows [][]string, width int) string {
	const gap, least = 2, 24
	longest := 0 // of the cells in the first column that the second one stands beside
	if width >= MinWidth {
		longest = width * 2 / 5
	}
	all := rows
	if head != nil {
		all = append([][]string{head}, rows...)
	}
	var widths []int
	for _, row := range all {
		for i, cell := range row {
			if len(row) == 1 {
				break
			}
			if i == len(widths) {
				widths = append(widths, 0)
			}
			n := Width(cell)
			if i == 0 && len(row) == 2 && longest > 0 && n > longest {
				n = gap // it stands alone
			}
			widths[i] = max(widths[i], n)
		}
	}
	if len(widths) == 0 {
		widths = []int{0}
	}
	left := 0 // of the last column
	for _, w := range widths[:len(widths)-1] {
		left += w + gap
	}
	last := widths[len(widths)-1]
	if width >= MinWidth && left+last > width && (width-left < least || len(widths) > 2 && width-left < last/2) {
		return stack(head, rows, width)
	}
	var b strings.Builder
	for _, row := range all {
		if len(row) == 1 {
			b.WriteString(Wrap(row[0], width) + "\n")
			continue
		}
		var line strings.Builder
		for i, cell := range row {
			if i == len(widths)-1 && width > 0 {
				cell = strings.ReplaceAll(Wrap(cell, width-left), "\n", "\n"+strings.Repeat(" ", left))
			}
			n := Width(cell)
			if i == 0 && longest > 0 && n > widths[i] { // it stands alone
				cell = WrapBelow(cell, width, belowFirst)
			}
			line.WriteString(cell)
			switch {
			case i == len(row)-1:
			case n <= widths[i]:
				line.WriteString(strings.Repeat(" ", widths[i]-n+gap))
			default:
				line.WriteString("\n" + strings.Repeat(" ", left))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

// belowFirst is the indentation of the rest of a first cell that takes several lines, deeper than the text below it.
const belowFirst = 6

// stack returns the rows of a table as blocks.
func stack(head []string, rows [][]string, width int) string {
	const indent = "  "
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			switch {
			case cell == "":
			case i == 0:
				b.WriteString(WrapBelow(cell, width, belowFirst) + "\n")
			case i < len(head) && head[i] != "":
				b.WriteString(Hang(indent, head[i]+": "+cell, width) + "\n")
			default:
				b.WriteString(Hang(indent+indent, cell, width) + "\n")
			}
		}
	}
	return b.String()
}
