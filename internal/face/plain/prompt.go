package plain

import (
	"fmt"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// composer joins the lines of one prompt: lines continued by a backslash, and lines that
// arrive together. Text pasted into a terminal waits for the line that ends with Enter.
type composer struct {
	lines       []string
	bytes       int
	isContinued bool // the last line ends in a backslash
	last        time.Time
	timer       *time.Timer

	paste       string  // pasted text that waits for Enter, as it was read
	pastedLines int     // number of lines of paste, 0 if there is none
	dialog      *dialog // the question that paste answers, nil if it is a prompt
}

func (c *composer) isEmpty() bool { return len(c.lines) == 0 && c.pastedLines == 0 }

// isOpen reports whether the prompt waits for another line.
func (c *composer) isOpen() bool { return c.isContinued || c.pastedLines > 0 }

// isPasted reports whether a line that arrives at this time belongs to the same paste as the line before it.
func (c *composer) isPasted(at time.Time) bool { return !c.isEmpty() && at.Sub(c.last) < batchWindow }

// add appends a line. The timer fires when the prompt is complete.
func (c *composer) add(line string, at time.Time) {
	c.isContinued, c.last = endsInBackslash(line), at
	if c.isContinued {
		line = line[:len(line)-1]
	}
	c.lines = append(c.lines, line)
	c.bytes += len(line)
	if c.isContinued {
		c.timer.Stop()
		return
	}
	c.timer.Reset(max(0, batchWindow-time.Since(at)))
}

// endsInBackslash reports whether a line ends in an odd number of backslashes.
func endsInBackslash(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

func (c *composer) take() string {
	text := strings.Join(c.lines, "\n")
	c.clear()
	return text
}

func (c *composer) clear() {
	c.timer.Stop()
	*c = composer{timer: c.timer}
}

func (l *loop) handleLine(t inputLine) {
	if t.err != nil {
		switch {
		case l.composer.pastedLines > 0:
			l.dropPaste()
		case !l.composer.isEmpty():
			l.submit(l.composer.take())
		}
		l.endOfInput(t.err)
		return
	}
	l.lastEOF = time.Time{}
	l.driver.Typing()
	if t.isTruncated {
		l.Warn("Warning: the text was longer than 4 MiB. What was behind that is lost.")
	}
	switch {
	case t.isCut:
		l.refuseCut()
		return
	case t.pasted > 0:
		l.holdPaste(t)
		return
	}
	text := terminal.Clean(strings.ReplaceAll(t.text, "\r", "\n"))
	if edit := strings.HasSuffix(t.text, editKey); edit {
		text += editKey // terminal.Clean removes it
	}
	held := l.composer.pastedLines > 0
	if !(held && l.dialog == l.composer.dialog) && l.sendToDialog(text, t.at) {
		return
	}
	l.endInput(text)
	if l.composer.bytes+len(text) > maxInbox {
		l.screen.line("Warning: this is too much for one prompt. The line was left out.")
		return
	}
	if held {
		l.finishPaste(t.text)
		return
	}
	known := false
	if l.composer.isEmpty() {
		_, known = l.driver.Lookup(text)
	}
	l.composer.add(text, t.at)
	if known && !l.composer.isContinued { // a command is a single line
		l.submit(l.composer.take())
	}
}

// refuseCut refuses a line or a paste of which the terminal has cut a part.
func (l *loop) refuseCut() {
	l.composer.clear()
	l.endInput("")
	l.screen.line(fmt.Sprintf("Not sent: the terminal cuts lines at %d bytes. Save the text in a file and type @ and its name, or type Ctrl+G and Enter to paste it into your editor.", l.terminal.LineLimit()))
}

// endInput records that the user has ended the line of the prompt with input that is no answer.
func (l *loop) endInput(echo string) {
	if l.dialog == nil {
		l.screen.endPrompt(echo)
	} else {
		l.screen.suspendPrompt(echo)
	}
}

// holdPaste keeps pasted text until the next line completes it. Pasted text is never a command,
// nor the answer to a question that takes one line.
func (l *loop) holdPaste(t inputLine) {
	c := &l.composer
	d := l.dialog
	isEarly := d != nil && t.at.Before(d.opened)
	if !strings.HasSuffix(t.text, "\n") {
		l.screen.showsTyped() // the beginning of a line
	}
	l.endInput("")
	switch {
	case d != nil && d.isKind(secretAnswer):
		l.screen.line("Ignored the pasted text: it has several lines. Paste one line and press Enter.")
		return
	case d != nil && !isEarly && d.isKind(menuAnswer):
		l.screen.line("Ignored the pasted text: the answer is one line. Ctrl+G and Enter opens the text in your editor after the question.")
		l.keepDraft(terminal.Clean(strings.TrimRight(t.text, "\n")))
		return
	case c.bytes+len(c.paste)+len(t.text) > maxInbox:
		l.screen.line("Warning: this is too much for one prompt. The pasted text was left out.")
		return
	case d != nil && !isEarly && c.pastedLines == 0:
		c.dialog = d
	}
	c.timer.Stop()
	c.isContinued = false
	if c.pastedLines > 0 && !strings.HasSuffix(c.paste, "\n") {
		t.pasted-- // it continues the last line
	}
	c.paste += t.text
	c.pastedLines += t.pasted
	l.showPasted()
}

// showPasted says that pasted text waits for Enter.
func (l *loop) showPasted() {
	l.screen.line(wording.Count(l.composer.pastedLines, "line") + " pasted. Press Enter to send them, or type /cancel.")
}

// finishPaste sends pasted text with the line that the user typed after it.
func (l *loop) finishPaste(typed string) {
	c := &l.composer
	if isCancel(typed) {
		l.dropPaste()
		return
	}
	d := c.dialog
	pasted := strings.ReplaceAll(c.paste, "\r", "\n")
	c.paste, c.pastedLines, c.dialog = "", 0, nil
	c.lines = append(c.lines, terminal.Clean(strings.TrimRight(pasted+typed, "\n")))
	text := c.take()
	switch {
	case isBlank(text):
	case d != nil && d == l.dialog:
		l.screen.dropPrompt()
		d.take(text)
	case strings.HasSuffix(typed, editKey):
		l.composeInEditor(text)
	default:
		l.driver.Send(agent.TextPrompt(text)) // never a command
	}
}

// dropPaste keeps pasted text that is not sent as the draft.
func (l *loop) dropPaste() {
	l.screen.line("Not sent. Ctrl+G and Enter opens the pasted text in your editor.")
	l.composer.lines = append(l.composer.lines, terminal.Clean(strings.TrimRight(l.composer.paste, "\n")))
	l.keepDraft(l.composer.take())
}

// editKey at the end of a line opens the editor. The user types Ctrl+G, then Enter.
const editKey = "\a"

// promptText returns the prompt with the approval mode.
func (l *loop) promptText() string {
	if l.composer.isOpen() {
		return "more> "
	}
	if l.look.Session == nil { // it is not open yet, or this is a task
		return "> "
	}
	if mode := l.look.ModeName(); mode != "default" {
		return "[" + mode + "] > "
	}
	return "> "
}

// showPrompt shows the input prompt if the face waits for input and no prompt is visible.
func (l *loop) showPrompt() {
	s := &l.state
	switch {
	case s.HasMore: // something to show comes first
	case l.dialog != nil, l.screen.hasPrompt():
		// Not within an answer, nor before the result of a command.
		if !s.IsBeside && !l.renderer.inAnswer && (l.dialog == nil || l.dialog.ctx.Err() == nil && !s.IsLeaving && (l.composer.isEmpty() || l.composer.isOpen())) {
			l.screen.restorePrompt()
		}
	case s.IsAsking, l.inputEnded, s.IsLeaving:
	case !s.IsBusy && !s.IsBeside && l.composer.isEmpty(), l.composer.isOpen():
		l.screen.showPrompt(l.promptText())
	}
}

func (l *loop) submit(text string) {
	call, known := l.driver.Lookup(text)
	switch s := l.driver.State(); {
	case strings.TrimSpace(text) == "?" && l.dialog != nil: // the question opened in this moment
		l.dialog.take("?")
		return
	case strings.HasSuffix(text, editKey):
		l.composeInEditor(strings.TrimSuffix(text, editKey))
		return
	case known && !s.IsOpening && (call.Command.RunsWhileBusy || !s.IsBusy):
		l.renderer.endAnswer()
	}
	isShell := strings.HasPrefix(text, "!") && !strings.Contains(text, "\n")
	if l.isRunning && !known && !isShell && l.look.steers != nil && l.look.steers() {
		l.driver.Hint(text)
		return
	}
	l.driver.Submit(text)
}

// keepDraft adds a text to the draft that Ctrl+G opens.
func (l *loop) keepDraft(text string) {
	if l.draft != "" && text != "" {
		text = l.draft + "\n\n" + text
	}
	l.draft = text
}
