package tui

import (
	"context"
	"time"

	"pollux/internal/crash"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/toast"
	"pollux/internal/terminal"
)

// lend gives the terminal to a program that f runs. Then it takes the terminal back and calls done with the error of f.
func (l *loop) lend(f func() error, done func(error)) {
	l.display.Release(l.read)
	go func() {
		defer crash.Recover()
		err := f()
		l.post(func() {
			l.reclaimed(l.display.Reclaim())
			done(err)
		})
	}()
}

// resume goes on after a stop of the process.
func (l *loop) resume() { l.reclaimed(l.display.Resume(l.read)) }

// reclaimed ends the session if the terminal cannot be taken back.
func (l *loop) reclaimed(err error) {
	if err != nil {
		l.fail("take back", err)
	}
}

// suspend handles Ctrl+Z: the second time it stops Pollux, until the shell continues it. It returns false if the key
// undoes an edit, which it does only where the system cannot stop a program.
func (l *loop) suspend(at time.Time) bool {
	if at.Sub(l.armed.suspend) >= toast.UsualTime {
		l.armed = armed{suspend: at}
		l.toast.Show(toast.AgainToSuspend(l.view.bindings), toast.Warning, at, toast.UsualTime)
		return true
	}
	l.armed.reset()
	l.toast.Dismiss()
	l.stop(at)
	return true
}

// stop gives the terminal back, and stops Pollux until the shell continues it.
func (l *loop) stop(at time.Time) {
	if err := l.display.Stop(l.read); err != nil {
		l.resume()
		l.toast.Show("Pollux cannot be suspended: "+err.Error(), toast.Warning, at, toast.UsualTime)
	}
}

// editDraft opens the draft in the user's editor.
func (l *loop) editDraft(text string) {
	if !l.view.isOpen() {
		return
	}
	e := l.view.editor()
	ctx, cancel := context.WithCancel(context.Background())
	w := &writing{end: cancel, done: make(chan struct{})}
	l.writing, l.composer.IsLent = w, true
	l.lend(func() error {
		defer close(w.done)
		w.text, w.err = e.Compose(ctx, text)
		return w.err
	}, func(err error) {
		l.endWriting()
		if err != nil {
			l.transcript.Error(err.Error())
		}
	})
}

// writing is the draft in the user's editor.
type writing struct {
	end  context.CancelFunc
	done chan struct{} // closed when the editor has ended
	text string        // that the user has saved in it
	err  error         // how it has failed
}

// endWriting ends the editor that has the draft, if there is one, and takes the text that was saved in it.
func (l *loop) endWriting() {
	w := l.writing
	if w == nil {
		return
	}
	l.writing, l.composer.IsLent = nil, false
	w.end()
	select {
	case <-w.done:
		if w.text != "" || w.err == nil {
			l.composer.Collapse(terminal.Clean(w.text))
		}
	case <-time.After(editorWait):
	}
}

// editorWait is how long the end of Pollux waits for the end of the editor.
const editorWait = 2 * time.Second

// editAnswer opens the first block of the open question in the user's editor. The text is part of the answer.
func (l *loop) editAnswer(o *kit.Option) {
	q := l.dialog.Question()
	e := l.view.editor()
	var edited string
	var edit func() error
	switch b := q.Blocks[0].(type) {
	case *kit.Plan:
		edit = func() error { return e.Open(q.Context(), b.Path) }
	case *kit.Change:
		before := ""
		if b.Before != nil {
			before = *b.Before
		}
		edit = func() (err error) {
			edited, err = e.Change(q.Context(), b.FileName, before, b.After)
			return err
		}
	default:
		return
	}
	l.lend(edit, func(err error) {
		switch {
		case err != nil:
			l.transcript.Error(err.Error())
		case l.dialog != nil && l.dialog.Question() == q:
			l.answer(o.Answer(edited))
		}
	})
}
