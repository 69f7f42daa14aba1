package tui

import (
	"time"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/footer"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/modeline"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/vim"
	"pollux/internal/gitstate"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// status is the state of the footer.
type status struct {
	values  footer.Values
	options footer.Options
	context modeline.Context
	isShown bool

	measured  time.Time // when the memory was measured
	exhausted string    // the model whose quota was used up the last time
}

// applySettings reads the settings of the screen.
func (l *loop) applySettings() {
	v := l.view
	if !v.isOpen() {
		return
	}
	s := v.settings()
	l.status.options, l.status.isShown = footerSettings(s).Options(), !config.HideFooter.In(s)
	l.applyTheme()
	l.applyTranscript()
	l.applyPictures()
	switch isVim := config.VimMode.In(s); {
	case isVim && l.composer.Vim == nil:
		l.composer.Vim = &vim.Mode{}
	case !isVim:
		l.composer.Vim = nil
	}
	l.shells.SetColors(config.ShellShowsColor.In(s))
	l.working.Options.IsStill = !config.ShowSpinner.In(s) || config.ReduceMotion.In(s)
	l.applyOptions(s)
	l.composer.Field().EscapeAt = config.EscapePastedAt.In(s)
}

// footerSettings returns the settings of the footer.
func footerSettings(s *config.Settings) footer.Settings {
	_, isSet := s.Lookup(string(config.FooterHidesContext)) // its default is for people who never chose
	return footer.Settings{
		Items: config.FooterItems.In(s), ShowLabels: config.FooterLabels.In(s), HideCWD: config.FooterHidesDir.In(s),
		HideSandbox: config.FooterHidesSandbox.In(s), HideModel: config.FooterHidesModel.In(s),
		HideContext: isSet && config.FooterHidesContext.In(s), ShowMemory: config.ShowMemoryUsage.In(s), HideIdentity: !config.ShowUserIdentity.In(s),
	}
}

// applyTheme chooses the theme that the settings name.
func (l *loop) applyTheme() {
	v, r := l.view, &l.display.Look.Request
	l.applyShades(v.settings())
	r.Name, r.AutoSwitch = config.ThemeName.In(v.settings()), config.AutoThemes.In(v.settings())
	custom, _ := v.settings().Lookup(string(config.CustomThemes))
	r.Custom, _ = custom.(map[string]any)
	r.Home, r.Dir = v.project().Paths.Home(), v.project().Paths.Dir()
	r.Extensions = nil
	for _, e := range v.project().Extensions() {
		r.Extensions = append(r.Extensions, theme.Extension{Name: e.Name, Themes: e.Themes})
	}
	for i, w := range l.display.Look.Choose() {
		if i == 0 && r.IsMissing() {
			w += l.themePlace()
		}
		l.driver.Warn(w)
	}
}

// applyTranscript sets the options of the transcript.
func (l *loop) applyTranscript() {
	v, o := l.view, &l.transcript.Options
	s := v.settings()
	o.Names, o.ShowKey = v.live, v.bindings.Hint(keys.AppShowMoreLines)
	o.Place = func(model string) wording.Place { return v.session.Place(true, model) }
	o.ShowsThoughts = config.InlineThinking.In(s) == "full"
	shows, _ := s.Lookup(string(config.ShowCitations)) // sessions with a person show them unless that is switched off
	o.HidesCitations = shows == false
	_, isSet := s.Lookup(string(config.ShowLineNumbers)) // else code in the scrollback is copied without them
	o.ShowsModel, o.LineNumbers = config.ShowModelInChat.In(s), (isSet || l.display.Full() != nil) && config.ShowLineNumbers.In(s)
	o.IsDebug, o.ShowsErrors = v.project().Debugging(), config.ErrorVerbosity.In(s) == "full"
	o.DiffLayout = diff.Layout(config.DiffMode.In(s))
	o.IsLoose = !config.CompactToolOutput.In(s)
}

// refreshStatus updates the values of the footer that work may have changed.
func (l *loop) refreshStatus() {
	v := l.view
	if !v.isOpen() {
		return
	}
	s, f := v.session, &l.status.values
	p := v.project()
	f.Workspace, f.IsDebug = terminal.Line(p.Paths.Display(p.Paths.Dir())), p.Debugging()
	f.IsUntrusted = !p.IsTrusted()
	f.Sandbox, f.IsUnsafe = sandboxText(p.Sandbox.Name("all tools", p.Options.Env.Get("SANDBOX")))
	f.Session = s.ID()
	l.status.setModel(s.Models.Current().Model)
	f.CompressAt = config.CompressionThreshold.In(p.Settings())
	counts := s.Observers.Stats.Snapshot()
	f.Added, f.Removed, f.Tokens, f.Cost, f.HasCost = counts.Lines.Added, counts.Lines.Removed, 0, 0, len(counts.Models) > 0
	for _, m := range counts.Models {
		f.Tokens += m.API.Tokens.Total
		if m.Cost == nil {
			f.HasCost = false
		} else {
			f.Cost += *m.Cost
		}
	}
	l.refreshItems(time.Now())
	l.refreshContext()
	l.refreshFooterCommand()
	l.refreshBranch(p.Paths.Dir())
}

// sandboxText returns the words of Gemini CLI for a sandbox, whose name is "" for none, and whether the machine is open.
func sandboxText(name string) (text string, isUnsafe bool) {
	switch name {
	case "":
		return "no sandbox", true
	case "all tools":
		return name, false
	}
	return "current process", false
}

// refreshBranch reads the branch beside the loop: the disk may be slow.
func (l *loop) refreshBranch(dir string) {
	go func() {
		defer crash.Recover()
		state, _ := gitstate.Head(dir)
		l.post(func() {
			branch := state.Branch
			if branch == "" {
				branch = state.Commit
			}
			l.status.values.Branch = terminal.Line(branch)
			l.refreshFooterCommand()
			l.display.Change()
		})
	}()
}
