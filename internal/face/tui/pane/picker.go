package pane

import (
	"cmp"
	"slices"
	"strings"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/completion/fuzzy"
	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// Row is a row of a [Picker]. Its texts may be foreign.
type Row struct {
	Label  string
	Detail string // shown behind the label
	Also   string // more text to find the row by, which is not shown
	WhyNot string // the reason for which the row cannot be chosen, shown in place of the detail; "" if it can
}

// Picker is a list of rows that the user searches by typing, and an area about the selected row. Words of the search may
// be anywhere in a row, with other characters between theirs.
type Picker struct {
	Title string
	// About returns the lines about a row, at most height of them. If it is nil, there are none.
	About func(row, width, height int, t theme.Theme) []styled.Line
	// Nothing is the text in place of the list if no row matches, "" for a usual one.
	Nothing string
	// Field is shown in place of the search, with the cursor, if it is not nil. Its owner gives it the keys.
	Field *field.Field
	// FieldLabel is shown before Field. The text is clean.
	FieldLabel string

	rows   []Row
	texts  []fuzzy.Text // to search, of each row
	search field.Field
	last   int          // the row that was selected last
	found  []int        // the rows that match the search, the best one first
	list   *choice.List // of the found rows
	width  int          // of the terminal that the list is made for
}

// NewPicker returns a picker with the first row selected that can be chosen.
func NewPicker(title string, rows []Row) *Picker {
	p := &Picker{Title: title}
	p.search.Placeholder = "Type to search"
	p.SetRows(rows)
	return p
}

// SetRows replaces the rows. A row with the same label as the selected one stays selected.
func (p *Picker) SetRows(rows []Row) {
	label := ""
	if i := p.Selected(); i >= 0 {
		label = p.rows[i].Label
	}
	p.list, p.last = nil, 0
	p.rows, p.texts = slices.Clone(rows), make([]fuzzy.Text, len(rows))
	for i := range p.rows {
		r := &p.rows[i]
		r.Label, r.Detail, r.WhyNot = styled.Text(r.Label), styled.Text(r.Detail), styled.Text(r.WhyNot)
		p.texts[i] = fuzzy.NewText(strings.TrimSpace(r.Label + " " + r.Also))
	}
	p.filter()
	if label != "" {
		p.Select(slices.IndexFunc(p.rows, func(r Row) bool { return r.Label == label }))
	}
}

// Selected returns the index of the selected row, -1 if no row matches the search.
func (p *Picker) Selected() int {
	if p.list == nil || p.list.Selected() < 0 {
		return -1
	}
	return p.found[p.list.Selected()]
}

// Select selects a row if it matches the search and can be chosen.
func (p *Picker) Select(row int) {
	if row >= 0 && row < len(p.rows) && p.rows[row].WhyNot == "" {
		p.list.Select(slices.Index(p.found, row))
	}
}

// Search returns the text to search for, without spaces around it.
func (p *Picker) Search() string { return strings.TrimSpace(p.search.Value()) }

// Handle takes a key or a paste. The key that cancels ends a search first.
func (p *Picker) Handle(e keys.Event, b *keys.Bindings) choice.Action {
	if k, ok := e.(keys.Key); ok && k.Text == "" && !p.isOfSearch(k, b) {
		switch a := p.list.Handle(k, b); {
		case a == choice.Canceled && p.search.Len() > 0:
			p.search.Clear()
			p.filter()
			return choice.Changed
		case a != choice.Ignored:
			return a
		}
	}
	before := p.Search()
	if !p.search.Handle(e, b) {
		return choice.Ignored
	}
	if p.Search() != before {
		p.filter()
	}
	return choice.Changed
}

// isOfSearch reports whether a key of both the list and the field goes to the field, because there is a text in it.
func (p *Picker) isOfSearch(k keys.Key, b *keys.Bindings) bool {
	_, ok := b.Match(k.Chord, keys.CursorHome, keys.CursorEnd)
	return ok && p.search.Len() > 0
}

// maxWords is the number of words that are searched each by itself. A longer text must be in a row as it is.
const maxWords = 16

// filter finds the rows that match the search, and selects the best one. Without a search it is the one that was selected last.
func (p *Picker) filter() {
	if i := p.Selected(); i >= 0 {
		p.last = i
	}
	words := strings.Fields(p.search.Value())
	if len(words) > maxWords {
		words = []string{p.Search()}
	}
	queries := make([]*fuzzy.Query, len(words))
	for i, w := range words {
		queries[i] = fuzzy.New(w)
	}
	ranks := make([]uint64, len(p.rows))
	p.found = p.found[:0]
	for i := range p.rows {
		rank, ok := rankOf(queries, &p.texts[i])
		if ranks[i] = rank; ok {
			p.found = append(p.found, i)
		}
	}
	if len(words) > 0 {
		slices.SortStableFunc(p.found, func(a, b int) int { return cmp.Compare(ranks[b], ranks[a]) })
	}
	p.arrange(p.width)
	if len(words) == 0 {
		p.Select(p.last)
	}
}

// rankOf returns how well a text matches all of the queries.
func rankOf(queries []*fuzzy.Query, t *fuzzy.Text) (rank uint64, ok bool) {
	for _, q := range queries {
		m, ok := q.Match(t)
		if !ok {
			return 0, false
		}
		rank += m.Rank(t) / uint64(len(queries))
	}
	return rank, true
}
