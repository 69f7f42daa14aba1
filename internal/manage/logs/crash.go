package logs

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/logs"
	"pollux/internal/project"
	"pollux/internal/records"
	"pollux/internal/secret"
	"pollux/internal/stats/recent"
)

// Program is the running program, as the report of a crash describes it.
type Program struct {
	Env     *config.Env
	Version func() string
	Recent  recent.Ring                     // the last events of the session
	Project atomic.Pointer[project.Project] // nil until its settings are read
}

// Signalled records that the program has received a signal.
func (p *Program) Signalled(name string) { p.Recent.Record(records.SignalReceived{Name: name}) }

// Cause returns the text of a panic without secrets, and its summary.
func (p *Program) Cause(value any) (cause, summary string) {
	cause = secret.NewEraser(p.secrets())(fmt.Sprint(value))
	return cause, strings.TrimSuffix(logs.Summary(cause), ".")
}

// secrets returns the known secrets, which reports do not contain.
func (p *Program) secrets() []string {
	if project := p.Project.Load(); project != nil {
		return secret.Values(project.Env().List())
	}
	return secret.Values(p.Env.List())
}

// Write writes the report of a crash, and the last events to the log of the session. It returns
// the path of the report as people read it.
func (p *Program) Write(cause string, stack []byte) (path string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	dir, err := config.WorkingDir()
	if err != nil {
		return "", durable.Cause(err)
	}
	paths := config.NewPaths(p.Env, dir)
	if _, err := os.Stat(paths.Home()); err != nil {
		return "", durable.Cause(err)
	}
	temp, err := paths.ProjectTemp()
	if err != nil {
		return "", durable.Cause(err)
	}
	memory := recent.ReadMemory()
	r := logs.Report{
		Time: time.Now(), Cause: cause, Version: p.Version(), Stack: stack,
		Heap: memory.Heap, Resident: memory.Resident,
	}
	if r.Session, _ = p.Recent.Session(); r.Session == "" {
		r.Session = "none"
	}
	if project := p.Project.Load(); project != nil {
		r.Settings = project.Settings().SetKeys()
	}
	for _, e := range p.Recent.Events() {
		r.Events = append(r.Events, e.AppendJSON(nil))
	}
	secrets := p.secrets()
	if path, err = r.Write(temp, secrets); err != nil {
		return "", durable.Cause(err)
	}
	p.logCrash(r, temp, path, secrets)
	return paths.Display(path), nil
}

// logCrash writes the last events and the crash itself to the log of the session.
func (p *Program) logCrash(r logs.Report, temp, path string, secrets []string) {
	masker := secret.NewMasker(secrets)
	l := logs.New(func() (string, error) { return temp, nil }, r.Session, func() *secret.Masker { return masker }, func(error) {}) // the report has it all
	defer l.Close()
	for _, e := range p.Recent.Take() {
		_, _ = l.Write(append(e.AppendJSON(nil), '\n'))
	}
	l.Crashed(r.Time, logs.Summary(r.Cause), path)
}
