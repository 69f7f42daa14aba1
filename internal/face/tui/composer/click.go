package composer

// place is where the rows of the text were drawn last.
type place struct {
	rows, cursor int // number of rows, and the one of the cursor among them
	indent       int // columns before the text
}

// Click takes a click in the row that is so many rows below that of the cursor, in a column of the view: it moves the cursor there. A
// double click shows or hides the text of a placeholder. Clicks elsewhere, and those in a search, have no effect.
func (c *Composer) Click(below, column int, isDouble bool) {
	row := c.drawn.cursor + below
	if c.search != nil || row < 0 || row >= c.drawn.rows {
		return
	}
	if !isDouble {
		c.field.MoveTo(c.field.Locate(row, column-c.drawn.indent))
		c.settle()
		c.refresh()
		return
	}
	c.field.Expand()
}
