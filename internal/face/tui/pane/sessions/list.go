package sessions

import (
	"slices"
	"strings"

	"pollux/internal/sessions"
	"pollux/internal/sessions/textindex"
)

// entry is a session of the project.
type entry struct {
	sessions.Info
	number int    // for commands
	folded string // the title, for comparisons
}

func newEntries(infos []sessions.Info) []entry {
	entries := make([]entry, len(infos))
	for i, info := range infos {
		entries[i] = entry{info, i + 1, string(textindex.Fold(nil, []byte(info.Title)))}
	}
	return entries
}

// list is the sessions, and the rows of those that are shown. Its entries do not change: jobs in the background read them.
type list struct {
	entries  []entry // by number
	rows     []int   // indexes of entries
	selected int     // a row
	top      int     // the first row on the screen
	shown    int     // rows on the screen
}

func (l *list) move(by int) { l.selected = max(0, min(l.selected+by, len(l.rows)-1)) }

// at returns the entry of a row.
func (l *list) at(row int) *entry { return &l.entries[l.rows[row]] }

// current returns the selected entry, nil in an empty list.
func (l *list) current() *entry {
	if len(l.rows) == 0 {
		return nil
	}
	return l.at(l.selected)
}

// infos returns the sessions.
func (l *list) infos() []sessions.Info {
	infos := make([]sessions.Info, len(l.entries))
	for i := range l.entries {
		infos[i] = l.entries[i].Info
	}
	return infos
}

// setRows shows other rows. The entry with this ID stays selected.
func (l *list) setRows(rows []int, selectedID string) {
	l.rows = rows
	if at := slices.IndexFunc(rows, func(i int) bool { return l.entries[i].ID == selectedID }); at >= 0 {
		l.selected = at
	}
	l.move(0)
}

// scroll moves the part of the list that is shown to the selected row, and returns its rows, at most height ones.
func (l *list) scroll(height int) (from, to int) {
	l.shown = height
	l.top = max(0, min(l.top, l.selected, len(l.rows)-height), l.selected-height+1)
	return l.top, min(l.top+height, len(l.rows))
}

// remove removes an entry. Those after it have other numbers then.
func (l *list) remove(id string) {
	infos := slices.DeleteFunc(l.infos(), func(i sessions.Info) bool { return i.ID == id })
	l.entries = newEntries(infos)
}

// arrange shows the sessions that the search finds, in order. The one with this ID stays selected.
func (p *Pane) arrange(selectedID string) {
	rows := make([]int, 0, len(p.list.entries))
	needle := string(textindex.Fold(nil, []byte(p.search.text())))
	for i := range p.list.entries {
		if needle == "" || p.search.excerpts[p.list.entries[i].ID] != nil || strings.Contains(p.list.entries[i].folded, needle) {
			rows = append(rows, i)
		}
	}
	p.order.sort(p.list.entries, rows)
	p.list.setRows(rows, selectedID)
	p.showPreview()
}

// arrangeBy shows the sessions in another order.
func (p *Pane) arrangeBy(o order) {
	p.order = o
	p.arrange(p.selectedID())
}

// selectedID returns the ID of the selected session, "" for none.
func (p *Pane) selectedID() string {
	if e := p.list.current(); e != nil {
		return e.ID
	}
	return ""
}
