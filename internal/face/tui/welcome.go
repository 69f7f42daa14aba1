package tui

import (
	"fmt"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/internal/record"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// sessionOpened shows the session.
func (l *loop) sessionOpened() {
	l.view = <-l.opened
	for _, w := range l.view.warnings {
		l.driver.Warn(w)
	}
	l.applySettings()
	l.connectShells()
	l.applyHistory()
	l.applyClipboard()
	l.refreshStatus()
	l.welcome()
	if r := l.view.session.Record.Recap(); r != nil {
		l.showRecap(r)
		l.restoreDraft()
	}
	l.pressEarly()
	l.openPane(l.wanted)
}

// welcome prints the name of the program, and where it works.
func (l *loop) welcome() {
	s := l.view.settings()
	if config.HideBanner.In(s) {
		return
	}
	t, p := l.look.theme, l.view.project()
	name := styled.Line{{Text: "Pollux", Style: t.Accent()}, {Text: " " + terminal.Line(p.Options.Version), Style: t.Secondary()}}
	where := terminal.Line(fmt.Sprintf("%s, with %s", p.Paths.Display(p.Paths.Dir()), l.view.session.Models.Current().Model))
	l.transcript.Print(name, styled.Of(where, t.Secondary()))
}

// showRecap shows the last prompt of a resumed conversation, and the answer to it.
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
}
