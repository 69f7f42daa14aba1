package vim

import "pollux/internal/face/tui/buffer"

// column is the column that j and k keep while the cursor moves through shorter rows. It is that of a position from
// which the cursor has moved by a number of rows.
type column struct {
	isOn  bool
	isEnd bool // "$" was pressed: the cursor goes to the end of each line
	from  int
	rows  int // from there, negative for upwards
	at    int // the cursor since then
}

// moveRows moves the cursor by rows of the screen. At the start of the first row and at the end of the last one, it
// asks for another prompt.
func (m *Mode) moveRows(c command, b *buffer.Buffer) Outcome {
	before := b.Cursor()
	if m.moveVertically(c, b) {
		return Handled
	}
	edge, outcome := 0, HistoryPrevious
	if c.name == "j" {
		edge, outcome = onCharacter(b, b.Len()), HistoryNext
	}
	if c.count > 0 {
		return Handled
	}
	if b.MoveTo(edge); b.Cursor() != before {
		return Handled
	}
	m.column = column{}
	return outcome
}

// moveVertically moves the cursor by rows of the screen. It returns false if there is no row.
func (m *Mode) moveVertically(c command, b *buffer.Buffer) bool {
	before := b.Cursor()
	if !m.column.isOn || m.column.at != before {
		m.column = column{isOn: true, from: before}
	}
	rows := m.column.rows + c.times()
	if c.name == "k" {
		rows = m.column.rows - c.times()
	}
	b.MoveTo(m.column.from)
	moved := 0
	for moved < rows && stepDown(b) {
		moved++
	}
	for moved > rows && stepUp(b) {
		moved--
	}
	if moved == m.column.rows {
		b.MoveTo(before)
		return false
	}
	at := b.Cursor()
	if m.column.isEnd {
		at = b.LineEnd(at)
	}
	if m.kind == normal {
		at = onCharacter(b, at)
	}
	m.column.rows, m.column.at = moved, at
	b.MoveTo(at)
	return true
}

// stepDown moves the cursor one row down. It returns false if the cursor is in the last row: [buffer.Buffer.Down] moves
// to the end of the text there. The next step keeps the column.
func stepDown(b *buffer.Buffer) bool {
	from := b.Cursor()
	if !b.Down() {
		return false
	}
	if b.Cursor() < b.Len() {
		return true
	}
	b.Up() // to the row above, but from the end of a single row to its start
	isSingle := from == 0 && b.LineStart(b.Len()) < b.Len()
	if b.Cursor() == from && !isSingle {
		b.Down()
		return true
	}
	b.MoveTo(from)
	return false
}

// stepUp moves the cursor one row up. It returns false if the cursor is in the first row.
func stepUp(b *buffer.Buffer) bool {
	from := b.Cursor()
	if !b.Up() {
		return false
	}
	if b.Cursor() > 0 {
		return true
	}
	b.Down()                                           // to the row below, but from the start of the first row to another column than before
	isEnd := from == b.Len() && b.LineStart(from) == 0 // of a single row
	if b.Cursor() == from && !isEnd {
		b.Up()
		return true
	}
	b.MoveTo(from)
	return false
}
