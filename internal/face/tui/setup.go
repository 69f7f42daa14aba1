package tui

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"pollux/internal/editorkeys"
	"pollux/internal/face/tui/display"
	"pollux/internal/person"
	"pollux/internal/seen"
)

// offerSetup offers once to add key bindings to the editor in whose terminal Pollux runs, if Shift+Enter is the same as Enter there. It waits
// for the replies of the terminal, which may report the keys by itself.
func (l *loop) offerSetup() {
	if l.view.seen.Of(seen.TerminalSetup) > 0 || l.options.First != "" || l.wanted.Line != "" {
		return
	}
	e, ok := editorkeys.Find(l.options.Getenv, runtime.GOOS)
	if !ok || e.File == "" {
		return
	}
	l.inBackground(func() func() {
		time.Sleep(display.ReplyWait)
		state, err := editorkeys.Read(e.File, editorkeys.Bindings(runtime.GOOS))
		_, missing := os.Stat(filepath.Dir(e.File))
		needs := err == nil && missing == nil && slices.ContainsFunc(state.Missing, func(b editorkeys.Binding) bool { return b.Key == "shift+enter" })
		return func() {
			if needs && !l.display.Look.IsKitty && l.pane == nil && l.composer.IsEmpty() {
				l.askSetup(e)
			}
		}
	})
}

// askSetup asks whether to add the key bindings.
func (l *loop) askSetup(e editorkeys.Editor) {
	l.countSeen(seen.TerminalSetup)
	file := l.view.project().Paths.Display(e.File)
	l.inBackground(func() func() {
		text := "In the terminals of " + e.Name + ", Shift+Enter sends the prompt. Let it begin a new line, with key bindings in " + file + "? /terminal-setup does this later, too."
		isWanted, err := person.Confirm(l.ctx, l.driver, "Set up keys", text)
		return func() {
			if isWanted && err == nil {
				l.driver.Submit("/terminal-setup")
			}
		}
	})
}
