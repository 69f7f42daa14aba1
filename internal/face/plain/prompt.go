package plain

import (
	"context"
	"strings"
	"time"

	"pollux/internal/slash"
	"pollux/internal/terminal"
)

// composer puts lines together that are one prompt: those behind a backslash, and
// those that come together, because they were pasted.
type composer struct {
	lines []string
	bytes int
	more  bool // the last line ended with a backslash
	last  time.Time
	timer *time.Timer
}

func (c *composer) empty() bool { return len(c.lines) == 0 }

// gathers reports whether a line that comes at this time is pasted with those before.
func (c *composer) gathers(at time.Time) bool { return !c.empty() && at.Sub(c.last) < together }

// add takes a line.
func (c *composer) add(line string, at time.Time) {
	c.more, c.last = continues(line), at
	if c.more {
		line = line[:len(line)-1]
	}
	c.lines = append(c.lines, line)
	c.bytes += len(line)
	if c.more {
		c.timer.Stop()
		return
	}
	c.timer.Reset(together)
}

// continues reports whether a line ends in a backslash that is not itself behind one.
func continues(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

func (c *composer) take() string {
	text := strings.Join(c.lines, "\n")
	c.clear()
	return text
}

func (c *composer) clear() {
	c.timer.Stop()
	c.lines, c.bytes, c.more = nil, 0, false
}

// typed takes a line that was entered.
func (l *loop) typed(t typed) {
	if t.err != nil {
		if !l.compose.empty() {
			l.submit(l.compose.take())
		}
		l.endOfInput(t.err)
		return
	}
	if l.eof = (time.Time{}); !l.leaving {
		l.again = 0 // what is typed now is not meant to be the last
	}
	if t.cut {
		l.Warn("Warning: the line was longer than 4 MiB. What was behind that is lost.")
	}
	text := terminal.Clean(strings.ReplaceAll(t.text, "\r", "\n"))
	if edit := strings.HasSuffix(t.text, editKey); edit {
		text += editKey // it counts at the end, and is cleaned away elsewhere
	}
	if l.toDialog(text, t.at) {
		return
	}
	if l.dialog == nil {
		l.screen.entered(text, l.o.Terminal.InTTY)
	} else {
		l.screen.strayed(text, l.o.Terminal.InTTY)
	}
	if l.compose.bytes+len(text) > maxInbox {
		l.screen.line("Warning: this is too much for one prompt. The line was left out.")
		return
	}
	known := false
	if l.compose.empty() {
		known, _ = l.command(text)
	}
	l.compose.add(text, t.at)
	if known && !l.compose.more { // a command is on its own
		l.submit(l.compose.take())
	}
}

// editKey at the end of a line opens the editor: Ctrl+G, then Enter.
const editKey = "\a"

// marker is what stands before what is typed.
func (l *loop) marker() string {
	switch mode := l.mode(); {
	case l.compose.more:
		return "more> "
	case mode == "", mode == "default":
		return "> "
	default:
		return "[" + mode + "] > "
	}
}

// mode is the approval mode as flags and settings write it.
func (l *loop) mode() string {
	if l.o.Mode == nil {
		return ""
	}
	if mode := l.o.Mode(); mode != "autoEdit" {
		return mode
	}
	return "auto_edit"
}

// invite asks for a prompt where none is asked for.
func (l *loop) invite() {
	switch {
	case l.dialog != nil, l.screen.asking():
		// Not between the pieces of an answer, nor before what a command has to say.
		if l.sides == 0 && !l.voice.spoken && (l.dialog == nil || l.dialog.ctx.Err() == nil && (l.compose.empty() || l.compose.more)) {
			l.screen.again()
		}
	case len(l.waiting) > 0, l.ended, l.leaving:
	case l.job == nil && l.sides == 0 && l.compose.empty(), l.compose.more:
		l.screen.ask(l.marker())
	}
}

// command says what a line is.
func (l *loop) command(line string) (known, busy bool) {
	if l.o.Command == nil || !strings.HasPrefix(line, "/") || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "/*") {
		return false, false
	}
	return l.o.Command(line)
}

// submit takes what was typed, whole.
func (l *loop) submit(text string) {
	suspect := l.suspect
	l.suspect = ""
	known, busy := l.command(text)
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "" && suspect != "":
		l.send(suspect)
	case trimmed == "":
	case l.job != nil && l.job.opening: // what it is will be known when there are commands
		l.send(text)
	case known && (busy || l.job == nil):
		l.do(strings.TrimSpace(text), busy)
	case known:
		l.screen.line("Slash commands cannot be queued. Try again when the model is done.")
	case trimmed == "?":
		l.screen.line(help(l.dialog != nil))
	case strings.HasSuffix(text, editKey):
		l.write(strings.TrimSuffix(text, editKey))
	case l.mistyped(trimmed):
	case l.o.Shell != nil && strings.HasPrefix(text, "!") && !strings.Contains(trimmed, "\n"): // several lines were pasted
		l.shell(text[1:])
	default:
		l.send(text)
	}
}

// shell runs a command that the person has typed.
func (l *loop) shell(command string) {
	switch {
	case l.job != nil:
		l.screen.line("Shell commands cannot be queued. Try again when the model is done.")
	case isBlank(command):
		l.screen.line("Type a command behind the exclamation mark.")
	default:
		l.voice.end()
		l.start("", func(ctx context.Context, emit func(item) bool) {
			text, err := l.o.Shell(ctx, command)
			if err != nil {
				emit(item{result: &slash.Result{Text: err.Error(), Failed: true}})
				return
			}
			emit(item{result: &slash.Result{Text: text}})
		})
	}
}

// mistyped asks about what is likely to be a command and is none.
func (l *loop) mistyped(line string) bool {
	if l.o.Meant == nil || l.job != nil || !strings.HasPrefix(line, "/") || strings.ContainsAny(line[1:], "/ \t\n") {
		return false
	}
	meant := l.o.Meant(line)
	if meant == "" {
		return false
	}
	l.suspect = line
	l.screen.line("Unknown command. Did you mean " + terminal.Line(meant) + "? Press Enter again to send it as text.")
	return true
}

// send puts a prompt to the model, or into the queue.
func (l *loop) send(text string) {
	if l.job == nil {
		l.prompt(text)
		return
	}
	size := len(text)
	for _, q := range l.queue {
		size += len(q)
	}
	if size > maxInbox {
		l.screen.line("The queue is full. This was not taken: " + brief(text))
		return
	}
	l.queue = append(l.queue, text)
	l.screen.line("Queued: " + brief(text))
}

// begin puts a prompt to the model that was not typed at the prompt.
func (l *loop) begin(text string) {
	l.screen.line("User: " + excerpt(text, 5))
	l.prompt(text)
}

// next goes on with what was queued, now that the job is over.
func (l *loop) next(cancelled bool) {
	if len(l.queue) == 0 {
		return
	}
	text := strings.Join(l.queue, "\n\n")
	l.queue = nil
	if !cancelled && !l.leaving {
		l.begin(text)
		return
	}
	l.screen.line("Not sent: " + excerpt(text, 5))
	l.keep(text)
}

// keep makes a text the draft that Ctrl+G opens.
func (l *loop) keep(text string) {
	if l.draft != "" && text != "" {
		text = l.draft + "\n\n" + text
	}
	l.draft = text
}

// brief is a text in one line of bearable length.
func brief(text string) string {
	const most = 200
	line := []rune(terminal.Line(text[:min(len(text), 8*most)]))
	if len(line) > most {
		return string(line[:most]) + "..."
	}
	return string(line)
}

// excerpt is the first n lines of a text.
func excerpt(text string, n int) string {
	kept, hidden := head(text, n, 0)
	return strings.Join(append(kept, more(hidden)...), "\n")
}
