package tui

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/pane/logs"
)

// logsName is the name of the command that shows the log.
const logsName = "logs"

// debugging is the state of the debug console.
type debugging struct {
	records   *logs.Records // nil without a session
	showsKeys bool          // each key is a record
}

// watchLog keeps the records of the program's log, and its warnings.
func (l *loop) watchLog() {
	p := l.view.project()
	r := &logs.Records{Level: slog.LevelInfo, Clean: func(text string) string { return p.LogMasker().Text(text) }}
	if p.Debugging() {
		r.Level = slog.LevelDebug
	}
	l.debugging.records = r
	p.AddLog(r)
	p.WatchWarnings(func(text string) { r.Add(time.Now(), slog.LevelWarn, text) })
}

// openLogs opens the debug console.
func openLogs(l *loop) pane.Pane {
	return logs.New(logs.Options{
		Records: l.debugging.records, Bindings: l.view.bindings, Background: l.inBackground, Write: l.view.writeLog,
	})
}

// writeLog writes a text to a new file beside the logs of sessions, and returns its path.
func (v *view) writeLog(text string) (string, error) {
	dir, err := v.project().Paths.ProjectTemp()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, "logs")
	if err := durable.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "console-"+time.Now().Format("20060102-150405.000")+".txt")
	return path, durable.WriteFile(path, []byte(text), 0o600)
}

// logKey makes a record of a key if the user wants that. No log has it, because keys may be secrets: only the user can write the
// records of the console to a file.
func (l *loop) logKey(e keys.Event) {
	if !l.debugging.showsKeys || l.debugging.records == nil {
		return
	}
	switch e := e.(type) {
	case keys.Key:
		l.debugging.records.Add(e.At, slog.LevelDebug, fmt.Sprintf("key %s %q", e.Chord, e.Text))
	case keys.Paste:
		l.debugging.records.Add(e.At, slog.LevelDebug, fmt.Sprintf("paste of %d bytes", len(e.Text)))
	}
}

// errorCount returns the number of errors that the footer shows: those of the log, for people who look for problems.
func (l *loop) errorCount() int {
	v := l.view
	_, isOpen := l.pane.(*logs.Pane)
	if l.debugging.records == nil || isOpen || !v.project().Debugging() && config.ErrorVerbosity.In(v.settings()) != "full" {
		return 0
	}
	return l.debugging.records.Errors()
}
