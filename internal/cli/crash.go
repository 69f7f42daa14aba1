package cli

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"pollux/internal/crash"
	"pollux/internal/exit"
)

// crashed ends the process because of a panic. It is the handler of [crash.Recover].
func (p *program) crashed(value any, stack []byte) {
	cause, summary := p.record.Cause(value)
	p.abort(exit.General, cause, "Pollux stopped because of a bug: "+summary+".", stack)
}

// aborts are the signals that ask a program for a report, and the exit codes of these signals.
var aborts = map[os.Signal]exit.Code{syscall.SIGQUIT: exit.Quit, syscall.SIGABRT: exit.Aborted}

// catchAborts ends the process with a report at the first of these signals, until stop is called. The
// runtime would print the stacks of all goroutines instead, as it does until catchesAborts is closed.
func (p *program) catchAborts() (stop func()) {
	p.catchesAborts = make(chan struct{})
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		defer crash.Recover()
		// To catch a signal, two threads take turns, for which the run does not wait.
		signals := make(chan os.Signal, 1)
		for sig := range aborts {
			if !signal.Ignored(sig) {
				signal.Notify(signals, sig)
			}
		}
		defer signal.Stop(signals)
		close(p.catchesAborts)
		select {
		case sig := <-signals:
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			p.record.Signalled(sig.String())
			p.abort(aborts[sig], "signal: "+sig.String(), fmt.Sprintf("Stopped by a signal (%s).", sig), stacks)
		case <-done:
		}
	}()
	return func() {
		close(done)
		<-ended
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
	path, err := p.record.Write(cause, stack)
	if err != nil {
		message += " The report cannot be written: " + err.Error() + "."
	} else {
		message += " Report: " + path
	}
	if _, hasPrompt := p.record.Recent.Session(); hasPrompt {
		message += "\nTo go on: pollux --resume latest"
	}
	p.report(exit.Errorf(code, "%s", message))
}
