package settings

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"pollux/internal/editorkeys"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/seen"
	"pollux/internal/terminal"
)

// TerminalCommand returns the command that adds key bindings to the settings of the editor in whose terminal Pollux runs.
func TerminalCommand() *manage.Command {
	return manage.SessionOnly(&manage.Command{
		Name: "terminal-setup", Summary: "Add key bindings for Shift+Enter and undo to VS Code, Cursor, Windsurf or Antigravity", Run: setUpTerminal,
		RunsWhileBusy: true, NeedsPerson: true, Instead: "The page terminal of the documentation has the key bindings: /docs terminal.",
	})
}

func setUpTerminal(_ context.Context, c *manage.Call) (o outcome.Outcome, err error) {
	paths := c.Live.Project.Paths
	e, ok := editorkeys.Find(c.Live.Project.Options.Env.Get, runtime.GOOS)
	switch {
	case c.ReportsKeys != nil && c.ReportsKeys():
		return manage.Say("This terminal reports Shift+Enter and other keys by itself: there is nothing to set up.")
	case !ok:
		return manage.Say("Only the terminals of VS Code, Cursor, Windsurf and Antigravity need key bindings, and this is another terminal. In each one, Ctrl+J, or \\ and Enter, begins a new line. In tmux, \"set -s extended-keys on\" lets Shift+Enter through.")
	}
	bindings := editorkeys.Bindings(runtime.GOOS)
	if info, err := os.Stat(filepath.Dir(e.File)); e.File == "" || err != nil || !info.IsDir() {
		return outcome.New(
			outcome.Text("The settings of "+e.Name+" are not on this machine, or in another place than usual. In "+e.Name+", run \"Preferences: Open Keyboard Shortcuts (JSON)\", and add these to the list:\n"),
			outcome.Code(editorkeys.Text(bindings)),
		), nil
	}
	before, backup, err := editorkeys.Add(e.File, bindings, time.Now())
	if err != nil {
		return o, err
	}
	_ = seen.Add(filepath.Join(paths.GeminiDir(), "state.json"), seen.TerminalSetup) // else Pollux offers once more what is done
	return manage.Say("%s", strings.Join(setupReport(e, before, paths.Display(e.File), paths.Display(backup)), "\n"))
}

// setupReport returns the lines about what was added to a file, and what was left.
func setupReport(e editorkeys.Editor, before editorkeys.State, file, backup string) (lines []string) {
	if before.IsComplete() && len(before.Conflicts) == 0 {
		return []string{"The terminals of " + e.Name + " have the key bindings for Pollux already."}
	}
	var added []string
	for _, b := range before.Missing {
		added = append(added, b.Name+" ("+b.Effect+")")
	}
	if len(added) > 0 {
		lines = append(lines, "Keys that work in the terminals of "+e.Name+" from now on: "+strings.Join(added, ", ")+".", "Changed: "+file)
	}
	if backup != "" {
		lines = append(lines, "The file before is kept in "+backup)
	}
	for _, conflict := range before.Conflicts {
		lines = append(lines, conflict.Name+" is left as it is: "+file+" binds it to "+terminal.Cut(terminal.Line(conflict.Command), 100)+".")
	}
	return lines
}
