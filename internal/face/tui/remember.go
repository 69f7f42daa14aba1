package tui

import (
	"path/filepath"
	"slices"
	"time"

	"pollux/internal/crash"
	"pollux/internal/face/tui/draft"
	"pollux/internal/face/tui/history"
	"pollux/internal/face/tui/keys"
	"pollux/internal/promptlog"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// maxRecalled is the number of prompts of earlier sessions that the user can get back.
const maxRecalled = 1000

// applyHistory gives the composer the inputs of earlier sessions.
func (l *loop) applyHistory() {
	v := l.view
	l.composer.WidenKey = v.bindings.Hint(keys.HistorySearchStart)
	l.composer.Prompts = history.Prompts(v.pastPrompts)
	l.composer.Shell = history.Shell(v.shellCommands, func(command string) {
		go func() {
			defer crash.Recover()
			v.addShellCommand(command)
		}()
	})
}

// pastPrompts returns the prompts of earlier sessions and the texts that were not sent when these ended, the newest first.
func (v *view) pastPrompts() (texts []string) {
	past := v.session.PromptLog.Recent(maxRecalled)
	if dir := v.project().Paths.ExistingProjectTemp(); dir != "" {
		for _, d := range draft.Others(dir, v.session.ID()) {
			if !d.IsShell {
				past = append(past, promptlog.Prompt{Text: d.Text, Time: d.Time})
			}
		}
	}
	slices.SortStableFunc(past, func(a, b promptlog.Prompt) int { return b.Time.Compare(a.Time) })
	for _, p := range past {
		texts = append(texts, p.Text)
	}
	return texts
}

// widen gives a search the prompts of all other projects.
func (l *loop) widen(s *history.Search) {
	v := l.view
	l.inBackground(func() func() {
		past := v.promptsElsewhere(time.Now())
		return func() { s.Widen(past) }
	})
}

// promptsElsewhere returns the newest prompts of other projects, the newest first.
func (v *view) promptsElsewhere(now time.Time) (past []history.Past) {
	paths := v.project().Paths
	dirs, logs := map[string]string{}, []string(nil) // the names of projects by their logs
	for _, p := range paths.Projects() {
		if p.Temp != paths.ExistingProjectTemp() {
			log := filepath.Join(p.Temp, promptlog.FileName)
			dirs[log], logs = filepath.Base(p.Dir), append(logs, log)
		}
	}
	for _, p := range promptlog.Newest(logs, maxElsewhere) {
		past = append(past, history.Past{Text: p.Text, Label: terminal.Cut(terminal.Line(dirs[p.Path]), maxName) + ", " + wording.Age(now.Sub(p.Time))})
	}
	return past
}

// maxElsewhere is the number of prompts of other projects that a search can find, maxName the length of their names.
const maxElsewhere, maxName = 5000, 16

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
