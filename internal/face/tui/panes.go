package tui

import (
	"fmt"
	"slices"
	"time"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/footers"
	"pollux/internal/face/tui/pane/models"
	"pollux/internal/face/tui/pane/rewind"
	"pollux/internal/face/tui/pane/sessions"
	"pollux/internal/face/tui/pane/settings"
	"pollux/internal/face/tui/pane/tasks"
	"pollux/internal/face/tui/pane/themes"
	manageset "pollux/internal/manage/settings"
	"pollux/internal/slash"
	"pollux/internal/terminal"
)

// opener returns the function that makes the pane for a / command without arguments, nil if the command has none. The function
// returns nil if the command explains itself why it has no pane.
func opener(name string) func(l *loop) pane.Pane {
	switch name {
	case logsName:
		return openLogs
	case "chat", "resume", "sessions":
		return openSessions
	case "footer":
		return openFooter
	case rewindName:
		return openRewind
	case "model":
		return openModels
	case "settings":
		return openSettings
	case "tasks":
		return openTasks
	case "theme":
		return openThemes
	}
	return inventoryOpener(name)
}

// rewindName is the name of the command that goes back to an earlier prompt.
const rewindName = "rewind"

func openModels(l *loop) pane.Pane {
	return models.New(l.ctx, l.view.session.Models, l.view.bindings)
}

func openSettings(l *loop) pane.Pane {
	return settings.New(l.view.settings, l.scopes(), l.view.bindings)
}

// openFooter opens the pane with the items of the footer.
func openFooter(l *loop) pane.Pane {
	var items []footers.Item
	for _, i := range manageset.FooterItems() {
		items = append(items, footers.Item{ID: i.ID, About: i.About})
	}
	usual := footerSettings(l.view.settings())
	usual.Items, usual.ShowLabels = nil, true
	return footers.New(footers.Options{
		Items: items, Now: l.status.options, Default: usual.Options(), Values: l.status.values, Bindings: l.view.bindings,
		Save: manageset.FooterSetCommand, Reset: manageset.FooterResetCommand,
	})
}

func openTasks(l *loop) pane.Pane {
	return tasks.New(tasks.Options{
		List: l.view.session.Processes.List, Screen: l.shells.Tail, Focus: l.shells.FocusOn,
		Bindings: l.view.bindings, Background: l.inBackground,
	})
}

// openThemes opens the pane with the themes. Of a theme that does not exist, it changes the file that names it.
func openThemes(l *loop) pane.Pane {
	scopes := l.scopes()
	if named, ok := l.themeLayer(); ok && l.display.Look.Request.IsMissing() {
		scopes.Choose(named.Scope)
	}
	return themes.New(l.display.Look.Request, scopes, l.view.bindings)
}

// themeLayer returns the settings file that names the theme, false if there is none.
func (l *loop) themeLayer() (layer config.Layer, ok bool) {
	e, err := config.Explain(l.view.settings(), l.view.project().Paths, string(config.ThemeName))
	if err != nil {
		return layer, false
	}
	for _, layer := range slices.Backward(e.Layers) {
		if layer.IsSet && layer.State == "read" {
			return layer, true
		}
	}
	return layer, false
}

// themePlace returns a sentence about the place where the settings name the theme, "" if it is not known.
func (l *loop) themePlace() string {
	named, ok := l.themeLayer()
	if !ok || named.File == "" {
		return ""
	}
	return fmt.Sprintf(" See %s, line %d.", l.view.project().Paths.Display(named.File), named.Line)
}

// offerThemes opens the pane with the themes if the one of the settings does not exist and the user has begun nothing else.
func (l *loop) offerThemes() {
	isIdle := l.wanted.Line == "" && l.options.First == "" && l.pane == nil && l.dialog == nil && l.composer.IsEmpty()
	if isIdle && l.display.Look.Request.IsMissing() {
		l.showPane(openThemes(l))
	}
}

func (l *loop) scopes() *pane.Scopes {
	return pane.NewScopes(l.view.settings(), l.view.project().Paths)
}

func openSessions(l *loop) pane.Pane {
	s := l.view.session
	return sessions.New(l.ctx, sessions.Options{
		List: s.Record.List, Current: s.ID(), Bindings: l.view.bindings, Now: time.Now, Background: l.inBackground,
	})
}

func openRewind(l *loop) pane.Pane {
	s := l.view.session
	return rewind.New(l.ctx, rewind.Options{
		DiffLayout: l.transcript.Options.DiffLayout,
		History:    s.History, Calls: s.Record.Calls, Plan: s.Changes.PlanUndo, ShortPath: l.view.live.ShortPath,
		Bindings: l.view.bindings, Now: time.Now, Background: l.inBackground,
	})
}

// inBackground calls work on another goroutine, and then the function that it returns on that of the loop.
func (l *loop) inBackground(work func() (show func())) {
	go func() {
		defer crash.Recover()
		show := work()
		l.post(func() {
			show()
			l.display.Change()
		})
	}()
}

// openPane opens the pane of a / command, at once or when the session is open. It returns false if the command has none.
func (l *loop) openPane(call slash.Call) bool {
	open := opener(call.Name)
	if open == nil || call.Args != "" {
		return false
	}
	if !l.view.isOpen() {
		l.wanted = call
		return true
	}
	opened := open(l)
	if opened == nil {
		return false
	}
	l.showPane(opened)
	return true
}

// showPane opens a pane.
func (l *loop) showPane(p pane.Pane) {
	l.pane, l.refreshed = p, time.Now()
	if loader, ok := p.(pane.Loader); ok {
		l.inBackground(loader.Load)
	}
	l.display.Change()
}

// pressPane gives a key or a paste to the open pane.
func (l *loop) pressPane(e keys.Event) {
	l.composer.Observe(e)
	switch o := l.pane.Handle(e, l.view.bindings).(type) {
	case pane.Ignored:
		l.scrollsBehind(e)
	case pane.Closed:
		l.closePane()
	case pane.Chosen:
		if o.Stays && l.refuses(o.Command) {
			return
		}
		if !o.Stays {
			l.closePane()
			l.transcript.Prompt(o.Command)
		}
		l.driver.Submit(o.Command)
	}
}

// refuses reports whether a command cannot run while the model works. The pane that waits for it shows that.
func (l *loop) refuses(command string) bool {
	call, _ := l.driver.Lookup(command)
	waiter, ok := l.pane.(pane.Waiter)
	if !ok || !l.driver.State().IsBusy || call.Command == nil || call.Command.RunsWhileBusy {
		return false
	}
	waiter.Done("Not possible while the model works. Wait, or cancel its work first.")
	l.display.Change()
	return true
}

// refreshTime is the time between two looks at the content of an open pane that changes by itself.
const refreshTime = time.Second

// refreshDue returns when the open pane looks at its content again, false for never.
func (l *loop) refreshDue() (time.Time, bool) {
	live, ok := l.pane.(pane.Refresher)
	return l.refreshed.Add(refreshTime), ok && live.IsLive()
}

// refreshPane makes the open pane look at its content again if it is time.
func (l *loop) refreshPane(now time.Time) {
	if due, ok := l.refreshDue(); ok && !now.Before(due) {
		l.refreshed = now
		l.pane.(pane.Refresher).Refresh()
	}
}

func (l *loop) closePane() {
	l.pane = nil
	l.display.Change()
}

// tellPane passes the end of a command to the pane that waits for it.
func (l *loop) tellPane(r slash.Result) bool {
	waiter, ok := l.pane.(pane.Waiter)
	if !ok {
		return false
	}
	problem := ""
	if r.Failed {
		problem = terminal.Brief(r.Markdown(0))
	}
	waiter.Done(problem)
	if reporter, ok := waiter.(pane.Reporter); ok && !r.Failed {
		reporter.Report(terminal.Brief(r.Markdown(0)))
	}
	return true
}

// drawPane adds the open pane.
func (l *loop) drawPane(a *area, width, room int) {
	v := l.pane.View(width, room, l.display.Look.Theme)
	if v.HasCursor {
		a.addWithCursor(v.Lines, v.Cursor)
	} else {
		a.add(v.Lines...)
	}
}
