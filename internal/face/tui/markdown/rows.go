package markdown

import (
	"bytes"
	"strings"

	"pollux/internal/face/tui/styled"
)

// startTable makes the last two lines of the open paragraph a table if they are a header and its delimiters.
func (s *Splitter) startTable() {
	text := s.leaf.text
	at := bytes.LastIndexByte(text, '\n')
	if at < 0 || !isDelimiters(string(text[at+1:])) {
		return
	}
	from := bytes.LastIndexByte(text[:at], '\n') + 1
	header, delimiters := styled.Text(string(text[from:at])), string(text[at+1:]) // an escape sequence may hold a backslash
	if !strings.Contains(header, "|") || len(splitCells(header)) != len(splitCells(delimiters)) {
		return
	}
	source := s.leaf.source
	n := bytes.LastIndexByte(bytes.TrimSuffix(source, []byte("\n")), '\n')
	n = bytes.LastIndexByte(source[:n], '\n') + 1
	table := leaf{kind: Table, source: bytes.Clone(source[n:]), text: []byte(header + "\n" + delimiters)}
	s.leaf.source, s.leaf.text = source[:n], text[:max(from-1, 0)]
	s.emitText(true)
	s.leaf = table
}

// isDelimiters reports whether a line may be the line below the header of a table.
func isDelimiters(line string) bool {
	if !strings.Contains(line, "|") || !strings.Contains(line, "-") || strings.Trim(line, "|-: \t") != "" {
		return false
	}
	for _, cell := range splitCells(line) {
		cell = strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if cell == "" || strings.Trim(cell, "-") != "" {
			return false
		}
	}
	return true
}

// addRow adds a row to the open table. A table of more than maxRows rows continues row by row.
func (s *Splitter) addRow(source, line string) {
	if s.leaf.rows >= maxRows {
		s.emitTable(false)
	}
	if len(s.leaf.text) > 0 {
		s.leaf.text = append(s.leaf.text, '\n')
	}
	s.leaf.source = append(s.leaf.source, source...)
	s.leaf.text = append(s.leaf.text, styled.Text(line)...)
	s.leaf.rows++
}

// emitTable emits the rows of the open table. They are its last ones if isEnd.
func (s *Splitter) emitTable(isEnd bool) {
	l := &s.leaf
	text := string(l.text)
	if !l.isCut {
		l.columns = &columns{sample: text}
	}
	s.emit(Block{Kind: Table, Source: string(l.source), Continues: l.isCut, text: text, columns: l.columns, isLast: isEnd})
	l.source, l.text, l.isCut = nil, nil, true
}

// splitCells returns the cells of a row of a table.
func splitCells(line string) (cells []string) {
	line = strings.TrimPrefix(strings.Trim(line, " \t"), "|")
	from := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			cells = append(cells, cell(line[from:i]))
			from = i + 1
		}
	}
	if last := cell(line[from:]); last != "" || from == 0 {
		cells = append(cells, last)
	}
	return cells
}

// splitRow returns the cells of a row of a table with n columns. Further cells are joined to the last one.
func splitRow(line string, n int) []string {
	cells := splitCells(line)
	if len(cells) > n && n > 0 {
		cells[n-1] = strings.Join(cells[n-1:], " | ")
		cells = cells[:n]
	}
	return cells
}

// cell returns the text of a cell.
func cell(text string) string { return strings.ReplaceAll(strings.Trim(text, " \t"), `\|`, "|") }
