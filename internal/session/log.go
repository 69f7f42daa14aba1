package session

import (
	"log/slog"

	"pollux/internal/durable"
	"pollux/internal/logs"
	"pollux/internal/secret"
)

// openLog prepares the log of the session on disk. If debugging is on, it gets all debug lines and
// events. Otherwise it gets the last events at the end of a session that failed, so that a session
// without problems writes nothing.
func (s *Session) openLog() {
	if !s.Options.Recorded || !s.hasHome() {
		return
	}
	s.log = logs.New(s.Paths.ProjectTemp, s.ID(), func(err error) {
		if s.Debugging() { // else the user has not asked for it
			s.Warn("Warning: Cannot write the log of the session: " + durable.Cause(err).Error())
		}
	})
	s.log.Erase(func() []string { return secret.Values(s.Env.List()) }) // all that is known before the models are
	if !s.Debugging() {
		return
	}
	logged := *s.Setup
	logged.Log = slog.New(slog.NewMultiHandler(s.Log.Handler(), s.log.Handler()))
	s.Setup = &logged
	s.Recent.LogTo(s.Log)
}

// eraseSecrets keeps all secrets out of the logs and the record of the conversation. The models must be set.
func (s *Session) eraseSecrets() {
	s.masking.set(s.secrets)
	if s.log != nil {
		s.log.Erase(s.secrets)
	}
}

// closeLog writes the last events if the session has failed, and closes the log.
func (s *Session) closeLog() {
	if s.log == nil {
		return
	}
	if s.Recent.HasFailure() {
		for _, e := range s.Recent.Take() {
			_, _ = s.log.Write(append(e.AppendJSON(nil), '\n')) // the log warns
		}
	}
	s.log.Close()
}
