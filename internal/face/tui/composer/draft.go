package composer

import (
	"slices"
	"strings"

	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/keys"
)

// Draft is an input that was not sent.
type Draft struct {
	Text    string // with all pasted text
	IsShell bool   // the text is a shell command

	shown *buffer.Snapshot // with placeholders and the cursor; nil: the text
}

// Typed returns the draft as it is typed: a shell command behind "!".
func (d Draft) Typed() string {
	if d.IsShell {
		return "!" + d.Text
	}
	return d.Text
}

// Draft returns the input, for [Composer.SetDraft].
func (c *Composer) Draft() Draft {
	s := c.field.Snapshot()
	return Draft{Text: c.field.Value(), IsShell: c.isShell, shown: &s}
}

// SetDraft replaces the input by a draft. Undo brings the text back.
func (c *Composer) SetDraft(d Draft) {
	c.isShell = d.IsShell
	if d.shown == nil {
		c.SetText(d.Text)
		return
	}
	c.field.Restore(*d.shown)
	c.changed()
}

// Refuse gives an input back that was sent just now and was not taken. The inputs that came after it wait again.
func (c *Composer) Refuse(d Draft) {
	if !c.IsEmpty() {
		c.returned.held = append([]string{c.Value()}, c.returned.held...)
	}
	c.SetDraft(d)
}

// SetText replaces the text, with the cursor at its end. Undo brings the old text back.
func (c *Composer) SetText(text string) {
	c.field.SetText(text, len(text))
	c.field.ToEnd()
	c.changed()
}

// InsertText writes text at the cursor.
func (c *Composer) InsertText(text string) {
	c.field.Insert(text)
	c.changed()
}

// Insert writes the text of a key or a paste at the cursor, whatever is open. It ignores other events. It is for keys
// that the user has typed for the input, and that another part got.
func (c *Composer) Insert(e keys.Event) {
	c.Guard.Check(e)
	switch e := e.(type) {
	case keys.Key:
		c.field.Insert(e.Text)
	case keys.Paste:
		c.field.Paste(e.Text)
	}
	c.changed()
}

// Paste inserts pasted text at the cursor, or a placeholder if it is large.
func (c *Composer) Paste(text string) Outcome {
	c.suggested.isQuiet = false
	if c.Drop != nil && !c.isShell {
		if names, ok := c.Drop(text); ok {
			c.field.Insert(c.gap() + names)
			return Changed{}
		}
	}
	if c.field.Paste(text) {
		return Collapsed{}
	}
	return Changed{}
}

// InsertFile writes the mention of a file at the cursor, shown as a label.
func (c *Composer) InsertFile(label, mention string) {
	c.field.Group(func() {
		c.field.Insert(c.gap())
		c.field.InsertLabeled(label, mention)
		c.field.Insert(" ")
	})
	c.changed()
}

// gap returns the space before a mention, "" if there is one already: behind a letter, an @ mentions nothing.
func (c *Composer) gap() string {
	at := c.field.Cursor()
	if at == 0 || strings.TrimSpace(c.field.Text(buffer.Range{Start: c.field.Prev(at), End: at})) == "" {
		return ""
	}
	return " "
}

// Clear removes the text, and ends a search. Undo brings the text back.
func (c *Composer) Clear() {
	c.search = nil
	c.field.Clear()
	c.changed()
	c.nextHeld()
}

// Collapse replaces the text by the one that an editor returns for the text of [EditorWanted]. Pasted text that is
// unchanged is behind its placeholder again.
func (c *Composer) Collapse(text string) {
	c.field.Collapse(text)
	c.changed()
}

// changed closes the suggestions for the old text.
func (c *Composer) changed() {
	c.suggested.close()
	c.returned.isLast = false
}

// returned is the state of prompts that were not sent.
type returned struct {
	held   []string // inputs that wait until the text before them is sent or deleted
	end    int      // of the last one in the text
	isLast bool     // nothing has changed since
}

// Restore puts an input that was not sent before the draft, and behind those that were restored just before. Pasted
// text is behind its placeholder if the history has the prompt. A command stands alone: inputs before and behind it wait.
func (c *Composer) Restore(text string) {
	if c.IsLent || !c.IsEmpty() && (len(c.returned.held) > 0 || c.isShell || isCommand(text) || c.isCommand()) {
		c.Hold(text)
		return
	}
	c.isShell = false
	at := 0
	if c.returned.isLast {
		at = c.returned.end
	}
	cursor, before := c.field.Cursor(), c.field.Len()
	c.field.Group(func() {
		c.field.MoveTo(at)
		if at > 0 {
			c.field.Insert(separator)
		}
		here := buffer.Range{Start: c.field.Cursor(), End: c.field.Cursor()}
		c.field.Put(here, c.inputs().Clip(text))
		c.returned.end = c.field.Cursor()
		if at == 0 && before > 0 {
			c.field.Insert(separator)
		}
	})
	c.field.MoveTo(cursor + c.field.Len() - before)
	c.suggested.close()
	c.returned.isLast = true
}

// separator is the text between prompts.
const separator = "\n\n"

// Hold makes inputs wait until the draft is sent or deleted.
func (c *Composer) Hold(texts ...string) {
	isBlank := func(s string) bool { return strings.TrimSpace(s) == "" }
	c.returned.held = append(c.returned.held, slices.DeleteFunc(texts, isBlank)...)
}

// Held returns the inputs that wait until the draft is sent or deleted.
func (c *Composer) Held() []string { return c.returned.held }

// TakeHeld puts the inputs that wait into the input, up to the next command.
func (c *Composer) TakeHeld() {
	held := c.returned.held
	c.returned.held = nil
	for _, text := range held {
		c.Restore(text)
	}
}

// nextHeld ends the mode for shell commands if inputs wait, and takes them.
func (c *Composer) nextHeld() {
	if len(c.returned.held) > 0 {
		c.setShell(false)
	}
}
