package tui

import (
	"path/filepath"

	"pollux/internal/crash"
	"pollux/internal/face/tui/history"
)

// maxRecalled is the number of prompts of earlier sessions that the user can get back.
const maxRecalled = 1000

// applyHistory gives the composer the inputs of earlier sessions.
func (l *loop) applyHistory() {
	v := l.view
	l.composer.Prompts = history.Prompts(func() []string { return v.session.PromptLog.Recent(maxRecalled) })
	l.composer.Shell = history.Shell(v.shellCommands, func(command string) {
		go func() {
			defer crash.Recover()
			v.addShellCommand(command)
		}()
	})
}

// shellCommands returns the shell commands that the user has run in this project, the newest first.
func (v *view) shellCommands() []string {
	dir := v.project().Paths.ExistingProjectTemp()
	if dir == "" {
		return nil
	}
	commands, err := history.ReadShell(filepath.Join(dir, shellHistory))
	if err != nil {
		v.project().Warn("The earlier shell commands cannot be read: " + err.Error())
	}
	return commands
}

// shellHistory is the name of the file with shell commands.
const shellHistory = "shell_history"

// addShellCommand keeps a shell command for later sessions.
func (v *view) addShellCommand(command string) {
	dir, err := v.project().Paths.ProjectTemp()
	if err == nil {
		err = history.AddShell(filepath.Join(dir, shellHistory), command)
	}
	if err != nil {
		v.project().Warn("The shell command is not kept for later: " + err.Error())
	}
}
