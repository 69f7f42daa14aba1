package tui

import (
	"path/filepath"
	"time"

	"pollux/internal/config"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/modeline"
	"pollux/internal/face/tui/phrases"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/toast"
	"pollux/internal/face/tui/working"
	"pollux/internal/mcp"
	"pollux/internal/slash"
)

// choices are settings of the screen that no part of it has.
type choices struct {
	isKept     bool // the composer stays on the screen below a question
	hasHint    bool // of the panel of shortcuts
	hasContext bool // the summary of the context
}

// applyOptions reads the settings of the lines around the composer.
func (l *loop) applyOptions(s *config.Settings) {
	l.choices = choices{
		isKept: !config.CollapseDrawer.In(s), hasHint: config.ShortcutsHint.In(s), hasContext: !config.HideContextSummary.In(s),
	}
	l.applyFooterCommand(s)
	l.debugging.showsKeys = config.KeystrokeLogging.In(s)
	kind := config.LoadingPhrases.In(s)
	if !config.EnablePhrases.In(s) {
		kind = "off"
	}
	l.working.Options.Wit, l.working.Options.Tip = nil, nil
	if kind != "off" {
		p := phrases.New(kind, config.WittyPhrases.In(s), time.Now().Nanosecond())
		l.working.Options.Wit, l.working.Options.Tip = p.Wit, p.Tip
	}
}

// statusRow returns the row of the work in progress. Without work, it has the hint to the panel of shortcuts, or on
// the reduced screen that to the other lines.
func (l *loop) statusRow(width int, now time.Time) styled.Line {
	t := l.display.Look.Theme
	line := l.working.Line(width, now, t, l.view.bindings)
	if line == nil && l.isReduced(now) {
		return working.AtRight(nil, "press tab twice for more", width, t)
	}
	if line == nil && l.choices.hasHint && l.composer.IsEmpty() && !l.composer.IsShell() && !l.composer.HasHelp() {
		return working.AtRight(nil, "? for shortcuts", width, t)
	}
	return line
}

// drawQuestion adds the open question. The draft is below it, or the whole composer if the user wants that and there is room. While a command has
// the keyboard, a row says how to answer.
func (l *loop) drawQuestion(a *area, width, room int, now time.Time) {
	if l.shells.HasFocus() {
		const command = 4 // rows for its end
		l.drawDialog(a, width, max(room-command-1, 1))
		a.hasCursor = false
		a.add(styled.Of(styled.Text(toast.Answer(l.view.bindings)), l.display.Look.Theme.Warning()).Cut(width))
		return
	}
	const least = 10 // rows for the question
	if !l.choices.isKept {
		l.drawDialog(a, width, room)
		return
	}
	var below area
	l.drawComposer(&below, width, max(room-least, 1), now)
	if len(below.lines) > room-least {
		l.drawDialog(a, width, room)
		return
	}
	v := l.dialog.View(width, room-len(below.lines), l.display.Look.Theme)
	if v.HasText {
		a.addWithCursor(v.Lines, v.Cursor)
	} else {
		a.add(v.Lines...)
	}
	a.add(below.lines...)
}

// refreshContext counts the things in the summary of the context, beside the loop: context files are read from the disk.
func (l *loop) refreshContext() {
	if !l.choices.hasContext {
		l.status.context = modeline.Context{}
		return
	}
	v := l.view
	l.inBackground(func() (show func()) {
		c := v.context()
		return func() {
			if l.choices.hasContext {
				l.status.context = c
			}
		}
	})
}

// context counts the things that the session uses beside the conversation.
func (v *view) context() (c modeline.Context) {
	s := v.session
	if path := v.project().Env().Get("GEMINI_SYSTEM_MD"); path != "" && path != "0" && path != "false" {
		c.HasOwnPrompt = true
		return c
	}
	files := s.Memory.Files()
	c.ContextFiles = len(files)
	for i, f := range files {
		switch name := filepath.Base(f.Path); {
		case i == 0:
			c.ContextName = name
		case name != c.ContextName:
			c.ContextName = ""
		}
	}
	for _, one := range s.Servers.Status() {
		switch one.State {
		case mcp.Blocked:
			c.Blocked++
		case mcp.Disabled:
		default:
			c.Servers++
		}
	}
	for _, k := range s.Skills.Set().Enabled() {
		if !k.IsBuiltin() {
			c.Skills++
		}
	}
	for _, p := range s.Processes.List() {
		if !p.Exited {
			c.Processes++
		}
	}
	c.OpenFiles = len(s.Companion.Status().Files)
	return c
}

// applyShades reads the settings of backgrounds.
func (l *loop) applyShades(s *config.Settings) {
	const longest = 24 * 60 * 60 // seconds
	l.display.Look.IsUnshaded = !config.BackgroundColors.In(s)
	seconds := min(max(config.BackgroundPolling.In(s), 0), longest)
	l.display.Look.PollTime = time.Duration(seconds * float64(time.Second))
	if l.display.Look.PollTime > 0 {
		l.display.Look.PollTime = max(l.display.Look.PollTime, time.Second)
	}
}

// screenCommands are the commands about the screen that [loop.controlScreen] does.
var screenCommands = [...]keys.Command{keys.AppToggleMarkdown, keys.AppToggleMouseMode, keys.AppToggleCopyMode, keys.AppShowErrorDetails, keys.AppShowIDEContextDetail}

// controlScreen does a command about the screen. It returns false for another key.
func (l *loop) controlScreen(k keys.Key) bool {
	command, ok := l.view.bindings.Match(k.Chord, screenCommands[:]...)
	switch {
	case !ok || l.pane != nil && k.Text != "":
		return false
	case command == keys.AppShowErrorDetails:
		if l.dialog != nil || l.pane != nil {
			return false
		}
		return l.openPane(slash.Call{Name: logsName})
	case command == keys.AppShowIDEContextDetail:
		if !l.view.isOpen() {
			return false
		}
		l.driver.Enter("/ide status")
	case command == keys.AppToggleMarkdown:
		l.transcript.Look.IsRaw = !l.transcript.Look.IsRaw
	default:
		l.toast.Show(toast.NativeSelection(l.view.bindings), toast.Hint, k.At, toast.ExpandTime)
	}
	return true
}
