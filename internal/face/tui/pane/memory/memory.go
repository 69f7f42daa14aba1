// Package memory describes the context files of a session as items of an inventory.
package memory

import (
	"fmt"
	"strings"

	"pollux/internal/face/tui/pane/inventory"
	"pollux/internal/memory"
	"pollux/internal/wording"
)

// List returns context files. display returns a path as people read it.
func List(files []memory.File, display func(path string) string) (l inventory.Listing) {
	total := 0
	for i := range files {
		f := &files[i]
		total += f.Tokens()
		it := inventory.Item{
			Name: display(f.Path), State: fmt.Sprintf("%s tokens, %s", wording.Tokens(f.Tokens()), f.Tier),
			About: []string{fmt.Sprintf("In use %s, %s", f.Why, wording.Count(f.Size, "byte"))},
		}
		for _, path := range f.Imports {
			it.About = append(it.About, "Imports "+display(path))
		}
		for _, path := range f.Same {
			it.About = append(it.About, "Same content: "+display(path))
		}
		if f.Cut {
			it.About = append(it.About, "The text is cut, because it is too long.")
		}
		it.Actions = []inventory.Action{
			{Label: "Show the text", Lists: lines(f.Text)}, {Label: "Read all context files again", Command: "/memory reload"},
		}
		l.Items = append(l.Items, it)
	}
	if len(files) > 0 {
		l.Note = fmt.Sprintf("%s tokens in every request, estimated. To add a line, type /memory add TEXT.", wording.Tokens(total))
	}
	return l
}

// maxLines is the number of lines of a file that are shown.
const maxLines = 1000

// lines returns the lines of a text that are not empty, an item each.
func lines(text string) []inventory.Item {
	items := []inventory.Item{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		if len(items) == maxLines {
			return append(items, inventory.Item{Name: "..."})
		}
		items = append(items, inventory.Item{Name: fmt.Sprintf("%4d  %s", n, strings.TrimRight(line, "\r\n"))})
	}
	return items
}
