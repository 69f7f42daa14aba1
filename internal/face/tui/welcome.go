package tui

import (
	"fmt"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/greeting"
	"pollux/internal/face/tui/recap"
	"pollux/internal/face/tui/styled"
	"pollux/internal/record"
	"pollux/internal/seen"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// sessionOpened shows the session.
func (l *loop) sessionOpened() {
	l.readArrived()
	l.view = <-l.opened
	l.keeper.Save = l.view.saveDraft
	l.keeper.Follow(l.view.session.ID())
	for _, w := range l.view.warnings {
		l.driver.Warn(w)
	}
	l.watchLog()
	l.applySettings()
	l.reduced.isOn = l.view.seen.Is(seen.FocusUI)
	l.reduced.saved = l.reduced.isOn
	l.applyHistory()
	l.applyClipboard()
	l.refreshStatus()
	l.watchProcesses()
	l.watchEditor()
	l.welcome()
	l.greet()
	if r := l.view.recap; r != nil {
		l.showRecap(r)
		l.restoreDraft()
	}
	l.pressEarly()
	if !l.openPane(l.wanted) && l.wanted.Line != "" {
		l.driver.Submit(l.wanted.Line)
	}
	l.offerThemes()
	l.offerSetup()
}

// welcome prints the name of the program, and where it works unless the screen is reduced.
func (l *loop) welcome() {
	s := l.view.settings()
	if config.HideBanner.In(s) {
		return
	}
	t, p := l.display.Look.Theme, l.view.project()
	name := styled.Line{{Text: "Pollux", Style: t.Accent()}, {Text: " " + terminal.Line(p.Options.Version), Style: t.Secondary()}}
	where := terminal.Line(fmt.Sprintf("%s, with %s", p.Paths.Display(p.Paths.Dir()), l.view.session.Models.Current().Model))
	if l.reduced.isOn {
		l.transcript.Print(name)
		return
	}
	lines := []styled.Line{name, styled.Of(where, t.Secondary())}
	if account := l.view.session.Models.Current().Account; config.ShowUserIdentity.In(s) && account.ProviderName() != "" {
		lines = append(lines, greeting.Identity(account.ProviderName(), p.DescribeSource(account.KeySource()), l.display.Width(), t))
	}
	l.transcript.Print(lines...)
}

// showRecap shows the last prompt of a resumed conversation with the answer to it, and where the work stands.
func (l *loop) showRecap(r *record.Recap) {
	l.transcript.Info(fmt.Sprintf("Resumed after %s: %s", wording.Count(r.Prompts, "prompt"), terminal.Line(r.Title)))
	if r.Prompt != "" {
		l.transcript.Prompt(r.Prompt)
	}
	if r.Answer != "" {
		now := time.Now()
		l.transcript.Handle(kit.Ran{Event: agent.Text{Text: r.Answer}}, now)
		l.transcript.Handle(kit.Finished{}, now)
	}
	l.recall(r)
}

// recall shows where the work of a resumed conversation stands.
func (l *loop) recall(r *record.Recap) {
	now := l.recap.Resume(r, time.Now())
	l.printRecap(&now)
}

func (l *loop) printRecap(r *recap.Recap) {
	l.transcript.PrintFitting(func(width int) []styled.Line { return r.Lines(width, l.display.Look.Theme, l.view.live.ShortPath) })
}

// noticeReturn shows where the work stands if the user comes back to the session after hours.
func (l *loop) noticeReturn(now time.Time) {
	if r, isDue := l.recap.Touch(now); isDue && l.view.isOpen() && !l.driver.State().IsBusy {
		l.printRecap(&r)
	}
}
