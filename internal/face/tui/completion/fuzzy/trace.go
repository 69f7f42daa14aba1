package fuzzy

// trace records for each byte of a query and position in a text where the byte before is.
type trace struct {
	width  int     // length of the text
	before []int32 // by byte of the query and position
	best   []int32 // by byte of the query: the position of the best way so far
}

// add records a byte of the query at a position. isRun means that the byte before is at the position before, and isBest
// that this is the best way so far to match this prefix of the query.
func (t *trace) add(i, j int, isRun, isBest bool) {
	switch {
	case isRun:
		t.before[i*t.width+j] = int32(j) - 1
	case i > 0:
		t.before[i*t.width+j] = t.best[i-1]
	}
	if isBest {
		t.best[i] = int32(j)
	}
}

// Positions returns the positions of the bytes of a text that match the query, in order; nil if there are none.
func (q *Query) Positions(t *Text) (positions []int) {
	m, ok := q.Match(t)
	if !ok || q.text == "" {
		return nil
	}
	positions = make([]int, len(q.text))
	at := m.End - 1
	if len(q.text) > maxBytes {
		for i := range positions {
			positions[i] = int(m.End) - len(q.text) + i
		}
		return positions
	}
	tr := &trace{len(t.folded), make([]int32, len(q.text)*len(t.folded)), make([]int32, len(q.text))}
	q.align(t, tr)
	for i := len(q.text) - 1; i >= 0; i-- {
		positions[i] = int(at)
		at = tr.before[i*tr.width+int(at)]
	}
	return positions
}
