package composer

import (
	"strings"

	"pollux/internal/face/tui/buffer"
)

// enter sends the text, or breaks the line behind a backslash.
func (c *Composer) enter() Outcome {
	if c.endsInBackslash() && c.inserts() {
		return c.breakLine(!c.isShell) // a shell joins the lines
	}
	if c.isBlank() {
		return Confirmed{}
	}
	return c.send()
}

// breakLine inserts a line break, in place of a backslash before the cursor if removesBackslash.
func (c *Composer) breakLine(removesBackslash bool) Outcome {
	c.field.Group(func() {
		if removesBackslash && c.endsInBackslash() {
			c.field.DeleteLeft()
		}
		c.field.Insert("\n")
	})
	return Changed{}
}

// endsInBackslash reports whether a backslash is before the cursor.
func (c *Composer) endsInBackslash() bool {
	at := c.field.Cursor()
	return at > 0 && c.field.Text(buffer.Range{Start: c.field.Prev(at), End: at}) == `\`
}

// isBlank reports whether the input has no text but white space.
func (c *Composer) isBlank() bool {
	const most = 1 << 10 // no one sends so many spaces, and a large text needs no copy
	return c.field.Len() <= most && strings.TrimSpace(c.field.Value()) == ""
}

// tab queues the text while the model works. In shell mode it asks for suggestions.
func (c *Composer) tab() Outcome {
	switch {
	case c.isShell && !c.isBlank():
		c.suggested.ask()
		return Changed{}
	case c.IsBusy && !c.isShell && !c.isBlank():
		return Queued(c.send())
	}
	return Ignored{}
}

// steer sends the text to the work in progress.
func (c *Composer) steer() Outcome {
	if c.isShell || c.isBlank() {
		return Ignored{}
	}
	return Steered(c.send())
}

// send empties the input and returns its text, which the history gets.
func (c *Composer) send() Submitted {
	s := Submitted{Text: c.field.Value(), Escaped: c.field.Escaped(), IsShell: c.isShell, Draft: c.Draft()}
	c.inputs().Add(s.Text, c.field.Snapshot())
	c.inputs().Reset()
	c.field.Clear()
	c.nextHeld()
	return s
}
