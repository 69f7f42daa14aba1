package tui

import (
	"io"
	"strings"
	"time"

	"pollux/internal/face/tui/composer"
	"pollux/internal/face/tui/display"
	"pollux/internal/face/tui/drop"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/question"
	"pollux/internal/face/tui/toast"
	"pollux/tool"
)

// read takes bytes of the terminal.
func (l *loop) read(c display.Chunk) {
	if l.dialog != nil && l.drawn.dialog == l.dialog && !l.drawn.isShown {
		l.awaitFrame()
	}
	for _, e := range l.display.Decode(c) {
		l.take(e)
	}
	if c.Err != nil {
		l.fail("read from", c.Err)
	}
}

// readArrived takes the bytes that have arrived: they were typed before the next change of the screen, however late the loop comes to read them.
func (l *loop) readArrived() {
	for {
		select {
		case c := <-l.display.Chunks():
			l.read(c)
		default:
			return
		}
	}
}

// awaitFrame waits for the end of the frame in progress: the keys that have arrived may be an answer to the question in it.
func (l *loop) awaitFrame() {
	const most = 50 * time.Millisecond
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case r := <-l.display.Written():
		l.written(r)
	case <-late.C:
	}
}

// fail ends the session because the terminal has failed.
func (l *loop) fail(doing string, err error) {
	if l.failure == nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		l.failure = failed(doing, err)
		l.driver.Leave(l.failure)
	}
}

func (l *loop) take(e keys.Event) {
	l.logKey(e)
	switch e := e.(type) {
	case keys.Key:
		l.display.Press()
		l.press(e, e.At)
	case keys.Paste:
		if e.IsClipboard && !l.clipboard.takeText() {
			return // nothing was asked
		}
		e.IsClipboard = false
		l.display.Press()
		l.press(e, e.At)
	case keys.Mouse:
		l.point(e)
	default:
		l.learn(e)
	}
}

// learn takes a reply of the terminal, or a report about its window.
func (l *loop) learn(e keys.Event) {
	l.display.Learn(e)
	switch e := e.(type) {
	case keys.KittyFlags, keys.DeviceAttributes:
		l.composer.Guard.IsPasteMarked = l.display.Look.MarksPastes()
		l.reportsKeys.Store(l.display.Look.IsKitty)
	case keys.ClipboardData:
		l.takeClipboard(e)
	case keys.Focus:
		l.notices.SetFocus(e.IsFocused)
		l.composer.IsAway = !e.IsFocused
	}
}

// press gives a key or a paste to the application, to the open question or to the composer.
func (l *loop) press(e keys.Event, now time.Time) {
	if l.display.IsLent() {
		return
	}
	if l.viewing != nil {
		l.pressViewer(e, now)
		return
	}
	if l.isFrozen() {
		l.pressFrozen(e)
		if l.dialog != nil {
			l.dialog.Distract(e)
		}
		return
	}
	if l.pressShell(e, now) {
		return
	}
	l.endSeries(e)
	if k, ok := e.(keys.Key); ok && (l.control(k) || l.scrolls(k)) {
		return
	}
	l.noticeReturn(now)
	l.pressed = now
	l.keeper.Touch(now)
	if k, ok := e.(keys.Key); ok && l.view.isOpen() && len(l.early) == 0 && l.pastes(k) {
		return
	}
	if l.dialog != nil {
		l.pressDialog(e)
		return
	}
	if l.pane != nil {
		l.pressPane(e)
		return
	}
	if !l.view.isOpen() && l.needsSession(e) {
		l.early = append(l.early, e)
		return
	}
	o := l.composer.Handle(e, l.view.bindings)
	_, isIgnored := o.(composer.Ignored)
	if isIgnored && l.wantsViewer(e) {
		l.openViewer()
		return
	}
	l.pressTab(e, isIgnored)
	l.act(o, now)
}

// needsSession reports whether a key, or one before it, has an effect that the open session decides on.
func (l *loop) needsSession(e keys.Event) bool {
	if p, ok := e.(keys.Paste); len(l.early) > 0 || ok {
		return len(l.early) > 0 || drop.MayBeNames(p.Text)
	}
	k, _ := e.(keys.Key)
	_, needs := l.view.bindings.Match(k.Chord, keys.CursorUp, keys.HistoryPrevious, keys.HistorySearchStart, keys.InputOpenExternalEditor, keys.InputPaste)
	return needs
}

// pressEarly gives the composer the keys that have waited for the session.
func (l *loop) pressEarly() {
	early := l.early
	l.early = nil
	for _, e := range early {
		l.press(e, time.Now())
	}
	l.suggest()
}

// pressDialog gives a key or a paste to the open question. One that arrived before the question takes answers was meant
// for the draft, and so is a text for which the question has no use.
func (l *loop) pressDialog(e keys.Event) {
	o := l.dialog.Handle(e, l.view.bindings)
	if _, isIgnored := o.(question.Ignored); !isIgnored {
		l.composer.Observe(e)
		l.answered(o)
		return
	}
	if l.scrollsBehind(e) {
		return
	}
	l.composer.Insert(e)
	if k, isKey := e.(keys.Key); !isKey || k.Text != "" {
		l.dialog.Distract(e)
	}
}

// answered takes the effect of a key on the open question.
func (l *loop) answered(o question.Outcome) {
	switch o := o.(type) {
	case question.Answered:
		l.answer(o.Answer)
	case question.EditorNeeded:
		l.editAnswer(o.Option)
	}
}

// answer answers the open question.
func (l *loop) answer(a tool.Answer) {
	q := l.dialog.Question()
	endsWork := a.Outcome == tool.Cancel && a.Feedback == "" // else the model goes on
	if endsWork {
		l.keepWritten()
	}
	l.closeDialog()
	l.driver.Answer(q, a)
	if endsWork {
		l.turn.phase.cancel()
	}
}

// act takes the effect of a key on the composer.
func (l *loop) act(o composer.Outcome, at time.Time) {
	if _, isEscape := o.(composer.Canceled); !isEscape {
		l.armed.reset()
	}
	switch o := o.(type) {
	case composer.Canceled:
		l.escape(at)
	case composer.Submitted:
		l.send(o)
	case composer.Confirmed:
		l.driver.Submit("") // sends a mistyped command as text
	case composer.Steered:
		l.steer(composer.Submitted(o))
	case composer.Queued:
		l.enqueue(composer.Submitted(o))
	case composer.QueueWanted:
		l.editQueue()
	case composer.LastQueuedWanted:
		l.editLastQueued()
	case composer.EditorWanted:
		l.editDraft(o.Text)
	case composer.HistoryWanted:
		l.widen(o.Search)
	}
	l.suggest()
}

// submit sends a text.
func (l *loop) submit(o composer.Submitted) {
	l.driver.Typing()
	l.showEnd()
	if o.IsShell {
		l.submitShell(o)
		return
	}
	text := strings.TrimSpace(o.Text)
	state := l.driver.State()
	call, isCommand := l.driver.Lookup(text)
	if isCommand && (!state.IsBusy || state.IsOpening || call.Command.RunsWhileBusy) && l.openPane(call) {
		return
	}
	if isCommand && call.Name == "quit" && l.asksToStop(time.Now()) {
		l.composer.Refuse(o.Draft)
		return
	}
	if isCommand && (!state.IsBusy || call.Command.RunsWhileBusy) {
		l.transcript.Prompt(text)
	}
	if isCommand && !call.Command.RunsWhileBusy && l.mustWait(o, toast.NoSlashInQueue) {
		return
	}
	l.driver.Enter(text)
}

// submitShell runs a shell command.
func (l *loop) submitShell(o composer.Submitted) {
	if !l.mustWait(o, toast.NoShellInQueue) {
		l.driver.Shell(o.Text) // a space before the command keeps it from the model
	}
}

// enqueue sends a text after the work in progress, also if it is a command. Those that end the session or only show something do not
// wait.
func (l *loop) enqueue(o composer.Submitted) {
	state := l.driver.State()
	call, isCommand := l.driver.Lookup(o.Text)
	if !isCommand || call.Command.RunsWhileBusy || !state.IsBusy || state.IsOpening {
		l.submit(o)
		return
	}
	l.driver.Typing()
	l.showEnd()
	l.driver.Queue(o.Text)
}

// suggest asks for the completions of the text at the cursor, if they are wanted.
func (l *loop) suggest() {
	if l.view.engine == nil {
		return // they are asked for when the session is open
	}
	if r, ok := l.composer.Wanted(); ok {
		l.view.engine.Ask(r)
	}
}
