package composer

import (
	"pollux/internal/face/tui/buffer"
	"pollux/internal/face/tui/keys"
)

// Handle takes a key or a paste. Give it all of them that no other part has used; see also [Composer.Observe].
func (c *Composer) Handle(e keys.Event, b *keys.Bindings) Outcome {
	meaning := c.Guard.Check(e)
	if meaning == keys.SecondEnd {
		return Changed{}
	}
	k, isKey := e.(keys.Key)
	p, isPaste := e.(keys.Paste)
	if !isKey && (!isPaste || p.IsClipboard) {
		return Ignored{}
	}
	c.returned.isLast = false
	hadHelp := c.HasHelp()
	c.showsHelp = false
	defer func() {
		c.settle()
		c.refresh()
	}()
	switch {
	case c.search != nil:
		return c.find(e, meaning, b)
	case isPaste:
		return c.Paste(p.Text)
	case hadHelp && isClosing(k, b):
		return Changed{}
	}
	return c.press(k, meaning, hadHelp, b)
}

// Observe notes an event that another part has used: an Enter key that follows within milliseconds is the end of a
// pasted line.
func (c *Composer) Observe(e keys.Event) { c.Guard.Check(e) }

// isClosing reports whether a key only closes the panel.
func isClosing(k keys.Key, b *keys.Bindings) bool {
	_, ok := b.Match(k.Chord, keys.BasicCancel, keys.EditDeleteLeft)
	return ok
}

// press takes a key for the text.
func (c *Composer) press(k keys.Key, meaning keys.EnterMeaning, hadHelp bool, b *keys.Bindings) Outcome {
	switch m := c.matcher.Press(b, k.Chord, keys.InputOpenExternalEditor, keys.InputDeprecatedOpenExternalEditor); {
	case m.Outcome == keys.Bound:
		return c.editorWanted()
	case m.Outcome != keys.Unbound:
		return Changed{}
	case m.Before != "": // the key belongs to the text already
		o := c.act(k, meaning, hadHelp, b)
		if _, ok := o.(Changed); ok {
			return c.editorWanted()
		}
		return o
	}
	return c.act(k, meaning, hadHelp, b)
}

// IsWaiting reports whether the composer waits [keys.SequenceWait] for the next key of a sequence, and then for
// [Composer.Expire].
func (c *Composer) IsWaiting() bool {
	_, hasCommand := c.matcher.Pending()
	return hasCommand
}

// Expire ends the wait for the next key of a sequence.
func (c *Composer) Expire() Outcome {
	if _, ok := c.matcher.Expire(); ok {
		return c.editorWanted()
	}
	return Ignored{}
}

func (c *Composer) editorWanted() Outcome { return EditorWanted{c.field.Escaped()} }

// act takes a key that is no part of a sequence.
func (c *Composer) act(k keys.Key, meaning keys.EnterMeaning, hadHelp bool, b *keys.Bindings) Outcome {
	if meaning != keys.Literal && !c.inserts() {
		return Changed{} // a line end of text that the terminal pastes is no command
	}
	if meaning != keys.Literal {
		return c.breakLine(meaning == keys.ShiftedEnter)
	}
	if o := c.suggest(k, b); o != nil {
		return o
	}
	if o := c.pressVim(k); o != nil {
		return o
	}
	if o := c.toggle(k, hadHelp); o != nil {
		return o
	}
	command, _ := b.Match(k.Chord, keys.BasicQuit, keys.BasicExit, keys.EditClear, keys.BasicCancel, keys.InputSubmit,
		keys.InputQueueMessage, keys.InputSteer, keys.InputEditQueued, keys.HistorySearchStart, keys.HistoryPrevious, keys.HistoryNext, keys.AppExpandPaste,
		keys.CursorUp, keys.CursorDown)
	if command == keys.BasicExit && c.IsEmpty() {
		return Ignored{}
	}
	if o, ok := c.run(command); ok {
		return o
	}
	return c.edit(k, b)
}

// toggle takes a key that switches a mode of an empty input, else it returns nil. A key that is held down switches
// once.
func (c *Composer) toggle(k keys.Key, hadHelp bool) Outcome {
	isHelp := k.Text == "?" && c.Help != nil && !c.isShell && !c.IsBusy && !hadHelp
	if !c.IsEmpty() || k.Text != "!" && !isHelp {
		return nil
	}
	switch {
	case k.IsRepeat:
	case isHelp:
		c.showsHelp = true
	default:
		c.setShell(!c.isShell)
	}
	return Changed{}
}

// setShell enters or leaves the mode for shell commands.
func (c *Composer) setShell(isShell bool) {
	c.isShell = isShell
	if !isShell {
		c.TakeHeld()
	}
}

// run runs a command. It returns false for a command of the field.
func (c *Composer) run(command keys.Command) (o Outcome, ok bool) {
	switch command {
	case keys.BasicQuit:
		return Ignored{}, true
	case keys.EditClear:
		c.Clear()
	case keys.BasicCancel:
		return c.cancel(), true
	case keys.InputSubmit:
		return c.enter(), true
	case keys.InputSteer:
		return c.steer(), true
	case keys.InputEditQueued:
		if c.HasQueue && !c.isShell {
			return LastQueuedWanted{}, true
		}
		return Ignored{}, true
	case keys.InputQueueMessage:
		return c.tab(), true
	case keys.HistorySearchStart:
		c.startSearch()
	case keys.HistoryPrevious:
		c.recall(c.inputs().Older)
	case keys.HistoryNext:
		c.recall(c.inputs().Newer)
	case keys.AppExpandPaste:
		if !c.field.Expand() {
			return Ignored{}, true
		}
	case keys.CursorUp:
		return c.up(), true
	case keys.CursorDown:
		return c.down(), true
	default:
		return nil, false
	}
	return Changed{}, true
}

// edit gives a key to the text field.
func (c *Composer) edit(k keys.Key, b *keys.Bindings) Outcome {
	before := c.field.Len()
	if !c.Field().Handle(k, b) {
		return Ignored{}
	}
	if c.field.Len() != before {
		c.suggested.isQuiet = false
	}
	return Changed{}
}

// cancel closes the innermost part that is open.
func (c *Composer) cancel() Outcome {
	if !c.isShell {
		return Canceled{}
	}
	c.setShell(false)
	return Changed{}
}

// up moves the cursor one row up, or from the start of the text to the next older input.
func (c *Composer) up() Outcome {
	switch {
	case c.wantsQueue():
		return QueueWanted{}
	case !c.field.Up():
		c.recall(c.inputs().Older)
	}
	return Changed{}
}

// wantsQueue reports whether a key for the previous prompt takes the queued prompts back.
func (c *Composer) wantsQueue() bool { return c.IsEmpty() && c.HasQueue && !c.isShell }

// down moves the cursor one row down, or from the end of the text to the next newer input.
func (c *Composer) down() Outcome {
	if !c.field.Down() && !c.recall(c.inputs().Newer) {
		return Ignored{}
	}
	return Changed{}
}

// recall shows another input of the history, without suggestions for it. It returns false if there is none.
func (c *Composer) recall(move func(*buffer.Buffer) bool) bool {
	c.suggested.isQuiet = true
	return move(&c.field.Buffer)
}
