package tui

import (
	"path/filepath"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/greeting"
	"pollux/internal/face/tui/styled"
	"pollux/internal/manage/imports"
	"pollux/internal/manage/release"
	"pollux/internal/seen"
	"pollux/internal/wording"
	"pollux/tool"
)

// statePath returns the path of the file with the counts of notices.
func (v *view) statePath() string { return filepath.Join(v.project().Paths.GeminiDir(), "state.json") }

// readSeen reads the counts of notices. With a damaged file, which nothing replaces, all notices count as seen by none.
func (v *view) readSeen() {
	counts, err := seen.Read(v.statePath())
	if err != nil {
		v.project().Log.Debug("the counts of notices are not read", "error", err)
	}
	v.seen = counts
}

// countSeen counts notices in the background. The end of the face waits for that.
func (l *loop) countSeen(notices ...seen.Notice) {
	v := l.view
	l.counting.Add(1)
	l.inBackground(func() func() {
		defer l.counting.Done()
		if err := seen.Add(v.statePath(), notices...); err != nil {
			v.project().Log.Debug("notices are not counted", "error", err)
		}
		return func() {}
	})
}

// greet shows the warnings about the terminal, and to a new user the tour, or the tips.
func (l *loop) greet() {
	v := l.view
	var shown []seen.Notice
	if config.CompatWarnings.In(v.settings()) {
		for _, w := range greeting.Warnings(l.display.Look.Request.HasNoColor, l.display.Look.Colors, l.display.Look.Term, l.display.Look.Multiplexer) {
			if !w.IsMinor || v.seen.Of(seen.Warning(w.ID)) < greeting.MostMinor {
				l.transcript.Warn(w.Text)
				shown = append(shown, seen.Warning(w.ID))
			}
		}
	}
	if notice, ok := l.showTips(); ok {
		shown = append(shown, notice)
	}
	if notice, ok := l.offerImport(); ok {
		shown = append(shown, notice)
	}
	if len(shown) > 0 {
		l.countSeen(shown...)
	}
	l.tellRelease()
}

// tellRelease shows that a newer Pollux has been released, when a server has answered.
func (l *loop) tellRelease() {
	p := l.view.project()
	if !release.IsWanted(p) {
		return
	}
	l.inBackground(func() func() {
		text := release.Notice(l.ctx, p)
		return func() {
			if text != "" {
				l.transcript.Info(text)
			}
		}
	})
}

// offerImport shows once how to copy the user's set-up from other agents. Only the first start looks for them.
func (l *loop) offerImport() (seen.Notice, bool) {
	v := l.view
	if config.HideTips.In(v.settings()) || v.recap != nil || v.seen.Of(seen.Import) > 0 {
		return seen.Notice{}, false
	}
	if text := imports.Offer(v.project().Paths.Home()); text != "" {
		l.transcript.Info(text)
	}
	return seen.Import, true
}

// showTips shows the tour or the tips, and returns which.
func (l *loop) showTips() (seen.Notice, bool) {
	v := l.view
	switch isResumed := v.recap != nil; {
	case config.HideTips.In(v.settings()) || isResumed || v.seen.Of(seen.Tips) >= greeting.MostTips:
		return seen.Notice{}, false
	case v.seen.Of(seen.Tour) == 0 && v.seen.Of(seen.Tips) == 0: // else Gemini CLI has begun to show tips
		l.transcript.PrintFitting(func(width int) []styled.Line { return greeting.Tour(width, l.display.Look.Theme, v.bindings) })
		return seen.Tour, true
	}
	hasMemory := len(v.session.Memory.Files()) > 0
	l.transcript.PrintFitting(func(width int) []styled.Line {
		return greeting.Tips(hasMemory, width, l.display.Look.Theme, v.bindings)
	})
	return seen.Tips, true
}

// tellUndo shows how to undo changes after the first call of this user that has changed a file.
func (l *loop) tellUndo(e kit.Event) {
	if !l.view.isOpen() || l.view.toldUndo {
		return
	}
	if c := changesBy(e); c == nil || c.Total() == 0 {
		return
	}
	l.view.toldUndo = true
	if l.view.seen.Of(seen.Undo) == 0 {
		l.transcript.Info(greeting.Undo(l.view.bindings))
		l.countSeen(seen.Undo)
	}
}

// tellDeletion shows how to bring files back after the first call of this user that has deleted any.
func (l *loop) tellDeletion(e kit.Event) {
	if !l.view.isOpen() || l.view.toldDeletion {
		return
	}
	deleted := deletedBy(e)
	if deleted == 0 {
		return
	}
	l.view.toldDeletion = true
	if l.view.seen.Of(seen.Deletion) == 0 {
		l.transcript.Info(wording.Restore(deleted))
		l.countSeen(seen.Deletion)
	}
}

// deletedBy returns the number of files that a call of the model has deleted and that can be brought back.
func deletedBy(e kit.Event) int { return changesBy(e).Restorable() }

// changesBy returns the changes of files by a call of the model that has ended, nil for none.
func changesBy(e kit.Event) *tool.Changes {
	ran, _ := e.(kit.Ran)
	event := ran.Event
	if nested, isNested := event.(agent.Nested); isNested {
		event = nested.Event
	}
	if f, ok := event.(agent.ToolFinished); ok {
		return f.Changes()
	}
	return nil
}
