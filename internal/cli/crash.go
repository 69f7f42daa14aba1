package cli

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"pollux/internal/config"
	"pollux/internal/crash"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/logs"
	"pollux/internal/records"
	"pollux/internal/secret"
	"pollux/internal/stats/recent"
)

// crashed ends the process because of a panic. It is the handler of [crash.Recover].
func (p *program) crashed(value any, stack []byte) {
	cause := secret.NewEraser(secret.Values(p.env.List()))(fmt.Sprint(value))
	p.abort(exit.General, cause, "Pollux stopped because of a bug: "+strings.TrimSuffix(logs.Summary(cause), ".")+".", stack)
}

// aborts are the signals that ask a program for a report, and the exit codes of these signals.
var aborts = map[os.Signal]exit.Code{syscall.SIGQUIT: exit.Quit, syscall.SIGABRT: exit.Aborted}

// catchAborts ends the process with a report at the first of these signals, until stop is called. The
// runtime would print the stacks of all goroutines instead.
func (p *program) catchAborts() (stop func()) {
	signals := make(chan os.Signal, 1)
	for sig := range aborts {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	done := make(chan struct{})
	go func() {
		defer crash.Recover()
		select {
		case sig := <-signals:
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			p.recent.Record(records.SignalReceived{Name: sig.String()})
			p.abort(aborts[sig], "signal: "+sig.String(), fmt.Sprintf("Stopped by a signal (%s).", sig), stacks)
		case <-done:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// abort writes a report, prints one line that begins with message, and ends the process. Calls after the
// first wait for the end.
func (p *program) abort(code exit.Code, cause, message string, stack []byte) {
	if p.isAborting.Swap(true) {
		select {}
	}
	defer os.Exit(int(code)) // also if the report fails
	time.AfterFunc(gracePeriod, func() { os.Exit(int(code)) })
	p.term.Restore()
	path, err := p.writeReport(cause, stack)
	if err != nil {
		message += " The report cannot be written: " + durable.Cause(err).Error() + "."
	} else {
		message += " Report: " + path
	}
	if _, hasPrompt := p.recent.Session(); hasPrompt {
		message += "\nTo go on: pollux --resume latest"
	}
	p.report(exit.Errorf(code, "%s", message))
}

// writeReport writes the report of a crash, and the last events to the log of the session. It returns
// the path of the report as people read it.
func (p *program) writeReport(cause string, stack []byte) (path string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	dir, err := config.WorkingDir()
	if err != nil {
		return "", err
	}
	paths := config.NewPaths(p.env, dir)
	if _, err := os.Stat(paths.Home()); err != nil {
		return "", err
	}
	project, err := paths.ProjectTemp()
	if err != nil {
		return "", err
	}
	memory := recent.ReadMemory()
	r := logs.Report{
		Time: time.Now(), Cause: cause, Version: version(p.env), Stack: stack,
		Heap: memory.Heap, Resident: memory.Resident,
	}
	if r.Session, _ = p.recent.Session(); r.Session == "" {
		r.Session = "none"
	}
	if s := p.settings.Load(); s != nil {
		r.Settings = s.SetKeys()
	}
	for _, e := range p.recent.Events() {
		r.Events = append(r.Events, e.AppendJSON(nil))
	}
	secrets := secret.Values(p.env.List())
	if path, err = r.Write(project, secrets); err != nil {
		return "", err
	}
	p.logCrash(r, project, path, secrets)
	return paths.Display(path), nil
}

// logCrash writes the last events and the crash itself to the log of the session.
func (p *program) logCrash(r logs.Report, project, path string, secrets []string) {
	l := logs.New(func() (string, error) { return project, nil }, r.Session, func(error) {}) // the report has it all
	defer l.Close()
	l.Erase(func() []string { return secrets })
	for _, e := range p.recent.Take() {
		_, _ = l.Write(append(e.AppendJSON(nil), '\n'))
	}
	l.Crashed(r.Time, logs.Summary(r.Cause), path)
}
