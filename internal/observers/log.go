package observers

import (
	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/logs"
)

// newLog returns the log of the session on disk, nil for none. It is created when something is written.
func (o *Observers) newLog() *logs.Log {
	p := o.parts.Project
	if !o.parts.HasLog || !p.HasHome() {
		return nil
	}
	return logs.New(p.Paths.ProjectTemp, o.parts.ID(), p.LogMasker, func(err error) {
		if p.Debugging() { // else the user has not asked for it
			o.warn("Cannot write the log of the session: " + durable.Cause(err).Error())
		}
	})
}

// watchLog passes the program's log to the activity log and, if debugging is on, to the log of the session, with
// all events. Otherwise that gets the last events at the end of a session that failed, so that a session without
// problems writes nothing.
func (o *Observers) watchLog() {
	p := o.parts.Project
	if o.activity != nil {
		o.handlers = append(o.handlers, p.AddLog(o.activity.Handler()))
	}
	if o.log != nil && p.Debugging() {
		o.handlers = append(o.handlers, p.AddLog(o.log.Handler()))
		o.parts.Recent.LogTo(p.Log)
	}
}

// closeLog writes the last events if the session has failed, or if the user wants them, and closes the log.
func (o *Observers) closeLog() {
	if o.log == nil {
		return
	}
	if o.parts.Recent.HasFailure() || config.KeepActivity.In(o.parts.Project.Settings()) {
		for _, e := range o.parts.Recent.Take() {
			_, _ = o.log.Write(append(e.AppendJSON(nil), '\n')) // the log warns
		}
	}
	o.log.Close()
}
