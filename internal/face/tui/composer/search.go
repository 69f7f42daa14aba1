package composer

import (
	"pollux/internal/face/tui/history"
	"pollux/internal/face/tui/keys"
)

// maxQuery is the length in bytes up to which the text of the input becomes the query of a search.
const maxQuery = 100

// startSearch begins a search in the history, for the text of the input if it is short.
func (c *Composer) startSearch() {
	query := ""
	if c.field.Len() <= maxQuery && c.field.LineCount() == 1 {
		query = c.field.Shown()
	}
	c.search = c.inputs().Search(query)
	if !c.isShell {
		c.search.WidenKey = c.WidenKey
	}
	c.suggested.close()
}

// find takes an event during a search.
func (c *Composer) find(e keys.Event, meaning keys.EnterMeaning, b *keys.Bindings) Outcome {
	action := c.search.Handle(e, meaning, b)
	switch action {
	case history.Ignored:
		return Ignored{}
	case history.Changed:
		return Changed{}
	case history.Widening:
		return HistoryWanted{c.search}
	}
	found := c.search
	c.search = nil
	if action == history.Canceled {
		return Changed{}
	}
	found.Write(&c.field.Buffer)
	if action == history.Submitted {
		return c.send()
	}
	return Changed{}
}
