package inventory

import (
	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// sheet is a list over the first one: the menu of an item, or items that an action lists.
type sheet struct {
	picker *pane.Picker
	isMenu bool
	item   Item   // of a menu
	items  []Item // of a page
	below  *sheet // the sheet to return to, nil for the list
}

// newMenu returns the menu with the actions on an item.
func newMenu(item *Item) *sheet {
	s := &sheet{isMenu: true, picker: pane.NewPicker(item.Name, nil)}
	s.picker.About = func(_, width, height int, t theme.Theme) []styled.Line { return describe(&s.item, width, height, t) }
	s.setItem(item)
	return s
}

// setItem replaces the item of a menu by its new state.
func (s *sheet) setItem(item *Item) {
	s.item = *item
	rows := make([]pane.Row, len(item.Actions))
	for i, a := range item.Actions {
		rows[i] = pane.Row{Label: a.Label, WhyNot: a.WhyNot}
	}
	s.picker.SetRows(rows)
}

// newPage returns a page of items.
func newPage(title string, items []Item, below *sheet) *sheet {
	s := &sheet{picker: pane.NewPicker(title, rowsOf(items)), items: items, below: below}
	s.picker.About = aboutOf(func() []Item { return s.items })
	return s
}

// handleSheet gives a key to the sheet.
func (p *Pane) handleSheet(e keys.Event, b *keys.Bindings) pane.Outcome {
	s := p.open
	switch s.picker.Handle(e, b) {
	case choice.Changed:
		return pane.Changed{}
	case choice.Chosen:
		if s.isMenu {
			return p.run(&s.item.Actions[s.picker.Selected()])
		}
		return pane.Changed{}
	case choice.Canceled:
		p.open = s.below
		p.problem = ""
		return pane.Changed{}
	}
	return pane.Ignored{}
}

func rowsOf(items []Item) []pane.Row {
	rows := make([]pane.Row, len(items))
	for i := range items {
		rows[i] = pane.Row{Label: items[i].Name, Detail: items[i].State, Also: items[i].Also}
	}
	return rows
}

// aboutOf returns the function that describes the selected one of some items.
func aboutOf(items func() []Item) func(row, width, height int, t theme.Theme) []styled.Line {
	return func(row, width, height int, t theme.Theme) []styled.Line {
		if all := items(); row >= 0 && row < len(all) {
			return describe(&all[row], width, height, t)
		}
		return nil
	}
}

// describe returns the paragraphs about an item, in at most height lines.
func describe(item *Item, width, height int, t theme.Theme) (lines []styled.Line) {
	const most = 2000 // bytes of a paragraph
	for _, text := range item.About {
		if len(text) > most {
			text = text[:most] + "…"
		}
		lines = append(lines, styled.Of(styled.Text(text), t.Secondary()).Wrap(max(width, 1), styled.Plain("  "))...)
		if len(lines) > height {
			return append(lines[:max(height-1, 0)], styled.Of("...", t.Secondary()))
		}
	}
	return lines
}
