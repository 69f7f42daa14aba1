package tui

import (
	"context"
	"strings"
	"time"

	"pollux/internal/config"
	"pollux/internal/face/tui/statusline"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/terminal"
)

// footerCommand is the user's program for the footer.
type footerCommand struct {
	statusline.Runner
	hasFailed bool // the user was warned
}

// applyFooterCommand reads the command line of the program. Without one its line disappears.
func (l *loop) applyFooterCommand(s *config.Settings) {
	if config.FooterCommand.In(s) == "" {
		l.status.values.Command = ""
	}
	l.footerCommand.hasFailed = false
	l.refreshFooterCommand()
}

// refreshFooterCommand notes the state of the session for the program.
func (l *loop) refreshFooterCommand() {
	v := l.view
	if !v.isOpen() {
		return
	}
	command := strings.TrimSpace(config.FooterCommand.In(v.settings()))
	if command == "" {
		l.footerCommand.Set("", "")
		return
	}
	l.footerCommand.Set(command, l.snapshot().JSON())
	l.display.Change()
}

// snapshot returns the state of the session, as far as the footer has it.
func (l *loop) snapshot() statusline.Snapshot {
	p, f := l.view.project(), l.status.values
	s := statusline.Snapshot{
		SessionID: f.Session, Version: p.Options.Version, Cwd: p.Paths.Dir(), Model: statusline.Model{ID: f.Model, DisplayName: f.Model},
		Workspace: statusline.Workspace{CurrentDir: p.Paths.Dir(), ProjectDir: p.Paths.Dir()},
		Cost:      statusline.Cost{TotalTokens: f.Tokens, LinesAdded: f.Added, LinesRemoved: f.Removed},
		Branch:    f.Branch, ApprovalMode: l.view.mode().Name(),
	}
	if f.HasCost {
		s.Cost.TotalCostUSD = &f.Cost
	}
	if size := l.view.window(); f.HasContext && size > 0 {
		s.Context = &statusline.Context{Size: size, UsedPercentage: f.Context * 100}
		const many = 200_000
		s.ExceedsTokens = f.Context*float64(size) > many
	}
	return s
}

// runFooterCommand runs the program beside the loop, if it is time.
func (l *loop) runFooterCommand(now time.Time) {
	if due, ok := l.footerCommand.Due(); !ok || now.Before(due) {
		return
	}
	p := l.view.project()
	origin := process.OriginUser
	if config.FooterCommand.In(p.Settings()) != config.FooterCommand.In(p.Settings().WithoutWorkspace()) {
		origin = process.OriginProject
	}
	work, ok := l.footerCommand.Begin(now, statusline.Options{
		Launcher: p.Launcher, Dir: p.Paths.Dir(), Origin: origin, Environ: project.WithOwn(p, p.ServerEnviron(), origin),
	})
	if !ok {
		return
	}
	ctx, stop := context.WithCancel(l.ctx)
	l.inBackground(func() (show func()) {
		defer stop()
		line, err := work(ctx)
		return func() { l.showFooterCommand(line, err) }
	})
}

// showFooterCommand shows the line of the program. After an error the last line stays, and the user is warned once.
func (l *loop) showFooterCommand(line string, err error) {
	switch counts := l.footerCommand.End(err != nil); {
	case !counts:
	case err == nil:
		l.status.values.Command = line
	case !l.footerCommand.hasFailed && l.ctx.Err() == nil:
		l.footerCommand.hasFailed = true
		l.driver.Warn("The program of ui.footer.command failed: " + terminal.Brief(err.Error()) + ".")
	}
}
