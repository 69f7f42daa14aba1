package session

import (
	"pollux/internal/durable"
	"pollux/internal/logs"
	"pollux/internal/secret"
)

// openLog prepares the log of the session on disk. If debugging is on, it gets all debug lines and
// events. Otherwise it gets the last events at the end of a session that failed, so that a session
// without problems writes nothing.
func (s *Session) openLog() {
	if !s.options.Recorded || !s.Project.HasHome() {
		return
	}
	s.log = logs.New(s.Project.Paths.ProjectTemp, s.ID(), func(err error) {
		if s.Project.Debugging() { // else the user has not asked for it
			s.Project.Warn("Warning: Cannot write the log of the session: " + durable.Cause(err).Error())
		}
	})
	s.log.Erase(func() []string { return secret.Values(s.Project.Env().List()) }) // all that is known before the models are
	if !s.Project.Debugging() {
		return
	}
	s.closers = append(s.closers, s.Project.AddLog(s.log.Handler()))
	s.options.Recent.LogTo(s.Project.Log)
}

// eraseSecrets keeps all secrets out of the logs and the record of the conversation. The models must be set.
func (s *Session) eraseSecrets() {
	s.Project.Masking.Set(s.secrets)
	if s.log != nil {
		s.log.Erase(s.secrets)
	}
}

// closeLog writes the last events if the session has failed, and closes the log.
func (s *Session) closeLog() {
	if s.log == nil {
		return
	}
	if s.options.Recent.HasFailure() {
		for _, e := range s.options.Recent.Take() {
			_, _ = s.log.Write(append(e.AppendJSON(nil), '\n')) // the log warns
		}
	}
	s.log.Close()
}
